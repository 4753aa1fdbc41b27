"""What came of a run: values, the same for both tiers and every form of output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """What became of a case."""

    PASSED = "passed"
    FAILED = "failed"
    KNOWN = "known"
    """Failed, and listed as a known failure."""
    LEFT_OUT = "left-out"
    """Not asked, or skipped where that is allowed."""


class Trouble(StrEnum):
    """How an adapter can fail to give an answer."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    BAD_ANSWER = "bad-answer"
    NOT_ASKED = "not-asked"
    """The run gave up on an adapter that does not answer."""


Logs = Mapping[str, bytes]
"""Session logs, by the names of their files."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: its values, the verdicts it is right for, and how it said so.

    `logs` are, in a case of the kind `write`, those that were there before, and those behind the answer;
    of the kind `recover` the input and the copy, as they are to be, and as they are.
    """

    values: Mapping[str, Any]
    right_for: frozenset[str] = frozenset()
    said: str = ""
    logs: tuple[Logs, Logs] = ({}, {})


@dataclass(frozen=True, slots=True)
class Skipped:
    """The adapter declined the case, with a reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Fault:
    """There is no answer: why, and the end of what the adapter wrote to standard error."""

    trouble: Trouble
    text: str
    stderr: str = ""


Trial = Answered | Skipped | Fault


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference from what a case expects, and the level it belongs to."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case: `clause` is what it is about, `binding` must or should.

    `levels`: those it was judged at; `failed_levels`: those of them that are not as expected. `reason`: why
    the case was left out, or why its failure is known or its pass unexpected.
    """

    case: str
    clause: str
    binding: str
    status: Status
    levels: tuple[str, ...] = ()
    failed_levels: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    fault: Fault | None = None
    reason: str = ""

    @property
    def area(self) -> str:
        """Format and layer of the case, the first two parts of its id."""
        return "/".join(self.case.split("/")[:2])


@dataclass(frozen=True, slots=True)
class Results:
    """A whole run. `adapter` is what the implementation says of itself; `complaints` are about no case."""

    adapter: Mapping[str, Any]
    corpus: Mapping[str, Any]
    levels: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    complaints: tuple[str, ...] = field(default=())

    def count(self, status: Status) -> int:
        """Return how many cases have a status."""
        return sum(outcome.status is status for outcome in self.outcomes)

    @property
    def judged(self) -> int:
        """How many cases were judged."""
        return len(self.outcomes) - self.count(Status.LEFT_OUT)

    @property
    def sound(self) -> bool:
        """Whether nothing failed that is not known to, and nothing is complained of."""
        return not self.count(Status.FAILED) and not self.complaints
