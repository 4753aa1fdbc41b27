"""Which findings a run wants to hear of, and how heavy they are to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from convspec.findings import FileReport, Finding, Severity
from convspec.weigh import UNREADABLE, report


@dataclass(frozen=True, slots=True)
class Selection:
    """Rules selected (all where empty), ignored, and weighed otherwise. Verdicts follow."""

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    error: frozenset[str] = frozenset()
    warn: frozenset[str] = frozenset()

    def apply(self, given: FileReport) -> FileReport:
        """Return the report as this run wants it. What made a file unreadable always stays."""
        if self == Selection():
            return given
        findings = tuple(self._weighed(finding) for finding in given.findings if self._wanted(finding))
        return report(
            given.path,
            findings,
            format=given.format,
            version=given.format_version,
            tally=given.tally,
            unsupported=given.verdict == "unsupported",
        )

    def _wanted(self, finding: Finding) -> bool:
        if finding.rule in UNREADABLE:
            return True
        return finding.rule not in self.ignore and (not self.select or finding.rule in self.select)

    def _weighed(self, finding: Finding) -> Finding:
        if finding.rule in self.error:
            return replace(finding, severity=Severity.ERROR)
        if finding.rule in self.warn:
            return replace(finding, severity=Severity.WARNING)
        return finding


def foremost(findings: Sequence[Finding], *, infos: bool, limit: int) -> list[int]:
    """Return the indexes of the findings a person is shown: the heaviest first, then in file order."""
    heaviest = list(Severity)
    wanted = [i for i, finding in enumerate(findings) if infos or finding.severity is not Severity.INFO]
    wanted.sort(key=lambda index: heaviest.index(findings[index].severity))
    return wanted[:limit]
