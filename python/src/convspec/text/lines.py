"""A line of a log: the values on it, and what is wrong with the line (session.md, section 1).

A line that is whole is one object. Crashes and careless writers leave others: a run of NULs, a torn
tail, two records glued together, a record behind a fragment. Every complete value is kept. The bytes
read stay below a small multiple of the line's length.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from convspec.findings import Fault, Span
from convspec.text import tokens
from convspec.text.scanner import Fatal, Scanner
from convspec.text.strict_json import MISSING, accept
from convspec.text.utf8 import first_bad_byte

_BLANK = re.compile(rb"[ \t\r\n]*+")
_NUL_RUN = re.compile(rb"\0+")
_CUT_TAIL = re.compile(rb"[\xc2-\xf4][\x80-\xbf]{0,2}\Z")
_OPENER = re.compile(rb'\{[ \t\r\n]*+["}]')  # a brace with anything else behind it opens no object
_ERRORS = "convspec.never"
_NEVER = b"\x01"  # a byte that stands nowhere in JSON; takes the place of one that is not UTF-8


@dataclass(frozen=True, slots=True)
class Value:
    """A complete value on a line: where it begins and ends, and the faults that leave it standing.

    Offsets are into the line; `end` is exclusive.
    """

    value: Any
    start: int
    end: int
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """What a line holds: its values, the faults of its framing, and where bytes gave no record."""

    values: tuple[Value, ...]
    faults: tuple[Fault, ...] = ()
    gaps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Failure:
    """A value that could not be read: its fault, where it begins, and where reading failed.

    `closed` is where an object in it begins that closed just before the failure.
    """

    fault: Fault
    start: int
    position: int
    closed: int | None


def read_line(line: bytes, *, start: int = 0) -> Line:
    """Read one line with its line end, from `start` on (behind a byte order mark). Never raises."""
    value = accept(line[start:] if start else line)
    ended = line.endswith(b"\n")
    if value is not MISSING and ended and isinstance(value, dict):
        return Line((Value(value, _skip(line, start), _text_end(line)),))
    if b"\0" in line:
        return _with_nuls(line, start)
    blank = _BLANK.match(line, start)
    if blank is not None and blank.end() == len(line):
        return Line((), (Fault("line-blank", "the line is blank", span=Span(start, start)),))
    return _framed(line, start, ended)


def _framed(line: bytes, start: int, ended: bool) -> Line:
    readable = _readable(line[:-1] if ended else line, start)
    values, failure = _values(readable, start)
    end = len(line.rstrip(b"\r\n"))
    faults: list[Fault] = []
    gaps: tuple[int, ...] = ()
    if failure is not None:
        behind = _splice(readable, failure)
        gaps = (failure.start,)
        if behind:
            values += behind
            message = "the rest of a torn record stands before this one"
            faults.append(Fault("line-spliced", message, span=Span(behind[0].start, behind[0].start + 1)))
        else:
            faults.append(_failed(line, readable, failure, ended=ended))
    elif len(values) > 1:
        message = f"{len(values)} values stand on one line; each is read"
        faults.append(Fault("line-glued", message, span=Span(values[1].start, values[1].start + 1)))
    objects = [isinstance(value.value, dict) for value in values]
    torn = any(fault.rule not in ("line-spliced", "line-glued") for fault in faults)
    if not ended and not torn and objects and all(objects):
        message = "the last line has no newline: what is appended next is glued to it"
        faults.append(Fault("line-unterminated", message, span=Span(end, end)))
    return Line(tuple(values), tuple(faults), gaps)


def _failed(line: bytes, readable: bytes, failure: _Failure, *, ended: bool) -> Fault:
    """Say why a value could not be read, where nothing could be saved behind it."""
    truncated = failure.fault.rule == "json-truncated"
    torn = None if ended else len(line) if truncated else _torn_inside_character(line, failure)
    if torn is not None:
        return Fault("line-torn", "the last line was cut off while it was written", span=Span(torn, torn))
    bad = first_bad_byte(line, failure.start) if readable != line.removesuffix(b"\n") else None
    if bad is not None:
        at = bad[0].start
        return Fault("encoding-utf8", "these bytes are not UTF-8", span=Span(at, at + 1))
    if truncated:
        end = len(line.rstrip(b"\r\n"))
        return Fault("json-syntax", "not JSON: the line ends before the record does", span=Span(end, end))
    return failure.fault


def _torn_inside_character(line: bytes, failure: _Failure) -> int | None:
    """Return where the character begins that a tear cut, if it is all that is wrong with the value."""
    cut = _CUT_TAIL.search(line)
    bad = first_bad_byte(cut[0]) if cut is not None else None
    if cut is None or cut.start() != failure.position or bad is None or not (bad[0].start == 0 and bad[1]):
        return None
    try:
        Scanner(line[: cut.start()], failure.start).value()
    except Fatal as fatal:
        return cut.start() if fatal.in_string else None
    return None


def _with_nuls(line: bytes, start: int) -> Line:
    """Read the pieces beside the NULs, each alone; what is left of them belongs to the damage."""
    first = line.index(b"\0", start)
    values: list[Value] = []
    at = start
    gaps: list[int] = []
    for run in [*_NUL_RUN.finditer(line, start), None]:
        gaps += [run.start()] if run is not None else []
        end = len(line) if run is None else run.start()
        values += _piece(line, at, end)
        at = end if run is None else run.end()
    run_length = len(_NUL_RUN.match(line, first)[0])  # type: ignore[index]
    message = f"{run_length:,} NUL byte{'s' if run_length > 1 else ''} in a row, as a crash leaves them"
    kept = tuple(value for value in values if isinstance(value.value, dict))
    return Line(kept, (Fault("line-nul", message, span=Span(first, first + run_length)),), tuple(gaps))


def _piece(line: bytes, start: int, end: int) -> Iterator[Value]:
    piece = _readable(line[start:end], 0)
    values, failure = _values(piece, 0)
    if failure is not None:
        values += _splice(piece, failure)
    for value in values:
        faults = tuple(_moved(fault, start) for fault in value.faults)
        yield Value(value.value, value.start + start, value.end + start, faults)


def _moved(fault: Fault, by: int) -> Fault:
    related = tuple(
        replace(mention, span=Span(mention.span.start + by, mention.span.end + by))
        if mention.span
        else mention
        for mention in fault.related
    )
    span = Span(fault.span.start + by, fault.span.end + by) if fault.span else None
    return replace(fault, span=span, related=related)


def _readable(line: bytes, start: int) -> bytes:
    """Replace what is not UTF-8 by a byte that JSON never holds, so that reading stops there."""
    return line if first_bad_byte(line, start) is None else line.decode("utf-8", _ERRORS).encode()


def _replaced(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return _NEVER.decode() * (error.end - error.start), error.end


codecs.register_error(_ERRORS, _replaced)


def _values(data: bytes, position: int) -> tuple[list[Value], _Failure | None]:
    """Read complete values from `position` to the end of the line, or to the first that fails."""
    values: list[Value] = []
    position = _skip(data, position)
    while position < len(data):
        scanner = Scanner(data, position)
        try:
            value = scanner.value()
        except Fatal as fatal:
            span = fatal.fault.span
            at = len(data) if span is None or fatal.fault.rule == "json-truncated" else span.start
            return values, _Failure(fatal.fault, position, at, scanner.closed_before(at))
        values.append(Value(value, position, scanner.position, tuple(scanner.faults)))
        position = _skip(data, scanner.position)
    return values, None


def _splice(data: bytes, failure: _Failure) -> list[Value]:
    """Return the complete values behind a failed one, from the first record on that reaches the end.

    A failed value may have swallowed the record's beginning, so three places are tried; then the
    search goes on from the next failure (session.md#spliced gives the steps).
    """
    first, failed = failure.start, failure
    while True:
        swallowed = failed.closed
        if swallowed is None:
            swallowed = _brace_before(data, failed.position, first)
        if swallowed is None:
            swallowed = _brace_before(data, failed.start, first)
        further = None
        ahead = _OPENER.search(data, failed.position)
        for place in (swallowed, ahead.start() if ahead is not None else None):
            if place is None or place == failed.start:
                continue
            values, stopped = _values(data, place)
            if stopped is None:
                records = (i for i, value in enumerate(values) if _is_record(value.value))
                return values[next(records, len(values)) :]
            if stopped.position > failed.position:
                further = stopped
                break
        if further is None:
            return []
        failed = further


def _brace_before(data: bytes, position: int, first: int) -> int | None:
    """Return a brace with nothing but white space and at most one quotation mark up to `position`."""
    at = _spaces_before(data, position)
    if data[at - 1 : at] == b'"':
        at = _spaces_before(data, at - 1)
    return at - 1 if at - 1 > first and data[at - 1 : at] == b"{" else None


def _spaces_before(data: bytes, position: int) -> int:
    while position > 0 and data[position - 1 : position] in (b" ", b"\t", b"\r", b"\n"):
        position -= 1
    return position


def _is_record(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("type"), str)
        and isinstance(value.get("timestamp"), str)
    )


def _text_end(line: bytes) -> int:
    """Return where the line's text ends; a copy of the line, as `rstrip` makes it, is not needed."""
    end = len(line)
    while end and line[end - 1] in b" \t\r\n":
        end -= 1
    return end


def _skip(data: bytes, position: int) -> int:
    space = tokens.SPACE.match(data, position)
    assert space is not None
    return space.end()
