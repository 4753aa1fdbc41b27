"""Records that stand twice: dropped, so that readers make the same of the log as before."""

from __future__ import annotations

import hashlib

from convspec.repairing.planning import Facts, by_row, is_entry, leaf_behind, record_of, stamp_of
from convspec.repairing.stages import Insert, Plan, Stages
from convspec.repairing.steps import Step
from convspec.session.layers import Outcome
from convspec.session.log import Gap, Log
from convspec.session.records import key_of, text_of
from convspec.session.tree import Tree
from convspec.text.edits import dumped

_SPACE = b" \t\r\n"
DUPLICATES = ("entry-id-duplicate", "header-duplicate")
"""The rules that a record which stands twice breaks."""


def plan(stages: Stages, log: Log, tree: Tree | None, outcome: Outcome, facts: Facts) -> Plan:
    """Drop each entry, and each header, that is byte for byte the one before it with this id.

    An entry sets the leaf: where nothing behind does, and it was another, a leaf record says so instead.
    In a mixed log records without ids are named by their number, so nothing is dropped.
    """
    made = Plan()
    if not by_row(outcome, *DUPLICATES) or log.mixed:
        return made
    ids = set() if tree is None else tree.repeated
    last_setting = max((event.spot.line for event in log.events if not isinstance(event, Gap)), default=0)
    seen: dict[str, bytes] = {}
    headers: set[bytes] = set()
    leaf: str | None = None
    for number, row in stages.numbered():
        record = record_of(row)
        type = record.get("type") if isinstance(record, dict) else None
        text = row.data.strip(_SPACE)
        if type == "session":
            digest = hashlib.sha256(text).digest()
            if digest in headers:
                action = made.at(number)
                action.drop = True
                message = "a header that is there already is dropped"
                action.steps.append(Step("drop-duplicate", "header-duplicate", message))
            headers.add(digest)
        id = key_of(record.get("id")) if is_entry(record) else None
        if id is None or id not in ids:
            leaf = leaf_behind(record, leaf)
            continue
        digest = hashlib.sha256(text).digest()
        stamp = stamp_of(record)
        if seen.get(id) == digest and (number != last_setting or key_of(leaf) == id or stamp):
            action = made.at(number)
            action.drop = True
            message = "a record that is there already is dropped"
            action.steps.append(Step("drop-duplicate", "entry-id-duplicate", message, record_id=id))
            if number == last_setting and key_of(leaf) != id:
                _keep_leaf(made, number, text_of(record["id"]), stamp, row.line)
        else:
            seen[id] = digest
            leaf = leaf_behind(record, leaf)
    return made


def _keep_leaf(made: Plan, number: int, id: str | None, stamp: str | None, line: int | None) -> None:
    data = dumped({"type": "leaf", "timestamp": stamp, "targetId": id}) + b"\n"
    message = "a leaf record says what the dropped record said: go on here"
    step = Step("keep-leaf", "entry-id-duplicate", message, line, now=id)
    made.at(number).before.append(Insert(data, step))
