"""What a check says: faults, findings and the report on one file. Frozen values, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Path = tuple[str | int, ...]
"""A place in a JSON value: member names and list indexes from the root, `()` being the root."""


class Severity(StrEnum):
    """The weight of a finding, heaviest first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def weight(self) -> int:
        """0 for the heaviest, and so on."""
        return list(Severity).index(self)


class Verdict(StrEnum):
    """What is said of a whole file (history.md#verdict)."""

    VALID = "valid"
    INVALID = "invalid"
    UNSUPPORTED = "unsupported"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes of a file: offsets from its start, `end` exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a record of a log stands: its line, the offset of the line, and its own offset in it.

    `record` counts the values of a line that holds several, from 1.
    """

    line: int
    line_offset: int
    start: int
    record: int | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A further place that belongs to a fault, such as the first use of a repeated id."""

    path: Path
    message: str
    span: Span | None = None
    spot: Spot | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule broken at a place, before it is weighed and located.

    `path` is None where the rule names no place in the document; `span` is given where the bytes
    are known already, and found from `path` otherwise. In a log `spot` says which record or line it
    is about; spans then count from the start of the line.
    """

    rule: str
    message: str
    path: Path | None = None
    span: Span | None = None
    record_id: str | None = None
    member: str | None = None
    target: str | None = None
    related: tuple[Mention, ...] = ()
    spot: Spot | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """A further place of a finding."""

    line: int | None
    pointer: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, weighed and located.

    Lines and columns count from 1, columns in code points, `end_column` is exclusive; `offset` is
    in bytes from the start of the file; `pointer` is a JSON Pointer (RFC 6901).
    """

    rule: str
    severity: Severity
    message: str
    line: int | None = None
    column: int | None = None
    end_column: int | None = None
    offset: int | None = None
    pointer: str | None = None
    record: int | None = None
    record_id: str | None = None
    member: str | None = None
    target: str | None = None
    related: tuple[Related, ...] = ()
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """Findings of a file by weight."""

    errors: int = 0
    warnings: int = 0
    infos: int = 0


@dataclass(frozen=True, slots=True)
class FileReport:
    """All that a check says of one file (schema/report/1.0).

    `format` and `format_version` are None where unknown, `tally` where the file was not read.
    `reading` is what a reader makes of a log (session.md, section 7), in the form in which cases state
    it; it may hold what was said, and is no part of the JSON report.
    """

    path: str
    format: str | None
    format_version: int | None
    verdict: Verdict
    findings: tuple[Finding, ...]
    tally: Mapping[str, int] | None
    reading: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def counts(self) -> Counts:
        """How many findings there are of each weight."""
        severities = [finding.severity for finding in self.findings]
        return Counts(
            severities.count(Severity.ERROR),
            severities.count(Severity.WARNING),
            severities.count(Severity.INFO),
        )

    @property
    def valid(self) -> bool:
        """True where the verdict is `valid`."""
        return self.verdict is Verdict.VALID
