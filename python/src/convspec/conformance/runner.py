"""Run an implementation over a corpus: ask, compare, sum up.

The corpus and the tier are given, so that all of this runs in memory too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Protocol

from convspec.conformance.compare import (
    LEVELS,
    findings_differences,
    held_to,
    reading_differences,
    value_differences,
)
from convspec.conformance.recovered import output_of, recovered_differences
from convspec.conformance.results import (
    Answered,
    Difference,
    Fault,
    Logs,
    Outcome,
    Results,
    Skipped,
    Status,
    Trial,
    Trouble,
)
from convspec.conformance.written import written_differences

_PATIENCE = 10
"""After so many cases in a row without any answer in time, the rest is not asked."""
_OF_VALUES = "reading"
"""The level at which a case is judged that asks for a value, not for a check."""
_WRITING = ("write", "recover")
"""The kinds of which files are compared."""
_MOST = 100
"""Differences that are kept of one case; an answer may hold a hundred thousand findings too much."""
_LONGEST = 2000
"""Characters that are kept of whatever an adapter says."""


class Corpus(Protocol):
    """Where cases come from."""

    def about(self) -> Mapping[str, Any]:
        """Return what tells this corpus apart: how many cases, the digest of the manifest."""

    def case(self, id: str) -> Mapping[str, Any]:
        """Return the document of a case."""

    def laid_out(self, id: str) -> AbstractContextManager[str]:
        """Lay the input out in a folder of its own for as long as the context lasts; give its path."""

    def logs(self, path: str) -> Logs:
        """Return the session log at a path that was laid out, or those in and below a folder."""

    def expected(self, id: str) -> Logs:
        """Return the copy that a case of the kind `recover` expects, by its name; none where it has none."""


class Tier(Protocol):
    """A way of asking. `adapter` is filled by `begin`."""

    adapter: Mapping[str, Any]

    def begin(self) -> None:
        """Start. Raises NoAdapter."""

    def leaves_out(self, case: Mapping[str, Any]) -> str:
        """Return why a case is not asked for, or nothing."""

    def ask(self, case: Mapping[str, Any], path: str) -> Trial:
        """Ask for one input. Raises NoAdapter."""

    def end(self) -> list[str]:
        """End, and return what is to be complained of."""


class NoAdapter(Exception):
    """The adapter cannot be used at all; the text says why."""


class LevelNotGiven(Exception):
    """A level was asked for that the adapter does not go to; the text says so."""


def run(
    corpus: Corpus,
    tier: Tier,
    ids: Iterable[str],
    *,
    levels: Iterable[str] = (),
    known: Mapping[str, str] | None = None,
    watch: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> Results:
    """Ask for the cases `ids`, in their order, and judge at `levels` (default: all that the adapter gives).

    The verdict is judged at every level. `known` maps the ids of known failures to reasons; `watch` sees
    the ids go by. Raises NoAdapter, LevelNotGiven.
    """
    tier.begin()
    try:
        judged = _levels(tier.adapter["levels"], tuple(levels))
        outcomes = tuple(_outcomes(corpus, tier, watch(ids), judged, known or {}))
    finally:
        complaints = tier.end()
    return Results(tier.adapter, corpus.about(), judged, outcomes, tuple(complaints))


def _levels(given: Iterable[str], wanted: tuple[str, ...]) -> tuple[str, ...]:
    offered = {"verdict", *given}
    for level in wanted:
        if level not in offered:
            raise LevelNotGiven(f"the adapter does not give the level {level}")
    chosen = {"verdict", *wanted} if wanted else offered
    return tuple(level for level in LEVELS if level in chosen)


def _outcomes(
    corpus: Corpus, tier: Tier, ids: Iterable[str], levels: tuple[str, ...], known: Mapping[str, str]
) -> Iterable[Outcome]:
    silent = 0
    for id in ids:
        case = corpus.case(id)
        left_out = tier.leaves_out(case)
        if case["kind"] != "check" and _OF_VALUES not in levels:
            left_out = left_out or f"the level {_OF_VALUES} is not judged"
        if left_out:
            yield Outcome(id, case["clause"], case["level"], Status.LEFT_OUT, reason=left_out)
            continue
        if silent < _PATIENCE:
            trial = _trial(corpus, tier, case)
            silent = silent + 1 if _is_silent(trial) else 0
        else:
            trial = Fault(Trouble.NOT_ASKED, f"not asked, after {_PATIENCE} cases in a row without an answer")
        yield _against_known(_outcome(case, trial, levels, tier.adapter.get("spec")), known.get(id))


def _trial(corpus: Corpus, tier: Tier, case: Mapping[str, Any]) -> Trial:
    """Ask for a case. What a writer or a repair wrote is looked at before the input is gone."""
    with corpus.laid_out(case["id"]) as path:
        before = corpus.logs(path) if case["kind"] in _WRITING else {}
        trial = tier.ask(case, path)
        if case["kind"] not in _WRITING or not isinstance(trial, Answered):
            return trial
        after = corpus.logs(path)
        if case["kind"] == "recover":
            before = {**before, **corpus.expected(case["id"])}
            after = {**after, **corpus.logs(output_of(path))}
        return replace(trial, logs=(before, after))


def _is_silent(trial: Trial) -> bool:
    """Only silence makes a run long. What dies at once may die as often as it likes."""
    return isinstance(trial, Fault) and trial.trouble is Trouble.TIMEOUT


def _outcome(case: Mapping[str, Any], trial: Trial, levels: tuple[str, ...], spec: str | None) -> Outcome:
    about = case["id"], case["clause"], case["level"]
    if case["kind"] != "check":
        levels = (_OF_VALUES,)
    if isinstance(trial, Fault):
        return Outcome(*about, Status.FAILED, levels, levels, fault=replace(trial, text=_cut(trial.text)))
    if isinstance(trial, Skipped):
        if case["level"] == "should":
            return Outcome(*about, Status.LEFT_OUT, reason=_cut(f"skipped: {trial.reason}"))
        text = f"skipped ({_cut(trial.reason)}), though the introduction covers it"
        differences = tuple(Difference(level, text) for level in levels)
        return Outcome(*about, Status.FAILED, levels, levels, differences)
    found = tuple(_differences(case, trial, levels, spec))
    failed = {difference.level for difference in found}
    status = Status.FAILED if failed else Status.PASSED
    failed_levels = tuple(level for level in levels if level in failed)
    return Outcome(*about, status, levels, failed_levels, _kept(found))


def _kept(found: tuple[Difference, ...]) -> tuple[Difference, ...]:
    """Cut what an answer has made long."""
    kept = tuple(replace(difference, text=_cut(difference.text)) for difference in found[:_MOST])
    if len(found) > _MOST:
        kept += (Difference(found[-1].level, f"and {len(found) - _MOST} more differences"),)
    return kept


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _differences(
    case: Mapping[str, Any], trial: Answered, levels: tuple[str, ...], spec: str | None
) -> Iterable[Difference]:
    if case["kind"] != "check":
        yield from (Difference(_OF_VALUES, text) for text in _value_texts(case, trial))
        return
    expect = held_to(case["expect"], spec) if spec else case["expect"]
    if expect["verdict"] not in trial.right_for:
        yield Difference("verdict", f"{trial.said}, expected {expect['verdict']}")
    if "findings" in levels:
        for text in findings_differences(case, expect, trial.values):
            yield Difference("findings", text)
    if "reading" in levels:
        for text in reading_differences(expect, trial.values):
            yield Difference("reading", text)


def _value_texts(case: Mapping[str, Any], trial: Answered) -> Iterable[str]:
    if case["kind"] == "write":
        return written_differences(case, trial.values, *trial.logs)
    if case["kind"] == "recover":
        return recovered_differences(case, trial.values, *trial.logs)
    return value_differences(case["expect"], trial.values)


def _against_known(outcome: Outcome, reason: str | None) -> Outcome:
    """Weigh an outcome against the list of known failures."""
    if reason is None or outcome.status is Status.LEFT_OUT:
        return outcome
    if outcome.status is Status.PASSED:
        reason = f"passes, though it is listed as a known failure: {reason}"
        return replace(outcome, status=Status.FAILED, reason=reason)
    return replace(outcome, status=Status.KNOWN, reason=reason)
