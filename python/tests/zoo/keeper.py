"""What an animal is, and how it is run over the corpus."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convspec.conformance import protocol
from convspec.conformance.adapter import answers
from convspec.conformance.cases import Case, cases
from convspec.conformance.compare import LEVELS as LEVELS
from convspec.conformance.results import Answered, Results, Status, Trial
from convspec.conformance.runner import Tier, run
from fakes import INTRODUCTION, MemoryCorpus

Answer = dict[str, Any]


@dataclass(frozen=True)
class Reference:
    """The cases of a corpus, and what the reference says of each. Neither is ever changed."""

    cases: Mapping[str, Case]
    answers: Mapping[str, Answer]

    @classmethod
    def over(cls, corpus: Path) -> Reference:
        """Ask the reference for every case of a corpus, once."""
        known = {case.id: case for case in cases(corpus)}
        with tempfile.TemporaryDirectory() as scratch:
            asked = (_request(seq, case, Path(scratch)) for seq, case in enumerate(known.values(), 1))
            given = dict(zip(known, answers(asked), strict=True))
        for answer in given.values():
            del answer["seq"]
        return cls(known, given)


def _request(seq: int, case: Case, scratch: Path) -> bytes:
    path = case.laid_out(scratch)
    other = str(path.parent / case.document["other"]) if "other" in case.document else None
    return protocol.case(seq, case.document["kind"], case.document["format"], str(path), other)


Bend = Callable[[Case, Answer, Reference], Answer]
"""Makes the answer of an animal out of the reference's. It changes nothing that it is given."""


@dataclass(frozen=True)
class Animal:
    """A wrong implementation.

    `wrong` says what it does. `at` are the levels at which it is caught, no other; `by` are cases that
    catch it among others. `complaint` is what is said of it beside any case.
    """

    name: str
    wrong: str
    tier: Callable[[Reference], Tier]
    at: frozenset[str]
    by: tuple[str, ...] = ()
    complaint: str = ""


class BentTier:
    """Gives the reference's answers, those of one kind bent, at the levels that the animal claims."""

    def __init__(self, reference: Reference, bend: Bend, kind: str, levels: tuple[str, ...]) -> None:
        self.adapter: Mapping[str, Any] = {**INTRODUCTION, "tier": "protocol", "levels": list(levels)}
        self._reference = reference
        self._bend = bend
        self._kind = kind

    def begin(self) -> None:
        """Do nothing."""

    def leaves_out(self, case: Mapping[str, Any]) -> str:
        """Ask for everything."""
        return ""

    def ask(self, case: Mapping[str, Any], path: str) -> Trial:
        """Answer for a case; its path is its id."""
        answer = self._reference.answers[path]
        if case["kind"] == self._kind:
            answer = self._bend(self._reference.cases[path], answer, self._reference)
        if "verdict" not in answer:
            return Answered(answer, frozenset(), "")
        return Answered(answer, frozenset({answer["verdict"]}), f"verdict {answer['verdict']}")

    def end(self) -> list[str]:
        """Have nothing to complain of."""
        return []


def bent(
    name: str,
    wrong: str,
    bend: Bend,
    *by: str,
    at: tuple[str, ...],
    kind: str = "check",
    levels: tuple[str, ...] = LEVELS,
) -> Animal:
    """Return an animal that bends the reference's answers to cases of a kind, and claims `levels`."""
    return Animal(name, wrong, lambda reference: BentTier(reference, bend, kind, levels), frozenset(at), by)


def run_of(animal: Animal, reference: Reference) -> Results:
    """Run an animal over the whole corpus."""
    corpus = MemoryCorpus(case.document for case in reference.cases.values())
    return run(corpus, animal.tier(reference), list(reference.cases))


def caught_by(results: Results) -> list[str]:
    """Return the ids of the cases that an animal fails."""
    return [outcome.case for outcome in results.outcomes if outcome.status is Status.FAILED]


def levels_of(results: Results) -> frozenset[str]:
    """Return the levels at which it fails a case."""
    return frozenset(level for outcome in results.outcomes for level in outcome.failed_levels)
