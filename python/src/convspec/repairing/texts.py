"""Strings with half a surrogate pair, and objects that name a key twice."""

from __future__ import annotations

from convspec.repairing.planning import Facts, by_row
from convspec.repairing.stages import Plan, Stages
from convspec.repairing.steps import Step
from convspec.session.layers import Outcome
from convspec.session.log import Log
from convspec.session.tree import Tree
from convspec.text.edits import without_half_surrogates, without_repeated_keys

SURROGATES = "U+FFFD takes the place of each half of a surrogate pair"
KEYS = "of members with one name the last is kept, as readers take it"


def plan(stages: Stages, log: Log, tree: Tree | None, outcome: Outcome, facts: Facts) -> Plan:
    """Mend the text of each record that has such a fault."""
    made = Plan()
    for number, faults in by_row(outcome, "text-surrogate", "json-duplicate-key").items():
        action = made.at(number)
        action.change = mended
        rules = {fault.rule for fault in faults}
        if "text-surrogate" in rules:
            action.steps.append(Step("replace-surrogates", "text-surrogate", SURROGATES))
        if "json-duplicate-key" in rules:
            action.steps.append(Step("drop-keys", "json-duplicate-key", KEYS))
    return made


def mended(data: bytes) -> bytes:
    """Return a JSON value without either fault; two keys can become one by the first step."""
    return without_repeated_keys(without_half_surrogates(data))
