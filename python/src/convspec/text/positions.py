"""Where things stand: JSON Pointer to bytes, and bytes to lines and columns.

Runs only for what has findings. Both ways take one pass however many places are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from convspec.findings import Path, Span
from convspec.text import tokens


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file: line and column from 1, column in code points."""

    line: int
    column: int


def locate(data: bytes, paths: Iterable[Path], start: int = 0) -> dict[Path, Span]:
    """Return the bytes of the values that `paths` name in the sound JSON value at `start`.

    Of an object or array only the opening bracket is given. Paths that name nothing are left out.
    Values that no path leads into are skipped bracket by bracket. Where an object names a key
    twice, the last one counts.
    """
    wanted = _Wanted.of(paths)
    found: dict[Path, Span] = {}
    work: list[tuple[_Wanted, Path, int]] = [(wanted, (), _space(data, start))]
    while work:
        node, path, begin = work.pop()
        if node.asked:
            end = begin + 1 if data[begin : begin + 1] in (b"{", b"[") else _value_end(data, begin)
            found[path] = Span(begin, end)
        if node.below:
            members = _members(data, begin, node.below)
            work.extend((node.below[key], (*path, key), at) for key, at in members.items())
    return found


class _Wanted:
    """The paths asked for, as a tree."""

    __slots__ = ("asked", "below")

    def __init__(self) -> None:
        self.asked = False
        self.below: dict[str | int, _Wanted] = {}

    @classmethod
    def of(cls, paths: Iterable[Path]) -> _Wanted:
        root = cls()
        for path in paths:
            node = root
            for token in path:
                below = node.below.get(token)
                if below is None:
                    below = node.below[token] = cls()
                node = below
            node.asked = True
        return root


def _members(data: bytes, begin: int, wanted: dict[str | int, Any]) -> dict[str | int, int]:
    """Return where the values of the wanted members begin."""
    return {part.key: part.value for part in parts(data, begin) if part.key in wanted}


@dataclass(frozen=True, slots=True)
class Part:
    """A member of an object or an item of an array: where it begins, and its value begins and ends."""

    key: str | int
    start: int
    value: int
    end: int


def parts(data: bytes, begin: int) -> Iterator[Part]:
    """Yield the members or items of the sound JSON value at `begin`, in order; a scalar has none."""
    opener = data[begin : begin + 1]
    if opener not in (b"{", b"["):
        return
    position, index = _space(data, begin + 1), 0
    if data[position : position + 1] in (b"}", b"]"):
        return
    while True:
        start = position
        key: str | int = index
        if opener == b"{":
            end = _string_end(data, position)
            key = _decoded(data[position:end])
            position = _space(data, _space(data, end) + 1)
        value_end = _value_end(data, position)
        yield Part(key, start, position, value_end)
        position = _space(data, value_end)
        if data[position : position + 1] != b",":
            return
        position, index = _space(data, position + 1), index + 1


def _decoded(token: bytes) -> str:
    if b"\\" not in token:
        return token[1:-1].decode()
    text: str = json.loads(token)
    return text


def _space(data: bytes, position: int) -> int:
    match = tokens.SPACE.match(data, position)
    assert match is not None
    return match.end()


def _string_end(data: bytes, position: int) -> int:
    match = tokens.STRING.match(data, position)
    assert match is not None
    return match.end() + 1


def _value_end(data: bytes, position: int) -> int:
    first = data[position : position + 1]
    if first == b'"':
        return _string_end(data, position)
    if first not in (b"{", b"["):
        match = tokens.SCALAR.match(data, position)
        assert match is not None
        return match.end()
    depth = 0
    while True:
        match = tokens.SKIP.match(data, position)
        assert match is not None
        position = match.end()
        depth += 1 if data[position : position + 1] in (b"{", b"[") else -1
        position += 1
        if depth == 0:
            return position


def line_columns(data: bytes, offsets: Iterable[int]) -> dict[int, Position]:
    """Return line and column of each byte offset.

    Only LF ends a line. A byte that is no UTF-8 counts as one code point. One pass: the columns of
    many offsets on one long line are counted from one to the next.
    """
    positions: dict[int, Position] = {}
    line, column, at = 1, 1, 0
    for offset in sorted(set(offsets)):
        newlines = data.count(b"\n", at, offset)
        if newlines:
            line += newlines
            at = data.rindex(b"\n", at, offset) + 1
            column = 1
        column += len(data[at:offset].decode("utf-8", "surrogateescape"))
        at = offset
        positions[offset] = Position(line, column)
    return positions
