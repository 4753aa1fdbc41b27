"""Records that do not fit their schema: members are set, or the record is set aside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from convspec import engines, schemas
from convspec.findings import Fault, Spot
from convspec.repairing.framing import Row
from convspec.repairing.members import SetAside, mended
from convspec.repairing.planning import EPOCH, Facts, by_row, is_entry, leaf_behind, record_of, stamp_of
from convspec.repairing.stages import Action, Plan, Stages
from convspec.repairing.steps import Step
from convspec.session.layers import Outcome
from convspec.session.log import FORMAT, Log
from convspec.session.record_checks import prompt_hash
from convspec.session.records import PARTS, key_of, text_of
from convspec.session.tree import Tree
from convspec.text.edits import Edit


@dataclass(slots=True)
class _Around:
    """What is known around the record that is looked at (members.Around)."""

    log: Log
    facts: Facts
    stamp: str | None = None

    def timestamp(self) -> str:
        return self.stamp or (self.facts.named or ("", EPOCH))[1]

    def entry_id(self, record: dict[str, Any]) -> str:
        """Take the id that the message has, where no other record has it."""
        message = record.get("message")
        id = message.get("id") if isinstance(message, dict) else None
        if isinstance(id, str) and self.facts.take(id, self.log):
            return id
        return self.facts.mint(self.log)

    def label_id(self) -> str:
        return self.facts.mint(self.log)

    def session_id(self) -> str:  # pragma: no cover - other headers are set aside
        raise SetAside


def plan(stages: Stages, log: Log, tree: Tree | None, outcome: Outcome, facts: Facts) -> Plan:
    """Mend or set aside each record that a schema complains of; all but the header in force."""
    made = Plan()
    faults = by_row(outcome, "schema-*", "system-prompt-digest")
    in_force = spot_in_force(log)
    if in_force is not None:
        faults.pop(in_force.line, None)
    if not faults:
        return made
    around = _Around(log, facts, first_stamp(stages))
    leaf: str | None = None
    for number, row in stages.numbered():
        record = record_of(row)
        if number in faults and isinstance(record, dict):
            action = Action()
            leaf = _plan_row(action, record, faults[number], around, leaf, has_tree=log.version == 2)
            if action.steps:
                made.actions[number] = action
        else:
            leaf = leaf_behind(record, leaf)
        around.stamp = stamp_of(record) or around.stamp
    return made


def _plan_row(
    action: Action,
    record: dict[str, Any],
    faults: list[Fault],
    around: _Around,
    leaf: str | None,
    *,
    has_tree: bool,
) -> str | None:
    """Plan what is done to a record; return the leaf in force behind it."""
    try:
        type = record.get("type")
        if not isinstance(type, str) or type not in PARTS or type == "session":
            raise SetAside
        for edit, step in mended(record, _violations(record, around.log.version), around, has_tree=has_tree):
            action.edit(edit, step)
        for edit, step in _digest(record, faults):
            action.edit(edit, step)
    except SetAside:
        return _set_aside(action, record, faults, around.facts, leaf)
    if not (has_tree and is_entry(record)):
        return leaf_behind(record, leaf)
    if text_of(record.get("id")) is not None:
        return text_of(record["id"])
    given = next(str(edit.value) for edit in action.edits if edit.path == ("id",))
    if record.get("parentId") in (None, "") and leaf is not None:
        message = "the entry, which has no id, follows the one before it"
        step = Step("attach-entry", "schema-required", message, pointer="/parentId", now=leaf)
        action.edit(Edit(("parentId",), leaf), step)
    return given


def _set_aside(
    action: Action, record: dict[str, Any], faults: list[Fault], facts: Facts, leaf: str | None
) -> str | None:
    """Drop a record. What follows it in the tree will follow its parent."""
    action.edits.clear()
    action.drop = True
    id = text_of(record.get("id"))
    message = "the record is set aside: nothing can be made of it"
    action.steps = [Step("set-aside", faults[0].rule, message, record_id=id)]
    if is_entry(record) and id is not None:
        facts.above[key_of(id) or ""] = key_of(record.get("parentId"))
    return leaf


def _digest(record: dict[str, Any], faults: list[Fault]) -> Iterator[tuple[Edit, Step]]:
    if any(fault.rule == "system-prompt-digest" for fault in faults):
        message = '"hash" is set to the digest of the content'
        step = Step("set-member", "system-prompt-digest", message, pointer="/hash")
        yield Edit(("hash",), prompt_hash(record["content"])), step


def _violations(record: dict[str, Any], version: int) -> Iterator[schemas.Violation]:
    part = schemas.schema_for(FORMAT, version, PARTS[record["type"]])
    return iter(engines.violations(part, record))


def spot_in_force(log: Log) -> Spot | None:
    """Return where the header in force stands."""
    if not log.headers:
        return None
    return next((one for one in log.headers if one[2]), log.headers[0])[0]


def first_stamp(stages: Stages) -> str | None:
    """Return the first timestamp in the log that has the right form."""
    rows: Iterator[Row] = stages.rows()
    try:
        return next((stamp for row in rows if (stamp := stamp_of(record_of(row)))), None)
    finally:
        rows.close()  # type: ignore[attr-defined]
