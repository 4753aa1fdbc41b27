"""One line per finding, for editors and logs."""

from __future__ import annotations

from collections.abc import Iterator

from convspec.findings import FileReport
from convspec.reporters.words import place, printable
from convspec.selection import foremost


def lines(report: FileReport, *, infos: bool, limit: int) -> Iterator[str]:
    """Yield `path:line:column: severity[rule] message`, the heaviest first."""
    everything = foremost(report.findings, infos=infos, limit=len(report.findings))
    for index in everything[:limit]:
        finding = report.findings[index]
        where = place(report, finding.line, finding.column)
        about = f" ({printable(finding.target)})" if finding.target else ""
        yield f"{where}: {finding.severity}[{finding.rule}] {printable(finding.message)}{about}"
    if len(everything) > limit:
        hidden = len(everything) - limit
        yield f"{printable(report.path)}: {hidden:,} more not shown (--max-findings)"
