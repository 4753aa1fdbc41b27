"""From faults to a report: the one gate through which every fault passes.

Here a fault gets its weight from the catalogue, its place in the file, and its fingerprint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from convspec.findings import Fault, FileReport, Finding, Mention, Related, Severity, Verdict
from convspec.places import At, DocumentPlaces, LogPlaces, Places
from convspec.pointers import bounded, to_pointer
from convspec.rules import severity_of

UNREADABLE = frozenset(("file-unreadable", "format-unrecognised"))


def weighed(
    faults: Iterable[Fault], *, format: str | None, data: bytes = b"", start: int = 0
) -> tuple[Finding, ...]:
    """Return the findings of a document in file order. `start` is where it begins in `data`."""
    kept = [_bounded(fault) for fault in faults]
    return _findings(kept, format, DocumentPlaces(_with_mentions(kept), data, start))


def weighed_log(
    faults: Iterable[Fault], *, format: str, line_at: Callable[[int], bytes]
) -> tuple[Finding, ...]:
    """Return the findings of a log in file order. `line_at` reads the line at an offset again."""
    kept = [_bounded(fault) for fault in faults]
    return _findings(kept, format, LogPlaces(_with_mentions(kept), line_at))


def _with_mentions(faults: list[Fault]) -> list[Fault | Mention]:
    return [*faults, *(mention for fault in faults for mention in fault.related)]


def _findings(faults: list[Fault], format: str | None, places: Places) -> tuple[Finding, ...]:
    located = sorted((_Located(fault, places.of(fault)) for fault in faults), key=_Located.order)
    fingerprints = _Fingerprints()
    return tuple(_finding(one, format, places, fingerprints) for one in located)


def report(
    path: str,
    findings: tuple[Finding, ...],
    *,
    format: str | None,
    version: int | None,
    tally: Mapping[str, int] | None,
    reading: Mapping[str, Any] | None = None,
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
    return FileReport(path, format, version, verdict, findings, counted, reading)


class _Located:
    """A fault with its place and pointer."""

    __slots__ = ("at", "fault", "pointer")

    def __init__(self, fault: Fault, at: At | None) -> None:
        self.fault = fault
        self.at = at
        self.pointer = None if fault.path is None else to_pointer(fault.path)

    def order(self) -> tuple[int, int, str, str, str, str]:
        line, column = (0, 0) if self.at is None else (self.at.line, self.at.column)
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
            below = place if fault.spot is not None else "/".join(place.split("/")[3:])
            place = fault.record_id + "\0" + below
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


def _finding(located: _Located, format: str | None, places: Places, fingerprints: _Fingerprints) -> Finding:
    fault, at = located.fault, located.at
    return Finding(
        rule=fault.rule,
        severity=severity_of(fault.rule, format),
        message=fault.message,
        line=None if at is None else at.line,
        column=None if at is None else at.column,
        end_column=None if at is None else at.end_column,
        offset=None if at is None else at.offset,
        pointer=located.pointer,
        record=None if fault.spot is None else fault.spot.record,
        record_id=fault.record_id,
        member=fault.member,
        target=fault.target,
        related=tuple(_related(mention, places) for mention in fault.related),
        fingerprint=fingerprints.of(fault, located.pointer),
    )


def _related(mention: Mention, places: Places) -> Related:
    at = places.of(mention)
    line = None if at is None else at.line
    return Related(line, to_pointer(bounded(mention.path)), mention.message)
