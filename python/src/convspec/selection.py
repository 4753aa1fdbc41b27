"""Which findings a run wants to hear of, and how heavy they are to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from convspec.findings import FileReport, Finding, Severity
from convspec.weigh import UNREADABLE, report

FATAL = frozenset(("encoding-utf8", "json-syntax", "json-truncated", "json-depth", "json-non-finite"))
"""Rules whose finding says that there is no value to judge (history.md#json)."""

ENDING = UNREADABLE | FATAL | {"file-empty", "version-newer"}
"""Rules that end a check. A run cannot wish them away: nothing behind them was judged."""

IN_FULL = 3
"""How many findings of one rule are shown to people with their lines."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Rules selected (all where empty), ignored, and weighed otherwise. Verdicts follow."""

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    error: frozenset[str] = frozenset()
    warn: frozenset[str] = frozenset()

    def apply(self, given: FileReport) -> FileReport:
        """Return the report as this run wants it. What ended the check always stays."""
        if self == Selection():
            return given
        findings = tuple(self._weighed(finding) for finding in given.findings if self._wanted(finding))
        return report(
            given.path,
            findings,
            format=given.format,
            version=given.format_version,
            tally=given.tally,
            reading=given.reading,
            unsupported=given.verdict == "unsupported",
        )

    def _wanted(self, finding: Finding) -> bool:
        if finding.rule in ENDING:
            return True
        return finding.rule not in self.ignore and (not self.select or finding.rule in self.select)

    def _weighed(self, finding: Finding) -> Finding:
        if finding.rule in ENDING:
            return finding
        if finding.rule in self.error:
            return replace(finding, severity=Severity.ERROR)
        if finding.rule in self.warn:
            return replace(finding, severity=Severity.WARNING)
        return finding


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one rule in a file, by index; the first `shown` are shown to a person."""

    rule: str
    severity: Severity
    indexes: tuple[int, ...]
    shown: int

    @property
    def hidden(self) -> int:
        """How many are counted only."""
        return len(self.indexes) - self.shown


def grouped(findings: Sequence[Finding], *, infos: bool, limit: int, each: int) -> list[Group]:
    """Return the findings by rule, the heaviest first, and how many of each are shown.

    At most `limit` in all and `each` of one rule, but one of every rule before a second of any: a
    fault that stands a thousand times must not hide another.
    """
    places: dict[tuple[int, str], list[int]] = {}
    for index, finding in enumerate(findings):
        if infos or finding.severity is not Severity.INFO:
            places.setdefault((finding.severity.weight, finding.rule), []).append(index)
    ordered = sorted(places.items(), key=lambda item: (item[0][0], item[1][0]))
    left = max(0, limit - len(ordered))
    groups = []
    for number, ((weight, rule), indexes) in enumerate(ordered):
        more = min(each - 1, len(indexes) - 1, left)
        left -= more
        shown = 1 + more if number < limit else 0
        groups.append(Group(rule, list(Severity)[weight], tuple(indexes), shown))
    return groups
