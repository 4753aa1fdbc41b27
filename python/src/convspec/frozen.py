"""JSON values that cannot be changed: objects as `FrozenMap`, arrays as tuples, the rest as they are.

Two values are equal if they are the same JSON: `1` and `1.0` are, `true` and `1` are not, the order of
keys does not matter, and numbers are compared as doubles where both fit into one (history.md#numbers).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from convspec.findings import Path

DEEPEST = 100


class Foreign(TypeError):
    """A value that no JSON document decodes to; `path` is where it stands."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class TooDeep(Foreign):
    """A value with more levels than a document may have (history.md#depth)."""


class FrozenMap(Mapping[str, Any]):
    """An immutable JSON object. Hashable; equal to any mapping that is the same JSON."""

    __slots__ = ("_hash", "_members")

    def __init__(self, members: Mapping[str, Any] | None = None) -> None:
        """Take a mapping over, deeply frozen. Raises Foreign for what is no JSON."""
        self._members: dict[str, Any] = {
            key: freeze(value, (key,)) for key, value in _keyed(members or {}, ()).items()
        }
        self._hash: int | None = None

    def __getitem__(self, key: str) -> Any:
        return self._members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __eq__(self, other: object) -> bool:
        return same(self, other) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hashed(self)
        return self._hash

    def __repr__(self) -> str:
        return f"FrozenMap({self._members!r})"

    def __copy__(self) -> FrozenMap:
        return self

    def __deepcopy__(self, memo: object) -> FrozenMap:
        return self

    def __reduce__(self) -> tuple[type[FrozenMap], tuple[dict[str, Any]]]:
        return FrozenMap, (self._members,)


def freeze(value: object, path: Path = ()) -> Any:
    """Return the value with every object and array in it made immutable. Raises Foreign."""
    if isinstance(value, FrozenMap):
        return value
    if isinstance(value, Mapping | list | tuple) and len(path) >= DEEPEST:
        raise TooDeep(f"the value is nested deeper than {DEEPEST} levels", path)
    if isinstance(value, Mapping):
        frozen = FrozenMap()
        frozen._members = {key: freeze(item, (*path, key)) for key, item in _keyed(value, path).items()}
        return frozen
    if isinstance(value, list | tuple):
        return tuple(freeze(item, (*path, index)) for index, item in enumerate(value))
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise Foreign(f"{value} is no JSON number", path)
    raise Foreign(f"a value of type {type(value).__name__} is no JSON", path)


def thaw(value: Any) -> Any:
    """Return a frozen value as dicts and lists that belong to the caller."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [thaw(item) for item in value]
    return value


def same(one: object, other: object) -> bool:
    """Return whether two values are the same JSON."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool) or not _both_numbers(one, other):
        return type(one) is type(other) and one == other
    return number(one) == number(other)


def number(value: Any) -> int | float:
    """Return a number as it is compared: as a double, or exactly where it is beyond the doubles."""
    try:
        return float(value)
    except OverflowError:
        return int(value)


def _both_numbers(one: object, other: object) -> bool:
    return isinstance(one, int | float) and isinstance(other, int | float)


def hashed(value: Any) -> int:
    """Return a hash that is the same for what is the same JSON."""
    if isinstance(value, Mapping):
        return hash(frozenset((key, hashed(item)) for key, item in value.items()))
    if isinstance(value, tuple | list):
        return hash(tuple(hashed(item) for item in value))
    return hash(number(value)) if isinstance(value, int | float) else hash(value)


def _keyed(value: Mapping[Any, Any], path: Path) -> Mapping[str, Any]:
    for key in value:
        if not isinstance(key, str):
            raise Foreign(f"a key of type {type(key).__name__} is no JSON", path)
    return value


EMPTY = FrozenMap()
"""The object without members."""
