"""Reading what a provider or an SDK gave: dicts, or pydantic models, of which nothing is taken on trust.

A `Shape` remembers which of its members were read. `close` names the others as lost, so that a member
that a provider adds tomorrow is not dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from convspec.frozen import Foreign, FrozenMap
from convspec.providers.results import Loss

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_NO_PLACE = "a history has no place for it"


class ShapeError(ValueError):
    """A value that has not the shape it should have. `place` says where; the value is not shown."""

    def __init__(self, place: str, fault: str) -> None:
        super().__init__(f"{place}: {fault}")
        self.place = place


class Shape:
    """An object at its place. All readers raise ShapeError."""

    def __init__(self, value: object, place: str, lost: list[Loss]) -> None:
        self.place = place
        self._lost = lost
        self._members = _members(value, place)
        self._read: set[str] = set()

    def get(self, name: str) -> Any:
        """Return a member, or None where it is absent."""
        self._read.add(name)
        return self._members.get(name)

    def has(self, name: str) -> bool:
        """Say whether a member holds something."""
        return not _is_nothing(self.get(name))

    def text(self, name: str) -> str | None:
        """Return a string, or None where it is absent or null."""
        value = self.get(name)
        if value is None or isinstance(value, str):
            return value
        raise ShapeError(self.at(name), "not a string")

    def filled(self, name: str) -> str:
        """Return a string that is there and not empty."""
        value = self.text(name)
        if not value:
            raise ShapeError(self.at(name), "missing or empty")
        return value

    def word(self, name: str) -> str:
        """Return a word of the shape, such as a role or a type; "" where it is absent or no such word."""
        value = self.text(name) or ""
        return value if _WORD.fullmatch(value) else ""

    def child(self, name: str) -> Shape | None:
        """Return the object below, or None where it is absent or null."""
        value = self.get(name)
        return None if value is None else Shape(value, self.at(name), self._lost)

    def children(self, name: str) -> Iterator[Shape]:
        """Yield the objects of a list; none where it is absent or null."""
        value = self.get(name)
        return iter(()) if value is None else shapes(value, self.at(name), self._lost)

    def object(self, name: str) -> FrozenMap:
        """Return a JSON object as it is; empty where it is absent or null."""
        value = self.get(name)
        return json_object({} if value is None else value, self.at(name))

    def at(self, name: str) -> str:
        """Return the place of a member."""
        return f"{self.place}.{name}"

    def lose(self, why: str, name: str | None = None) -> None:
        """Note that the object, or a member, is not carried as it is."""
        self._lost.append(Loss(self.place if name is None else self.at(name), why))

    def close(self, *passed_over: str) -> None:
        """Note every member as lost that was not read, holds something, and is not one of those named."""
        for name in self._members:
            if name not in self._read and name not in passed_over and not _is_nothing(self._members[name]):
                known = isinstance(name, str) and _WORD.fullmatch(name)
                self.lose(_NO_PLACE, name) if known else self.lose(f"it has a member more: {_NO_PLACE}")


def shapes(values: object, name: str, lost: list[Loss]) -> Iterator[Shape]:
    """Yield the objects of a list that stands at `name`. Raises ShapeError."""
    iterable = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    if not iterable or hasattr(values, "model_dump"):
        raise ShapeError(name, "not a list")
    for index, value in enumerate(values):  # type: ignore[arg-type, var-annotated]
        yield Shape(value, f"{name}[{index}]", lost)


def json_object(value: object, place: str) -> FrozenMap:
    """Return a decoded JSON object, frozen. Raises ShapeError."""
    if not isinstance(value, Mapping):
        raise ShapeError(place, "not a JSON object")
    try:
        return FrozenMap(value)
    except (Foreign, RecursionError):
        raise ShapeError(place, "it holds something that is no JSON, or is nested too deep") from None


def _members(value: object, place: str) -> Mapping[Any, Any]:
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        value = dump(mode="json", by_alias=True, warnings=False)
    if isinstance(value, Mapping):
        return value
    raise ShapeError(place, "not an object")


def _is_nothing(value: object) -> bool:
    return value is None or value is False or (isinstance(value, str | list | tuple | Mapping) and not value)
