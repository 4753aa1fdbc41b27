"""Animals that know every answer and cannot speak the protocol. They run through the protocol tier."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from convspec.conformance.process import Gone, Silent
from convspec.conformance.protocol import LONGEST_ANSWER
from convspec.conformance.protocol_tier import ProtocolTier
from convspec.conformance.runner import Tier
from fakes import FakeLauncher, FakeProcess, Request, Says, line, script
from zoo.keeper import LEVELS, Animal, Answer, Reference

Knows = Callable[[Request], Answer]
"""Gives the right answer to a request."""
Judge = Callable[[Request], Iterable[Says]]


def _speaks(
    name: str,
    wrong: str,
    make: Callable[[Knows], Judge],
    *by: str,
    at: tuple[str, ...] = LEVELS,
    ends: str | Exception = "",
    complaint: str = "",
    **introduction: Any,
) -> Animal:
    """Return an animal; `make` gives each of its processes what it says to a case, made of right answers."""

    def tier(reference: Reference) -> Tier:
        def knows(request: Request) -> Answer:
            return {"seq": request["seq"], **reference.answers[request["path"]]}

        def start() -> FakeProcess:
            return FakeProcess(script(make(knows), **introduction), ends)

        return ProtocolTier(FakeLauncher(start), 1.0)

    return Animal(name, wrong, tier, frozenset(at), by, complaint)


def _plainly(change: Callable[[Answer], Iterable[Says]]) -> Callable[[Knows], Judge]:
    """Make what is said of the right answer alone."""
    return lambda knows: lambda request: change(knows(request))


def _late(knows: Knows) -> Judge:
    """Answer each question when the next one comes."""
    waiting: list[Answer] = []

    def judge(request: Request) -> Iterable[Says]:
        waiting.append(knows(request))
        return [line(waiting.pop(0))] if len(waiting) > 1 else []

    return judge


def _content_before(knows: Knows) -> Judge:
    """Give the content of the answer before, under the right number."""
    known: list[Answer] = []

    def judge(request: Request) -> Iterable[Says]:
        known.append(knows(request))
        return [line({**known[max(0, len(known) - 2)], "seq": request["seq"]})]

    return judge


def _once(knows: Knows) -> Judge:
    """Answer one question, and end."""
    return lambda request: [line(knows(request)), Gone("exited with 0")]


def _on(verdict: str, instead: Says) -> Callable[[Knows], Judge]:
    """Say something else where the right verdict is this one."""
    return _plainly(lambda answer: [instead if answer.get("verdict") == verdict else line(answer)])


def _right(answer: Answer) -> Iterable[Says]:
    return [line(answer)]


def _skipping(answer: Answer) -> Iterable[Says]:
    if not answer.get("findings"):
        return [line(answer)]
    return [line({"seq": answer["seq"], "skipped": "too hard"})]


def _without(*keys: str) -> Callable[[Knows], Judge]:
    return _plainly(lambda answer: [line({key: answer[key] for key in answer if key not in keys})])


_EASY = "history/document/two-messages"
_HARD = "session/tree/parent-missing"

ANIMALS = (
    _speaks("glass-jaw", "dies of an invalid file", _on("invalid", Gone("was ended by SIGSEGV")), _HARD),
    _speaks("dreamer", "hangs at an invalid file", _on("invalid", Silent()), _HARD),
    _speaks("sphinx", "never answers", _plainly(lambda answer: []), _EASY, _HARD),
    _speaks("late-riser", "answers each question when the next one comes", _late, _EASY, _HARD),
    _speaks("wrong-number", "answers under the number of the case before",
            _plainly(lambda answer: [line({**answer, "seq": max(1, answer["seq"] - 1)})]), _EASY, _HARD),
    _speaks("hand-me-down", "gives the answer to the case before under the right number", _content_before,
            _HARD),
    _speaks("double-talker", "answers twice", _plainly(lambda answer: [line(answer), line(answer)])),
    _speaks("mayfly", "ends after each answer", _once),
    _speaks("skiver", "skips whatever has findings", _plainly(_skipping), _HARD),
    _speaks("give-up", "says of every invalid file that it failed",
            _plainly(lambda answer: [line({"seq": answer["seq"], "failed": "out of ideas"}
                                          if answer.get("verdict") == "invalid" else answer)]), _HARD),
    _speaks("fence-sitter", "gives a verdict and skips, both",
            _plainly(lambda answer: [line({**answer, "skipped": "not sure"})]), _EASY, _HARD),
    _speaks("chatterbox", "writes its log to standard output",
            _plainly(lambda answer: [b"checking...\n", line(answer)]), _EASY, _HARD),
    _speaks("mumbler", "writes no line feed and ends", _plainly(lambda answer: [line(answer)[:-1]]), _EASY),
    _speaks("rambler", "writes a line without end",
            _on("unsupported", b'"' + b"a" * LONGEST_ANSWER), "history/version/two"),
    _speaks("own-words", "has its own words for verdicts",
            _plainly(lambda answer: [line({**answer, "verdict": str(answer.get("verdict")).upper()})]),
            _EASY, _HARD),
    _speaks("lawless", "writes NaN for a number it does not have",
            _plainly(lambda answer: [line({**answer, "took": float("nan")})]), _EASY, _HARD),
    _speaks("closed-mouth", "closes its output at the first case",
            _plainly(lambda answer: [Gone("closed its output and went on")]), _EASY, _HARD),
    _speaks("boaster", "claims findings and gives none", _without("findings"), _EASY, at=("findings",)),
    _speaks("day-dreamer", "claims a reading and gives none", _without("reading"), _EASY, at=("reading",)),
    _speaks("squatter", "does not end when it is stopped", _plainly(_right), at=(), ends=Silent(),
            complaint="did not end within 1 seconds after stop"),
    _speaks("sore-loser", "ends with an exit code of its own", _plainly(_right), at=(), ends="exited with 3",
            complaint="exited with 3"),
)  # fmt: skip
