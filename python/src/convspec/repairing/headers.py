"""The header: written from the file's name where there is none, and mended where it is broken."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from convspec import engines, schemas
from convspec.repairing.members import mended
from convspec.repairing.planning import EPOCH, Facts, by_row, record_of
from convspec.repairing.records import first_stamp, spot_in_force
from convspec.repairing.stages import Insert, Plan, Stages
from convspec.repairing.steps import Step
from convspec.session.layers import Outcome
from convspec.session.log import FORMAT, Log
from convspec.session.reading import RECOVERING
from convspec.session.records import PARTS, TREE
from convspec.session.tree import Tree
from convspec.text.edits import Edit, dumped
from convspec.versions import read_version


class Newer(Exception):
    """The log is of a newer version: nothing is done to it."""


@dataclass(frozen=True, slots=True)
class _Around:
    """What is known of the header (members.Around)."""

    facts: Facts
    stages: Stages

    def timestamp(self) -> str:
        named = self.facts.named
        return named[1] if named is not None else first_stamp(self.stages) or EPOCH

    def session_id(self) -> str:
        named = self.facts.named
        return named[0] if named is not None else str(uuid.uuid4())

    def entry_id(self, record: dict[str, Any]) -> str:  # pragma: no cover - a header is no entry
        raise AssertionError

    label_id = session_id


def plan(stages: Stages, log: Log, tree: Tree | None, outcome: Outcome, facts: Facts) -> Plan:
    """Write a header where there is none and the name is known, else mend the one in force. Raises Newer."""
    spot = spot_in_force(log)
    if spot is None:
        return written(log, facts)
    made = Plan()
    found = by_row(outcome, "schema-*", "version-*").get(spot.line)
    if not found:
        return made
    record = next(record_of(row) for number, row in stages.numbered() if number == spot.line)
    action = made.at(spot.line)
    for edit, step in mended(record, _violations(record, log.version), _Around(facts, stages), has_tree=True):
        action.edit(edit, step)
    _, fault = read_version(record, FORMAT)
    if fault is not None and fault.rule == "version-newer":
        raise Newer
    if fault is not None:
        version = _version(log)
        message = f"the version is set to {version}, which the records are of"
        step = Step("set-version", fault.rule, message, pointer="/version")
        action.edit(Edit(("version",), version), step)
    return made


def written(log: Log, facts: Facts) -> Plan:
    """Plan a header before all other records, by the file's name (session.md#header-recovery)."""
    if facts.named is None:
        return Plan()
    id, stamp = facts.named
    header = {"type": "session", "version": _version(log), "id": id, "timestamp": stamp, "cwd": ""}
    rule = "header-recovered" if log.types & RECOVERING else "header-missing"
    message = "a header is written from the file's name; the workspace is not known"
    return Plan(head=[Insert(dumped(header) + b"\n", Step("write-header", rule, message, now=id))])


def _version(log: Log) -> int:
    """Return the version that the records are of: 1 where there are tree records, and none has an id."""
    return 1 if log.types & TREE and next(log.entries(), None) is None else _with_ids(log)


def _with_ids(log: Log) -> int:
    """Entries of a log that was read as version 1 need not have ids."""
    if log.version == 1 and not log.mixed and next(log.entries(), None) is not None:
        return 1
    return schemas.versions(FORMAT)[-1]


def _violations(record: dict[str, Any], version: int) -> list[schemas.Violation]:
    part = schemas.schema_for(FORMAT, version, PARTS["session"])
    broken = engines.violations(part, record)
    return [one for one in broken if one.path != ("version",) and one.member != "version"]
