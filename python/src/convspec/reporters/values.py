"""Reports as JSON values (schema/report/1.0)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from convspec.findings import FileReport, Finding, Related

REPORT_VERSION = 1
SPEC = "1.0-draft"
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOTALS = ("files", "valid", "invalid", "unsupported", "unreadable", "errors", "warnings", "infos")
_WHERE_APPLIES = ("record_id", "member", "target")


def report_value(files: list[dict[str, Any]], version: str) -> dict[str, Any]:
    """Return the whole JSON report of files already made values; `version` is the tool's."""
    return {
        "report_version": REPORT_VERSION,
        "tool": {"name": "convspec", "version": version, "spec": SPEC},
        "summary": summary(files),
        "files": files,
    }


def no_files() -> dict[str, int]:
    """Return the summary of a run that has checked nothing yet."""
    return dict.fromkeys(_TOTALS, 0)


def summary(files: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count files by verdict and findings by weight."""
    totals = no_files()
    for file in files:
        add(totals, str(file["verdict"]), file["counts"])
    return totals


def add(totals: dict[str, int], verdict: str, counts: Mapping[str, int]) -> None:
    """Count one more file."""
    totals["files"] += 1
    totals[verdict] += 1
    for key, count in counts.items():
        totals[key] += count


def file_value(report: FileReport) -> dict[str, Any]:
    """Return the report on one file."""
    return {
        "path": clean(report.path),
        "format": report.format,
        "format_version": report.format_version,
        "verdict": report.verdict.value,
        "counts": asdict(report.counts),
        "tally": None if report.tally is None else dict(report.tally),
        "findings": [finding_value(finding) for finding in report.findings],
    }


def finding_value(finding: Finding) -> dict[str, Any]:
    """Return one finding; members that do not apply are left out, places that are unknown null."""
    value: dict[str, Any] = {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": clean(finding.message),
        "line": finding.line,
        "column": finding.column,
        "end_column": finding.end_column,
        "offset": finding.offset,
        "pointer": finding.pointer,
    }
    if finding.record is not None:
        value["record"] = finding.record
    for key in _WHERE_APPLIES:
        given = getattr(finding, key)
        if given is not None:
            value[key] = clean(given)
    if finding.related:
        value["related"] = [_related_value(related) for related in finding.related]
    value["fingerprint"] = finding.fingerprint
    return value


def _related_value(related: Related) -> dict[str, Any]:
    return {"line": related.line, "pointer": related.pointer, "message": related.message}


def clean(text: str) -> str:
    """Replace halves of surrogate pairs, which no output can carry."""
    return _SURROGATE.sub("\ufffd", text)
