"""Results as JSON values (schema/conformance/1.0/results.schema.json)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from convspec.conformance.results import Outcome, Results, Status
from convspec.reporters.values import clean

RESULTS_VERSION = 1


def results_value(results: Results, version: str) -> dict[str, Any]:
    """Return the whole document; `version` is the runner's."""
    return {
        "results_version": RESULTS_VERSION,
        "tool": {"name": "convspec", "version": version},
        "corpus": dict(results.corpus),
        "adapter": {key: _clean(value) for key, value in results.adapter.items()},
        "levels": list(results.levels),
        "summary": counts(results.outcomes, results.levels),
        "areas": [
            {"area": area, **counts(outcomes, results.levels)} for area, outcomes in by_area(results).items()
        ],
        "cases": [_case(outcome) for outcome in results.outcomes if outcome.status is not Status.PASSED],
        "complaints": [clean(text) for text in results.complaints],
    }


def by_area(results: Results) -> dict[str, list[Outcome]]:
    """Return the outcomes by format and layer, in the order in which they come."""
    areas: dict[str, list[Outcome]] = {}
    for outcome in results.outcomes:
        areas.setdefault(outcome.area, []).append(outcome)
    return areas


def counts(outcomes: Iterable[Outcome], levels: Iterable[str]) -> dict[str, Any]:
    """Count outcomes by status, and those that were judged by level."""
    outcomes = list(outcomes)
    judged = [outcome for outcome in outcomes if outcome.status is not Status.LEFT_OUT]
    by_status = {
        status.value.replace("-", "_"): sum(outcome.status is status for outcome in outcomes)
        for status in Status
    }
    by_level = {}
    for level in levels:
        asked = sum(level in outcome.levels for outcome in judged)
        failed = sum(level in outcome.failed_levels for outcome in judged)
        by_level[level] = {"passed": asked - failed, "failed": failed}
    return {"cases": len(outcomes), **by_status, "levels": by_level}


def _clean(value: Any) -> Any:
    """Clean what an adapter says of itself: strings, and lists of names that the schema fixes."""
    return clean(value) if isinstance(value, str) else value


def _case(outcome: Outcome) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": outcome.case,
        "clause": outcome.clause,
        "level": outcome.binding,
        "status": outcome.status.value,
    }
    if outcome.failed_levels:
        value["failed_levels"] = list(outcome.failed_levels)
    if outcome.differences:
        value["differences"] = [
            {"level": difference.level, "text": clean(difference.text)} for difference in outcome.differences
        ]
    if outcome.fault:
        value["fault"] = {"trouble": outcome.fault.trouble.value, "text": clean(outcome.fault.text)}
        if outcome.fault.stderr:
            value["fault"]["stderr"] = clean(outcome.fault.stderr)
    if outcome.reason:
        value["reason"] = clean(outcome.reason)
    return value
