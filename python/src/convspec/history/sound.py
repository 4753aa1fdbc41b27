"""A history as the later layers see it: only what the schema passed is judged further.

A rule is not judged on a member that carries a schema finding; the sound parts of the same object
still serve the others (history.md#layers).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from convspec.findings import Path
from convspec.schemas import Violation

MESSAGES = "messages"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call whose id can be read."""

    id: str
    path: Path


@dataclass(frozen=True, slots=True)
class Turn:
    """What a message says about calls and results.

    `calls_unread`: it may have made calls that could not be read. `result_unread`: it may have
    answered a call, but which could not be read. `ends_run`: it is neither a result nor a message
    that may be one, so no answer behind it follows its call directly.
    """

    path: Path
    calls: tuple[Call, ...] = ()
    result: str | None = None
    calls_unread: bool = False
    result_unread: bool = False
    ends_run: bool = True


class Sound:
    """A decoded history with the places that the schema objected to."""

    def __init__(self, document: dict[str, Any], violations: Iterable[Violation]) -> None:
        self._bad = frozenset(
            (*violation.path, violation.member) if violation.member else violation.path
            for violation in violations
        )
        listed = document.get(MESSAGES)
        self._listed: list[Any] = listed if isinstance(listed, list) else []

    def names_lost(self) -> bool:
        """Say whether a schema finding hides what some attachment names as its file."""
        return any(_hides_a_file(path) for path in self._bad)

    def is_bad(self, *path: str | int) -> bool:
        """Say whether this very place carries a schema finding."""
        return bool(self._bad) and path in self._bad

    def messages(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield index and value of every message that is an object."""
        for index, message in enumerate(self._listed):
            if isinstance(message, dict):
                yield index, message

    def text(self, holder: dict[str, Any], key: str, *path: str | int) -> str | None:
        """Return a member of the object at `path` if it is a sound string, else None."""
        value = holder.get(key)
        return value if isinstance(value, str) and not self.is_bad(*path, key) else None

    def attachments(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield path and value of every attachment that is an object."""
        for index, message in self.messages():
            for place, item in enumerate(_items(message, "attachments")):
                if isinstance(item, dict):
                    yield (MESSAGES, index, "attachments", place), item

    def calls(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield path and value of every tool call that is an object."""
        for index, message in self.messages():
            for place, item in enumerate(_items(message, "tool_calls")):
                if isinstance(item, dict):
                    yield (MESSAGES, index, "tool_calls", place), item

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Every message in the list as a turn (history.md#gaps)."""
        return tuple(
            self._turn((MESSAGES, index), message)
            if isinstance(message, dict)
            else Turn((MESSAGES, index), calls_unread=True, result_unread=True, ends_run=False)
            for index, message in enumerate(self._listed)
        )

    def _turn(self, path: Path, message: dict[str, Any]) -> Turn:
        calls, unread = self._calls(path, message)
        role = message.get("role")
        result = None
        result_unread = self.is_bad(*path, "role")
        if role == "tool":
            result = self.text(message, "tool_call_id", *path)
            result_unread = result is None
        return Turn(path, calls, result, unread, result_unread, role != "tool" and not result_unread)

    def _calls(self, path: Path, message: dict[str, Any]) -> tuple[tuple[Call, ...], bool]:
        listed = _items(message, "tool_calls")
        if not listed and not self._bad:
            return (), False
        base = (*path, "tool_calls")
        if self.is_bad(*base):
            return (), True
        found = []
        for place, item in enumerate(listed):
            id = self.text(item, "id", *base, place) if isinstance(item, dict) else None
            if id is not None:
                found.append(Call(id, (*base, place)))
        return tuple(found), len(found) < len(listed)


def _hides_a_file(path: Path) -> bool:
    if len(path) < 4:
        return path == (MESSAGES,) or len(path) == 2 or path[2:] == ("attachments",)
    return path[2] == "attachments" and path[4:] in ((), ("file",))


def _items(message: dict[str, Any], key: str) -> list[Any]:
    value = message.get(key)
    return value if isinstance(value, list) else []
