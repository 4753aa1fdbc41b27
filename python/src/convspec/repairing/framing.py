"""The lines of a damaged log as rows with one record each; what belongs to none is dropped.

All of it is safe: readers read these records, and no more, from the damaged lines too
(session.md, section 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from convspec.repairing.steps import Journal, Step
from convspec.text.lines import Line, Value, read_line
from convspec.text.tokens import BOM

_NAMES = {"line-nul": "drop-fragment", "line-torn": "drop-tail", "line-spliced": "drop-fragment"}
_NULS = re.compile(rb"\0+")
_SPACE = b" \t\r\n"


@dataclass(slots=True)
class Row:
    """A line of the repaired log, with its line feed, and where it comes from.

    `line` is None for a row that was not there. `kept`: the rejected bytes hold it as it was.
    """

    data: bytes
    line: int | None
    record: int | None = None
    kept: bool = False


def framed(lines: Iterable[bytes], *, unsafe: bool, journal: Journal | None) -> Iterator[Row]:
    """Yield the rows of a log, and take down what was done where there is a journal."""
    journal = journal or Journal()
    for number, line in enumerate(lines, 1):
        start = len(BOM) if number == 1 and line.startswith(BOM) else 0
        if start:
            journal.add(Step("remove-mark", "encoding-bom", "the byte order mark is removed", 1))
        yield from _rows(line, start, number, unsafe, journal)


def _rows(line: bytes, start: int, number: int, unsafe: bool, journal: Journal) -> Iterator[Row]:
    read = read_line(line, start=start)
    kept = False
    if unsafe and any(fault.rule == "encoding-utf8" for fault in read.faults):
        mended = line.decode("utf-8", "replace").encode()
        again = read_line(mended, start=start)
        if not again.gaps and all(isinstance(value.value, dict) for value in again.values):
            message = "U+FFFD takes the place of bytes that are not UTF-8"
            journal.add(Step("replace-bytes", "encoding-utf8", message, number), line.strip(_SPACE))
            line, read, kept = mended, again, True
    if _is_whole(line, read):
        yield Row(line[start:], number, None, kept)
        return
    yield from _parted(line, start, number, read, kept, journal)


def _is_whole(line: bytes, read: Line) -> bool:
    """Say whether a line is one record or blank, and nothing is wrong with its framing."""
    if read.gaps or len(read.values) > 1 or b"\0" in line:
        return False
    if not read.values:
        return True
    return isinstance(read.values[0].value, dict) and line.endswith(b"\n")


def _parted(line: bytes, start: int, number: int, read: Line, kept: bool, journal: Journal) -> Iterator[Row]:
    rules = [fault.rule for fault in read.faults if fault.rule not in ("line-glued", "line-unterminated")]
    rule = next((rule for rule in rules if rule != "line-ending"), "")
    if rule == "line-nul":
        count = line.count(b"\0")
        journal.add(Step("drop-nuls", rule, f"{count:,} NUL bytes are dropped", number))
    _mend_breaks(line, number, read.values, rules, journal)
    several, at = len(read.values) > 1, start
    for count, value in enumerate(read.values, 1):
        _drop(line[at : value.start], rule, number, journal)
        at = value.end
        if isinstance(value.value, dict):
            yield Row(line[value.start : value.end] + b"\n", number, count if several else None, kept)
        else:
            message = "a value that is no object is dropped"
            step = Step("drop-value", "line-not-object", message, number, count if several else None)
            journal.add(step, line[value.start : value.end])
    _drop(line[at:], rule, number, journal)


def _drop(piece: bytes, rule: str, number: int, journal: Journal) -> None:
    for part in _NULS.split(piece):
        dropped = part.strip(_SPACE)
        if dropped:
            name = _NAMES.get(rule, "drop-unreadable")
            what = "the rest of a record" if name != "drop-unreadable" else "what cannot be read"
            message = f"{what} is dropped: {len(dropped):,} bytes"
            journal.add(Step(name, rule, message, number), dropped)


def _mend_breaks(
    line: bytes, number: int, values: tuple[Value, ...], rules: list[str], journal: Journal
) -> None:
    records = sum(isinstance(value.value, dict) for value in values)
    if records > 1 and not rules:
        message = f"{records:,} records stand on lines of their own"
        journal.add(Step("split-records", "line-glued", message, number))
    if records and not line.endswith(b"\n"):
        journal.add(Step("end-line", "line-unterminated", "the last line is ended", number))
