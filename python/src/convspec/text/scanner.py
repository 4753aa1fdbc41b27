"""Read JSON strictly and say exactly what is wrong with it, without recursion.

This is the slow, explaining way; `strict_json` takes it only where the fast parser refuses.
It reads bytes already known to be UTF-8.
"""

from __future__ import annotations

import json
import math
import re
import sys
from dataclasses import dataclass, field
from typing import Any

from convspec.findings import Fault, Mention, Path, Span
from convspec.pointers import bounded, describe, to_pointer
from convspec.text import tokens

DEEPEST = 100
"""Levels of nesting allowed (history.md#depth)."""

EXACT = 2**53 - 1
"""The largest integer that every reader holds exactly (history.md#numbers)."""

_LONGEST_INTEGER = 4300  # reading a longer one takes quadratic time, and Python refuses it
ALWAYS_READ = sys.int_info.str_digits_check_threshold
"""Digits of an integer that are always read: no limit can be set below it."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_LITERALS = {b"t": (b"true", True), b"f": (b"false", False), b"n": (b"null", None)}
_NON_FINITE = (b"NaN", b"Infinity", b"-Infinity")
_OPENERS = {b"{": dict, b"[": list}


def _longest_integer() -> int:
    """Return how much of an integer is read: where the program set a lower limit, that."""
    return min(_LONGEST_INTEGER, sys.get_int_max_str_digits() or _LONGEST_INTEGER)


class Fatal(Exception):
    """No value can be read; carries the one fault that says why."""

    def __init__(self, fault: Fault, *, in_string: bool = False) -> None:
        self.fault = fault
        self.in_string = in_string
        super().__init__(fault.rule)


@dataclass(slots=True)
class _Frame:
    """An object or array that is being read."""

    value: Any
    begin: int
    key: str = ""
    key_spans: dict[str, Span] = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)

    def add(self, value: Any) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        else:
            self.value[self.key] = value


class Scanner:
    """Reads one JSON value from `data` and collects the faults that leave it standing."""

    def __init__(self, data: bytes, position: int) -> None:
        self.data = data
        self.position = position
        self.faults: list[Fault] = []
        self._stack: list[_Frame] = []
        self._closed = Span(-1, -1)

    def value(self) -> Any:
        """Return the value that begins at the position. Raises Fatal."""
        while True:
            self._skip_space()
            opener = _OPENERS.get(self.data[self.position : self.position + 1])
            if opener is None:
                value = self._scalar()
            else:
                self._open(opener())
                if not self._begins_empty():
                    continue
                value = self._close()
            while self._stack:
                self._stack[-1].add(value)
                if self._goes_on():
                    break
                value = self._close()
            else:
                return value

    def closed_before(self, position: int) -> int | None:
        """Return where the object begins that closed last, with only white space up to `position`."""
        if self._closed.end < 0 or self._closed.end > position:
            return None
        space = tokens.SPACE.match(self.data, self._closed.end)
        return self._closed.start if space is not None and space.end() == position else None

    # Structure

    def _open(self, value: Any) -> None:
        if len(self._stack) == DEEPEST:
            raise Fatal(
                Fault(
                    "json-depth",
                    f"nested deeper than {DEEPEST} levels",
                    span=Span(self.position, self.position + 1),
                )
            )
        self._stack.append(_Frame(value, self.position))
        self.position += 1

    def _close(self) -> Any:
        frame = self._stack.pop()
        if isinstance(frame.value, dict):
            self._closed = Span(frame.begin, self.position)
        return frame.value

    def _begins_empty(self) -> bool:
        """Behind an opening bracket: close at once, or stand before the first value."""
        self._skip_space()
        frame = self._stack[-1]
        if self._at(b"]" if isinstance(frame.value, list) else b"}"):
            return True
        if isinstance(frame.value, dict):
            self._key(frame)
        return False

    def _goes_on(self) -> bool:
        """Behind a value: stand before the next one, or close."""
        self._skip_space()
        frame = self._stack[-1]
        is_list = isinstance(frame.value, list)
        if self._at(b","):
            if not is_list:
                self._skip_space()
                self._key(frame)
            return True
        if self._at(b"]" if is_list else b"}"):
            return False
        raise self._impossible(self.position, "a comma or a closing bracket")

    def _key(self, frame: _Frame) -> None:
        if self.data[self.position : self.position + 1] != b'"':
            raise self._impossible(self.position, "a key in double quotes")
        begin = self.position
        holder = self._path(len(self._stack) - 1)
        key = self._string(holder)
        span = Span(begin, self.position)
        if key not in frame.key_spans:
            frame.key_spans[key] = span
        elif key not in frame.repeated:
            frame.repeated.add(key)
            first = Mention((*holder, key), "first used here", frame.key_spans[key])
            self._fault(
                "json-duplicate-key", "this key is in the object already", (*holder, key), span, first
            )
        frame.key = key
        self._skip_space()
        if not self._at(b":"):
            raise self._impossible(self.position, "a colon")

    def _path(self, levels: int | None = None) -> Path:
        """Return the path of the value being read, or of the container `levels` deep."""
        frames = self._stack if levels is None else self._stack[:levels]
        return tuple(len(frame.value) if isinstance(frame.value, list) else frame.key for frame in frames)

    # Scalars

    def _scalar(self) -> Any:
        first = self.data[self.position : self.position + 1]
        if first == b'"':
            return self._string(None)
        if first in _LITERALS:
            return self._literal(*_LITERALS[first])
        for word in _NON_FINITE:
            if self.data.startswith(word, self.position):
                raise self._non_finite(self.position + len(word), f"{word.decode()} is not a JSON number")
        if first == b"-" or first.isdigit():
            return self._number()
        raise self._impossible(self.position, "a value")

    def _literal(self, word: bytes, value: Any) -> Any:
        for index, byte in enumerate(word):
            if self.data[self.position + index : self.position + index + 1] != bytes([byte]):
                raise self._impossible(self.position + index, f"the word {word.decode()}")
        self.position += len(word)
        return value

    def _number(self) -> Any:
        begin, match = self.position, tokens.NUMBER.match(self.data, self.position)
        if match is None:
            raise self._impossible(begin + 1, "a digit")
        end = match.end()
        behind = self.data[end : end + 2]
        if match["exponent"] is None and behind[:1] in (b"e", b"E"):
            signed = behind[1:] in (b"+", b"-")
            raise self._impossible(end + 1 + signed, "a digit")
        if match["exponent"] is None and match["fraction"] is None and behind[:1] == b".":
            raise self._impossible(end + 1, "a digit")
        self.position = end
        if match["fraction"] is None and match["exponent"] is None:
            read = end if end - begin <= ALWAYS_READ else min(end, begin + _longest_integer())
            number = int(self.data[begin:read])
            if abs(number) > EXACT:
                self._fault(
                    "json-number-precision",
                    "this integer is outside ±(2^53 − 1): readers round it",
                    self._path(),
                    Span(begin, end),
                )
            return number
        real = float(self.data[begin:end])
        if math.isinf(real):
            self.position = begin
            raise self._non_finite(end, "this number is beyond the range of a double")
        return real

    def _string(self, holder: Path | None) -> str:
        """Read a string; `holder` is the object's path where it is a key."""
        begin = self.position
        match = tokens.STRING.match(self.data, begin)
        assert match is not None
        end = match.end()
        if self.data[end : end + 1] != b'"':
            raise self._broken_string(end)
        self.position = end + 1
        token = self.data[begin : end + 1]
        if b"\\" not in token:
            return token[1:-1].decode()
        text: str = json.loads(token)
        span = Span(begin, end + 1)
        where = self._path() if holder is None else holder
        if "\0" in text:
            self._fault("text-nul", "a string holds the character U+0000", where, span)
        if _SURROGATE.search(text):
            self._fault("text-surrogate", "a string holds half of a surrogate pair", where, span)
        return text

    # Faults

    def _fault(self, rule: str, message: str, path: Path, span: Span, *related: Mention) -> None:
        self.faults.append(Fault(rule, message, bounded(path), span, related=related))

    def _where(self) -> str:
        """Name the message or so that was being read, in words behind a comma."""
        place = describe(to_pointer(self._path()))
        return f", in {place}" if place else ""

    def _non_finite(self, end: int, message: str) -> Fatal:
        return Fatal(Fault("json-non-finite", message, span=Span(self.position, end)))

    def _broken_string(self, end: int) -> Fatal:
        if end == len(self.data) or tokens.ESCAPED_PREFIX.match(self.data, end):
            return self._truncated(f"the document ends inside a string{self._where()}", in_string=True)
        if self.data[end : end + 1] != b"\\":
            return self._impossible(end, "an escape such as \\n in place of a raw control character")
        digits = tokens.HEX_PREFIX.match(self.data, end)
        if digits is None:
            return self._impossible(end + 1, "a legal escape behind the backslash")
        return self._impossible(digits.end(), "four hexadecimal digits behind \\u")

    def _impossible(self, offset: int, wanted: str) -> Fatal:
        if offset >= len(self.data):
            return self._truncated(f"the document ends before it is complete{self._where()}")
        return Fatal(
            Fault("json-syntax", f"not JSON: expected {wanted}{self._where()}", span=Span(offset, offset + 1))
        )

    def _truncated(self, message: str, *, in_string: bool = False) -> Fatal:
        end = len(self.data.rstrip(b" \t\r\n")) if not in_string else len(self.data)
        return Fatal(Fault("json-truncated", message, span=Span(end, end)), in_string=in_string)

    # Bytes

    def _skip_space(self) -> None:
        match = tokens.SPACE.match(self.data, self.position)
        assert match is not None
        self.position = match.end()

    def _at(self, byte: bytes) -> bool:
        """Step over `byte` if it stands here."""
        if self.data[self.position : self.position + 1] != byte:
            return False
        self.position += 1
        return True
