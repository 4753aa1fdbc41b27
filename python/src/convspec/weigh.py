"""From faults to a report: the one gate through which every fault passes.

Here a fault gets its weight from the catalogue, its place in the file, and its fingerprint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from convspec.findings import (
    Fault,
    FileReport,
    Finding,
    Mention,
    Path,
    Related,
    Severity,
    Span,
    Verdict,
)
from convspec.pointers import bounded, to_pointer
from convspec.rules import severity_of
from convspec.text.positions import Position, line_columns, locate

UNREADABLE = frozenset(("file-unreadable", "format-unrecognised"))


def weighed(
    faults: Iterable[Fault], *, format: str | None, data: bytes = b"", start: int = 0
) -> tuple[Finding, ...]:
    """Return the findings in file order. `start` is where the document begins in `data`."""
    kept = [_bounded(fault) for fault in faults]
    places: list[Fault | Mention] = [*kept, *(mention for fault in kept for mention in fault.related)]
    wanted = {place.path for place in places if place.span is None and place.path is not None}
    found = locate(data, wanted, start) if wanted and data else {}
    spans = [*found.values(), *(place.span for place in places if place.span is not None)]
    placed = _Placed(found, line_columns(data, (at for span in spans for at in (span.start, span.end))))
    located = sorted((_Located(fault, placed.of(fault)) for fault in kept), key=_Located.order)
    fingerprints = _Fingerprints()
    return tuple(_finding(one, format, placed, fingerprints) for one in located)


def report(
    path: str,
    findings: tuple[Finding, ...],
    *,
    format: str | None,
    version: int | None,
    tally: Mapping[str, int] | None,
    unsupported: bool = False,
) -> FileReport:
    """Put a report together; the verdict is the first that holds (history.md#verdict)."""
    verdict = Verdict.VALID
    if any(finding.rule in UNREADABLE for finding in findings):
        verdict = Verdict.UNREADABLE
    elif unsupported:
        verdict = Verdict.UNSUPPORTED
    elif any(finding.severity is Severity.ERROR for finding in findings):
        verdict = Verdict.INVALID
    counted = None if verdict in (Verdict.UNREADABLE, Verdict.UNSUPPORTED) else tally
    return FileReport(path, format, version, verdict, findings, counted)


_At = tuple[Span, Position, Position]


class _Placed:
    """Where faults stand: by their own span, else by their path."""

    def __init__(self, spans: dict[Path, Span], positions: dict[int, Position]) -> None:
        self._spans = spans
        self._positions = positions

    def of(self, place: Fault | Mention) -> _At | None:
        span = place.span or (None if place.path is None else self._spans.get(place.path))
        if span is None:
            return None
        return span, self._positions[span.start], self._positions[span.end]


class _Located:
    """A fault with its place and pointer."""

    __slots__ = ("at", "fault", "pointer")

    def __init__(self, fault: Fault, at: _At | None) -> None:
        self.fault = fault
        self.at = at
        self.pointer = None if fault.path is None else to_pointer(fault.path)

    def order(self) -> tuple[int, int, str, str, str, str]:
        line, column = (0, 0) if self.at is None else (self.at[1].line, self.at[1].column)
        fault = self.fault
        return line, column, fault.rule, self.pointer or "", fault.member or "", fault.target or ""


class _Fingerprints:
    """Gives each finding a name that stays when other parts of the file change.

    Inside a record it is made from the record's id and the place below the record.
    """

    def __init__(self) -> None:
        self._seen: dict[bytes, int] = {}

    def of(self, fault: Fault, pointer: str | None) -> str:
        place = pointer or ""
        if fault.record_id is not None:
            place = fault.record_id + "\0" + "/".join(place.split("/")[3:])
        parts = (fault.rule, place, fault.member or "", fault.target or "")
        name = "\0".join(parts).encode("utf-8", "replace")
        again = self._seen.get(name, 0)
        self._seen[name] = again + 1
        if again:
            name += b"\0%d" % again
        return hashlib.sha256(name).hexdigest()[:32]


def _bounded(fault: Fault) -> Fault:
    if fault.path is None or bounded(fault.path) == fault.path:
        return fault
    return replace(fault, path=bounded(fault.path), member=None)


def _finding(located: _Located, format: str | None, placed: _Placed, fingerprints: _Fingerprints) -> Finding:
    fault, at = located.fault, located.at
    line = column = end_column = offset = None
    if at is not None:
        span, begin, end = at
        line, column, offset = begin.line, begin.column, span.start
        end_column = end.column if end.line == begin.line else None
    return Finding(
        rule=fault.rule,
        severity=severity_of(fault.rule, format),
        message=fault.message,
        line=line,
        column=column,
        end_column=end_column,
        offset=offset,
        pointer=located.pointer,
        record_id=fault.record_id,
        member=fault.member,
        target=fault.target,
        related=tuple(_related(mention, placed) for mention in fault.related),
        fingerprint=fingerprints.of(fault, located.pointer),
    )


def _related(mention: Mention, placed: _Placed) -> Related:
    at = placed.of(mention)
    line = None if at is None else at[1].line
    return Related(line, to_pointer(bounded(mention.path)), mention.message)
