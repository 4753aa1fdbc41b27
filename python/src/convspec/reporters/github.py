"""Workflow commands that GitHub shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Iterator

from convspec.findings import FileReport, Finding, Severity
from convspec.reporters.words import printable
from convspec.rules import catalogue

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def lines(report: FileReport, *, infos: bool) -> Iterator[str]:
    """Yield one command per finding. Never cut."""
    for finding in report.findings:
        if infos or finding.severity is not Severity.INFO:
            yield _command(report.path, finding)


def _command(path: str, finding: Finding) -> str:
    properties = {"file": path}
    if finding.line is not None:
        properties |= {"line": str(finding.line), "col": str(finding.column)}
        if finding.end_column is not None:
            properties |= {"endColumn": str(finding.end_column)}
    properties["title"] = f"{finding.rule}: {catalogue()[finding.rule].title}"
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    about = f" ({finding.target})" if finding.target else ""
    return f"::{_LEVELS[finding.severity]} {listed}::{_data(finding.message + about)}"


def _data(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return printable(escaped)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
