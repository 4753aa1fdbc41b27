"""The tables of implementations: what the committed reports in conformance/reports say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from convspec import engines
from convspec.conformance.compare import LEVELS
from docs_markdown import code, prose, table

SCHEMA = "conformance/1.0/results.schema.json"
NONE = "–"

Report = Mapping[str, Any]


def tables(corpus: Path) -> str:
    """Return the tables; `corpus` is the folder with manifest.json and reports."""
    paths = sorted((corpus / "reports").glob("*.json"))
    reports = sorted(map(_report, paths), key=lambda report: str(report["adapter"]["name"]))
    if not reports:
        return "There are no reports."
    digest = hashlib.sha256((corpus / "manifest.json").read_bytes()).hexdigest()
    return "\n\n".join([_overview(reports), *_earlier(reports, digest), _by_area(reports), *_known(reports)])


def _report(path: Path) -> Report:
    """Read a report. It ends the generator if it is none, or is about a part of the corpus alone."""
    report: Report = json.loads(path.read_bytes())
    for violation in engines.violations(SCHEMA, report):
        raise SystemExit(f"{path.name} does not fit {SCHEMA}: {violation.keyword}")
    if report["summary"]["cases"] != report["corpus"]["cases"]:
        raise SystemExit(f"{path.name} is about a part of the corpus alone")
    return report


def _overview(reports: Sequence[Report]) -> str:
    head = ["implementation", "language", "specification", "judged", *LEVELS, "left out", "known failures"]
    return table(head, [_row(report) for report in reports])


def _row(report: Report) -> list[str]:
    adapter, summary = report["adapter"], report["summary"]
    return [
        prose(f"{adapter['name']} {adapter.get('version', '')}".rstrip()),
        prose(adapter.get("language", NONE)),
        prose(adapter.get("spec", NONE)),
        f"{summary['cases'] - summary['left_out']:,}",
        *(_passed(summary["levels"].get(level)) for level in LEVELS),
        f"{summary['left_out']:,}",
        f"{summary['known']:,}",
    ]


def _passed(level: Mapping[str, int] | None) -> str:
    """Say how many agree: `1,968`, or `1,960 of 1,968`; a dash where nothing was judged."""
    if level is None or not any(level.values()):
        return NONE
    judged = f"{level['passed'] + level['failed']:,}"
    return f"{level['passed']:,} of {judged}" if level["failed"] else judged


def _by_area(reports: Sequence[Report]) -> str:
    """Return a row per area: how many of the judged cases agree at every level that was judged."""
    areas = {entry["area"]: entry["cases"] for report in reports for entry in report["areas"]}
    by_report = [{entry["area"]: entry for entry in report["areas"]} for report in reports]
    rows = [[area, f"{cases:,}", *(_of_area(found.get(area)) for found in by_report)]
            for area, cases in sorted(areas.items())]  # fmt: skip
    return table(["area", "cases", *(prose(report["adapter"]["name"]) for report in reports)], rows)


def _of_area(counts: Mapping[str, Any] | None) -> str:
    if counts is None:
        return NONE
    return _passed({"passed": counts["passed"], "failed": counts["failed"] + counts["known"]})


def _known(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the known failures, with their reasons."""
    rows = [
        [prose(report["adapter"]["name"]), code(case["id"]), prose(case["reason"])]
        for report in reports
        for case in report["cases"]
        if case["status"] == "known"
    ]
    if rows:
        yield "Known failures:"
        yield table(["implementation", "case", "reason"], rows)


def _earlier(reports: Sequence[Report], digest: str) -> Iterator[str]:
    """Yield a note on reports that are about another state of the corpus than the present one."""
    names = [
        prose(report["adapter"]["name"])
        for report in reports
        if report["corpus"]["manifest_sha256"] != digest
    ]
    if names:
        yield f"Made with an earlier state of the corpus: {', '.join(names)}."
