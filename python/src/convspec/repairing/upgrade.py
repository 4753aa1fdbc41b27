"""A log of version 1 that a newer program went on with becomes one of version 2 (session.md#mixed).

Its records without ids are named by their number. They get that name as their id, so that every reference
still leads where it led, and records may be put in and taken out.
"""

from __future__ import annotations

from convspec.repairing.planning import Facts, is_entry, record_of
from convspec.repairing.records import spot_in_force
from convspec.repairing.stages import Action, Plan, Stages
from convspec.repairing.steps import Step
from convspec.session.layers import Outcome
from convspec.session.log import Log
from convspec.session.records import text_of
from convspec.session.tree import Tree
from convspec.text.edits import Edit

_RULE = "version-mixed"


def plan(stages: Stages, log: Log, tree: Tree | None, outcome: Outcome, facts: Facts) -> Plan:
    """Write out ids and parents of the records that have none, and the version."""
    made = Plan()
    spot = spot_in_force(log)
    if not log.mixed or spot is None:
        return made
    header = made.at(spot.line)
    message = "the version is set to 2, which the newer records are of"
    step = Step("set-version", _RULE, message, pointer="/version")
    header.edit(Edit(("version",), 2), step)
    entries = {entry.spot.line: entry for entry in log.entries() if entry.virtual}
    above: str | None = None
    for number, row in stages.numbered():
        record = record_of(row)
        if not is_entry(record):
            continue
        entry, id = entries.get(number), text_of(record.get("id"))
        if entry is not None and id is None:
            _write_out(made.at(number), entry.id, above, "parentId" in record)
            id = entry.id
        above = id
    return made


def _write_out(action: Action, id: str, above: str | None, has_parent: bool) -> None:
    message = "the record gets the id that it has by its place"
    step = Step("upgrade-record", _RULE, message, pointer="/id", now=id)
    action.edit(Edit(("id",), id), step)
    if above is not None or has_parent:
        message = "the record gets the parent that it has by its place"
        step = Step("upgrade-record", _RULE, message, pointer="/parentId", now=above)
        action.edit(Edit(("parentId",), above), step)
