"""One line per finding, for editors and logs."""

from __future__ import annotations

from collections.abc import Iterator

from convspec.findings import FileReport
from convspec.reporters.words import place, printable
from convspec.selection import grouped


def lines(report: FileReport, *, infos: bool, limit: int) -> Iterator[str]:
    """Yield `path:line:column: severity[rule] message`, the heaviest first."""
    groups = grouped(report.findings, infos=infos, limit=limit, each=limit)
    shown = sorted((g.severity.weight, index) for g in groups for index in g.indexes[: g.shown])
    for _, index in shown:
        finding = report.findings[index]
        where = place(report, finding.line, finding.column)
        about = f" ({printable(finding.target)})" if finding.target else ""
        yield f"{where}: {finding.severity}[{finding.rule}] {printable(finding.message)}{about}"
    hidden = ", ".join(f"{group.rule} ({group.hidden:,})" for group in groups if group.hidden)
    if hidden:
        yield f"{printable(report.path)}: not shown: {hidden}; --max-findings shows more"
