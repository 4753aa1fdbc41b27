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
from convspec.conformance.corpus import FolderCorpus
from convspec.conformance.recovered import output_of
from convspec.conformance.results import Answered, Logs, Results, Status, Trial
from convspec.conformance.runner import Tier, run
from fakes import INTRODUCTION, MemoryCorpus

Answer = dict[str, Any]


@dataclass(frozen=True)
class Reference:
    """The cases of a corpus, and what the reference says of each. Neither is ever changed.

    `logs` are those of the cases of the kinds `write` and `recover`, before they were asked and behind the
    answer; `copies` are the copies that the cases of the kind `recover` expect.
    """

    cases: Mapping[str, Case]
    answers: Mapping[str, Answer]
    logs: Mapping[str, tuple[Logs, Logs]]
    copies: Mapping[str, Logs]

    @classmethod
    def over(cls, corpus: Path) -> Reference:
        """Ask the reference for every case of a corpus, once."""
        known = {case.id: case for case in cases(corpus)}
        folder = FolderCorpus(str(corpus))
        given, logs, copies = {}, {}, {}
        with tempfile.TemporaryDirectory() as scratch:
            for case in known.values():
                path = str(case.laid_out(Path(scratch)))
                writes = case.document["kind"] in ("write", "recover")
                before = folder.logs(path) if writes else {}
                (given[case.id],) = answers([protocol.case(1, case.document, path)])
                if writes:
                    logs[case.id] = before, {**folder.logs(path), **folder.logs(output_of(path))}
                if case.document["kind"] == "recover":
                    copies[case.id] = folder.expected(case.id)
        for answer in given.values():
            del answer["seq"]
        return cls(known, given, logs, copies)


Bend = Callable[[Case, Answer, Reference], Answer]
"""Makes the answer of an animal out of the reference's. It changes nothing that it is given."""

Writes = Callable[[Logs, Logs], Logs]
"""Makes what an animal wrote out of the logs before, and what the reference made of them."""


def rightly(before: Logs, after: Logs) -> Logs:
    """Write what the reference wrote."""
    return after


@dataclass(frozen=True)
class Animal:
    """A wrong implementation.

    `wrong` says what it does. `at` are the levels at which it is caught, no other; `by` are cases that
    catch it among others. `complaint` is what is said of it beside any case, `writes` what it does to the
    logs of cases of its `kind`.
    """

    name: str
    wrong: str
    tier: Callable[[Reference], Tier]
    at: frozenset[str]
    by: tuple[str, ...] = ()
    complaint: str = ""
    writes: Writes = rightly
    kind: str = "check"


class ZooCorpus(MemoryCorpus):
    """The cases of the reference; the logs that an animal is asked to write to are as it left them."""

    def __init__(self, reference: Reference, writes: Writes, kind: str) -> None:
        super().__init__(case.document for case in reference.cases.values())
        self._logs = reference.logs
        self._copies = reference.copies
        self._writes = writes
        self._kind = kind
        self._looked_at = ""

    def logs(self, path: str) -> Logs:
        """Return the logs as they were, and when they are looked at again, what became of them."""
        before, after = self._logs.get(path, ({}, {}))
        if self._looked_at == path:
            return self._writes(before, after) if self.cases[path]["kind"] == self._kind else after
        self._looked_at = path
        return before

    def expected(self, id: str) -> Logs:
        """Return the copy that a case expects."""
        return self._copies[id]


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
            return Answered(answer)
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
    writes: Writes = rightly,
) -> Animal:
    """Return an animal that bends the reference's answers to cases of a kind, and claims `levels`."""

    def tier(reference: Reference) -> Tier:
        return BentTier(reference, bend, kind, levels)

    return Animal(name, wrong, tier, frozenset(at), by, writes=writes, kind=kind)


def run_of(animal: Animal, reference: Reference) -> Results:
    """Run an animal over the whole corpus."""
    corpus = ZooCorpus(reference, animal.writes, animal.kind)
    return run(corpus, animal.tier(reference), list(reference.cases))


def caught_by(results: Results) -> list[str]:
    """Return the ids of the cases that an animal fails."""
    return [outcome.case for outcome in results.outcomes if outcome.status is Status.FAILED]


def levels_of(results: Results) -> frozenset[str]:
    """Return the levels at which it fails a case."""
    return frozenset(level for outcome in results.outcomes for level in outcome.failed_levels)
