"""What the planners of a log share: the file's name, new ids, and what became of entries set aside."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from convspec.findings import Fault
from convspec.instants import instant
from convspec.repairing.framing import Row
from convspec.repairing.stages import Plan, Stages
from convspec.session.layers import Outcome
from convspec.session.log import Log
from convspec.session.reading import store_name
from convspec.session.records import TREE, key_of, text_of
from convspec.session.tree import Tree
from convspec.text.lines import read_line

EPOCH = "1970-01-01T00:00:00.000Z"
"""The time of a log in which no record has one."""


def new_id() -> str:
    """Return an id as programs give it to a record: 32 lower-case hexadecimal digits."""
    return uuid.uuid4().hex


@dataclass(slots=True)
class Facts:
    """What is known of the log beyond what a check says."""

    name: str | None
    """The file's name, without folders."""
    given: set[str] = field(default_factory=set)
    """Ids that were made up, or taken from a message."""
    above: dict[str, str | None] = field(default_factory=dict)
    """The parents of entries that were set aside, by their ids."""

    @property
    def named(self) -> tuple[str, str] | None:
        """Id and timestamp of the session, where the file has a store name."""
        return store_name(self.name)

    def mint(self, log: Log) -> str:
        """Return an id that no record of the log has."""
        while not self.take(id := new_id(), log):
            pass
        return id

    def take(self, id: str, log: Log) -> bool:
        """Claim an id; return False where a record has it already."""
        key = key_of(id)
        names = log.names
        if key is None or key in names.known or key in names.unknown or key in self.given:
            return False
        self.given.add(key)
        return True


Planner = Callable[[Stages, Log, "Tree | None", Outcome, Facts], Plan]
"""Plans one kind of repair from what a check says of the rows; an empty plan where there is none to do."""


def record_of(row: Row) -> Any:
    """Return the record on a row; None where there is none."""
    values = read_line(row.data).values
    return values[0].value if len(values) == 1 else None


def by_row(outcome: Outcome, *rules: str) -> dict[int, list[Fault]]:
    """Return the faults of these rules, or of rules that begin so where one ends in `*`, by their rows."""
    found: dict[int, list[Fault]] = {}
    starts = tuple(rule.removesuffix("*") for rule in rules if rule.endswith("*"))
    for fault in outcome.faults:
        if fault.spot is not None and (fault.rule in rules or (starts and fault.rule.startswith(starts))):
            found.setdefault(fault.spot.line, []).append(fault)
    return found


def is_entry(record: Any) -> bool:
    """Say whether a record is one of the tree, whatever its id."""
    return isinstance(record, dict) and isinstance(record.get("type"), str) and record["type"] in TREE


def stamp_of(record: Any) -> str | None:
    """Return a record's timestamp where it has the right form."""
    stamp = record.get("timestamp") if isinstance(record, dict) else None
    return stamp if isinstance(stamp, str) and instant(stamp) is not None else None


def leaf_behind(record: Any, leaf: str | None) -> str | None:
    """Return the leaf in force behind a record, as text."""
    if is_entry(record):
        return text_of(record.get("id")) or leaf
    if isinstance(record, dict) and record.get("type") == "leaf":
        return text_of(record.get("targetId"))
    return leaf
