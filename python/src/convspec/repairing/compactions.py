"""Compactions that keep what is not there: readers restore nothing but their summary, and so it is said."""

from __future__ import annotations

from convspec.pointers import to_pointer
from convspec.repairing.planning import Facts, by_row
from convspec.repairing.stages import Plan, Stages
from convspec.repairing.steps import Step
from convspec.session.layers import Outcome
from convspec.session.log import Log
from convspec.session.tree import Tree
from convspec.text.edits import Edit

_RULE = "compaction-kept-missing"


def plan(stages: Stages, log: Log, tree: Tree | None, outcome: Outcome, facts: Facts) -> Plan:
    """Set what is kept to null."""
    made = Plan()
    kept = {entry.spot.line: entry.kept.value for entry in log.entries() if entry.kept is not None}
    for number, faults in by_row(outcome, _RULE).items():
        for fault in faults:
            if fault.path is not None:
                message = "the compaction keeps nothing but its summary, as readers take it"
                pointer = to_pointer(fault.path)
                step = Step("keep-summary", _RULE, message, pointer=pointer, was=kept.get(number))
                made.at(number).edit(Edit(fault.path, None), step)
    return made
