"""A document that was cut off: where it can be closed, behind its last whole message."""

from __future__ import annotations

from convspec.text import tokens
from convspec.text.scanner import Fatal, Scanner
from convspec.text.utf8 import first_bad_byte


def closed(data: bytes, start: int = 0) -> tuple[int, bytes] | None:
    """Return where to cut a history that ends too early, and what closes it there; None where nothing does.

    It is None too where no message is whole: nothing would be saved.
    """
    bad = first_bad_byte(data, start)
    if bad is not None:
        data = data[: bad[0].start]
    position = _behind(data, start, b"{")
    messages = False
    end: int | None = None
    while position is not None:
        try:
            key, position = _value(data, position)
            colon = _behind(data, position, b":")
            if not isinstance(key, str) or colon is None:
                break
            opened = _behind(data, colon, b"[") if key == "messages" else None
            if opened is not None:
                last, begun = _items(data, opened)
                if last is None:
                    return None
                messages = True
                if begun is None:
                    return last, b"]}"
                position = begun
            else:
                _, position = _value(data, colon)
            end = position
        except Fatal:
            break
        position = _behind(data, position, b",")
    return (end, b"}") if messages and end is not None else None


def _items(data: bytes, position: int) -> tuple[int | None, int | None]:
    """Return where the last whole item of an array ends, and where the array does, if it does."""
    last: int | None = None
    if (behind := _behind(data, position, b"]")) is not None:
        return position, behind
    while True:
        try:
            _, position = _value(data, position)
        except Fatal:
            return last, None
        last = position
        if (behind := _behind(data, position, b"]")) is not None:
            return last, behind
        comma = _behind(data, position, b",")
        if comma is None:
            return last, None
        position = comma


def _value(data: bytes, position: int) -> tuple[object, int]:
    scanner = Scanner(data, position)
    value = scanner.value()
    return value, scanner.position


def _behind(data: bytes, position: int, byte: bytes) -> int | None:
    """Return the place behind `byte`, if it comes next."""
    space = tokens.SPACE.match(data, position)
    assert space is not None
    at = space.end()
    return at + 1 if data[at : at + 1] == byte else None
