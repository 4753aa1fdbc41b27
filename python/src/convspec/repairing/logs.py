"""The repair of a log: planned from checks, until no check finds anything more to plan."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace

from convspec.findings import FileReport
from convspec.repairing import calls, compactions, duplicates, headers, records, texts, trees, upgrade
from convspec.repairing.framing import Row
from convspec.repairing.headers import Newer
from convspec.repairing.planning import Facts, Planner
from convspec.repairing.stages import Plan, Stages
from convspec.repairing.steps import Journal
from convspec.session import layers
from convspec.session.judged import NO_RECORDS, judge
from convspec.session.log import FORMAT, Log
from convspec.sources import Source
from convspec.text.recognise import nothing_in_it
from convspec.weigh import report, weighed, weighed_log

_SAFE: tuple[Planner, ...] = (duplicates.plan,)
_UNSAFE: tuple[Planner, ...] = (
    texts.plan,
    headers.plan,
    upgrade.plan,
    records.plan,
    trees.plan,
    compactions.plan,
    calls.plan,
)
_ROUNDS = 100
"""More than any log needs: each planner leaves nothing for itself to do."""


class LogRepair:
    """A damaged log, and all that is to be done to it."""

    def __init__(self, source: Source, name: str, *, unsafe: bool) -> None:
        self._stages = Stages(source, unsafe=unsafe)
        self._facts = Facts(os.path.basename(name))
        self._unsafe = unsafe

    def plan(self) -> None:
        """Plan every step. Raises Newer where the log turns out to be of a newer version, and OSError."""
        for _ in range(_ROUNDS):
            plan = self._next()
            if not plan:
                return
            self._stages.plans.append(plan)

    def _next(self) -> Plan:
        outcome = layers.check(self._stages.lines, 0, self._facts.name)
        if outcome.unsupported:
            raise Newer
        if outcome.log is None:
            return headers.written(Log(2), self._facts) if self._unsafe else Plan()
        for planner in (*_SAFE, *(_UNSAFE if self._unsafe else ())):
            plan = planner(self._stages, outcome.log, outcome.tree, outcome, self._facts)
            if plan:
                return plan
        return Plan()

    def rows(self, journal: Journal) -> Iterator[Row]:
        """Yield the lines of the repaired log, and take down the steps."""
        return self._stages.rows(journal)

    def foretold(self, name: str, label: str) -> FileReport:
        """Return what a check will say of the repaired log, which is not written, if it has this name."""
        outcome = layers.check(self._stages.lines, 0, name)
        if outcome.empty:
            findings = weighed([nothing_in_it()], format=FORMAT)
            return report(label, findings, format=FORMAT, version=None, tally=NO_RECORDS)
        with _ForwardLines(self._stages) as line_at:
            findings = weighed_log(outcome.faults, format=FORMAT, line_at=line_at)
        return report(label, findings, format=FORMAT, version=outcome.version, tally=outcome.tally)

    def checked(self, path: str, label: str) -> FileReport:
        """Read the repaired log back and return what a check says of it; it will be called `label`."""
        return judge(Source(label, None, None, path), label)[1]


class _ForwardLines:
    """Reads lines by their offsets, which only rise, from a log that is not written."""

    def __init__(self, stages: Stages) -> None:
        self._opened = stages.lines()
        self._offset = 0

    def __enter__(self) -> Callable[[int], bytes]:
        self._lines: Iterator[bytes] = self._opened.__enter__()
        return self._line_at

    def __exit__(self, *error: object) -> None:
        self._opened.__exit__(None, None, None)

    def _line_at(self, offset: int) -> bytes:
        for line in self._lines:
            begin, self._offset = self._offset, self._offset + len(line)
            if begin == offset:
                return line
        raise AssertionError(offset)


def before(source: Source, name: str) -> FileReport:
    """Return what a check says of the damaged log. Raises OSError."""
    return replace(judge(source, name)[1], reading=None)
