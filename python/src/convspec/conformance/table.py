"""Results for people: who was asked, counts by area and level, and each case that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from convspec.conformance.results import Outcome, Results, Status
from convspec.conformance.values import by_area, counts
from convspec.reporters.words import number, printable

_MOST = 8
"""Differences shown of one case."""
_LONGEST = 400
"""Characters shown of one difference; a reading may be long."""


def lines(results: Results) -> Iterator[str]:
    """Yield the table, line by line."""
    yield from _head(results)
    yield ""
    yield from _areas(results)
    for status, title in ((Status.FAILED, "Failed"), (Status.KNOWN, "Known failures")):
        of_status = [outcome for outcome in results.outcomes if outcome.status is status]
        if of_status:
            yield ""
            yield f"{title}:"
            for outcome in of_status:
                yield from _case(outcome)
    yield from _left_out(results)
    for complaint in results.complaints:
        yield ""
        yield f"Complaint: {printable(complaint)}"


def summary(results: Results) -> str:
    """Say in one line how the run ended."""
    failed, known, left = (results.count(s) for s in (Status.FAILED, Status.KNOWN, Status.LEFT_OUT))
    parts = [f"{results.count(Status.PASSED):,} of {number(results.judged, 'case')} passed"]
    parts += [f"{failed:,} failed"] if failed else []
    parts += [number(known, "known failure")] if known else []
    parts += [f"{left:,} left out"] if left else []
    parts += [number(len(results.complaints), "complaint")] if results.complaints else []
    return ", ".join(parts)


def _head(results: Results) -> Iterator[str]:
    adapter = results.adapter
    if adapter["tier"] == "plain":
        who = f"{adapter['name']}, plain tier"
    else:
        who = "{name} {version} ({language}), specification {spec}".format(**adapter)
    yield _cut(who)
    cases = number(results.corpus["cases"], "case")
    yield f"corpus of {cases}, manifest {results.corpus['manifest_sha256'][:12]}"


def _areas(results: Results) -> Iterator[str]:
    areas = by_area(results)
    width = max([len(area) for area in areas] + [8])
    yield f"{'':{width}}   cases" + "".join(f"  {level:>14}" for level in results.levels)
    for area, outcomes in areas.items():
        yield _row(area, counts(outcomes, results.levels), width)
    yield _row("all", counts(results.outcomes, results.levels), width)


def _row(name: str, counted: dict[str, Any], width: int) -> str:
    cells = []
    for level in counted["levels"].values():
        judged = level["passed"] + level["failed"]
        if not judged:
            cells.append("–")
        else:
            cells.append(f"{level['passed']:,} of {judged:,}" if level["failed"] else f"{level['passed']:,}")
    return f"{name:{width}}  {counted['cases']:6,}" + "".join(f"  {cell:>14}" for cell in cells)


def _case(outcome: Outcome) -> Iterator[str]:
    yield f"  {outcome.case}  ({outcome.binding}, {outcome.clause})"
    if outcome.reason:
        yield f"      {_cut(outcome.reason)}"
    if outcome.fault:
        yield f"      {outcome.fault.trouble}: {_cut(outcome.fault.text)}"
        for line in outcome.fault.stderr.splitlines()[-3:]:
            yield f"      stderr: {_cut(line)}"
    for difference in outcome.differences[:_MOST]:
        yield f"      {_cut(difference.text)}"
    if len(outcome.differences) > _MOST:
        yield f"      and {number(len(outcome.differences) - _MOST, 'more difference')}"


def _cut(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _left_out(results: Results) -> Iterator[str]:
    left = [outcome for outcome in results.outcomes if outcome.status is Status.LEFT_OUT]
    if left:
        yield ""
        yield "Left out:"
    for reason, times in Counter(outcome.reason for outcome in left).most_common():
        yield f"  {number(times, 'case')}: {_cut(reason)}"
