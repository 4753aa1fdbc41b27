"""What a member gets that is missing or of the wrong form (session.md, section 2).

As near as can be to what readers make of the record as it is: they take an optional member of the wrong
type as null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from convspec.findings import Path
from convspec.pointers import to_pointer
from convspec.repairing.steps import Step
from convspec.schema_faults import fault_of, value_at
from convspec.schemas import Violation
from convspec.session.record_checks import prompt_hash
from convspec.session.records import TREE
from convspec.text.edits import REMOVED, Edit

Mended = tuple[Edit, Step]


class SetAside(Exception):
    """Nothing can be made of the record."""


class Around(Protocol):
    """What is known where the record stands."""

    def timestamp(self) -> str:
        """Return the timestamp of the record before."""

    def entry_id(self, record: dict[str, Any]) -> str:
        """Return an id for a tree record."""

    def session_id(self) -> str:
        """Return the id of the session."""

    def label_id(self) -> str:
        """Return an id for a label."""


def mended(
    record: dict[str, Any], violations: Iterable[Violation], around: Around, *, has_tree: bool
) -> Iterator[Mended]:
    """Yield the edits that make a record fit its schema. Raises SetAside.

    `has_tree`: references of a form that leads nowhere are left to those who mend what leads nowhere.
    """
    by_path = {(*one.path, one.member) if one.member else one.path: one for one in violations}
    for path, violation in sorted(by_path.items(), key=lambda item: to_pointer(item[0])):
        if has_tree and violation.keyword == "type" and _leads_nowhere(record, path):
            continue
        value, told = _value(record, path, violation, around)
        now = value if path[-1] in _IDS and isinstance(value, str) else None
        rule = fault_of(violation, record).rule
        yield Edit(path, value), Step("set-member", rule, told, pointer=to_pointer(path), now=now)


def _leads_nowhere(record: dict[str, Any], path: Path) -> bool:
    reference = (record["type"] in TREE and path == ("parentId",)) or (
        record["type"] == "leaf" and path == ("targetId",)
    )
    return reference and not _is_integer(record.get(str(path[-1])))


_IDS = frozenset(("id", "parentId", "targetId", "fromId"))
_CALLS = ("tool_calls", "toolCalls")


def _value(record: dict[str, Any], path: Path, violation: Violation, around: Around) -> tuple[Any, str]:
    """Return the value that a member gets, and that in words."""
    type, name = record["type"], f'"{path[-1]}"'
    if len(path) == 1 and path[0] in _IDS and type != "session" and _is_integer(record.get(str(path[0]))):
        return str(record[str(path[0])]), f"{name} is made a string"
    known = _KNOWN.get((type, path)) or _KNOWN.get(("tree" if type in TREE else "", path))
    known = known or _KNOWN.get(("", path))
    nullable = violation.keyword == "minimum" or (
        violation.keyword == "type" and "null" in violation.expected
    )
    if nullable:
        return None, f"{name} is set to null, as readers take it"
    if known is not None:
        make, words = known
        return make(record, around), f"{name} is set to {words}"
    if len(path) == 3 and path[1] in _CALLS:
        return REMOVED, "a call that is no object is taken out"
    raise SetAside


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _hash(record: dict[str, Any], around: Around) -> str:
    content = record.get("content")
    digest = prompt_hash(content) if isinstance(content, str) else None
    if digest is None:
        raise SetAside
    return digest


def _outer_flag(record: dict[str, Any], around: Around) -> bool:
    return record.get("isError") is True


def _inner_flag(record: dict[str, Any], around: Around) -> bool:
    return value_at(record, ("result", "isError")) is True


def _fixed(value: Any) -> Callable[[dict[str, Any], Around], Any]:
    return lambda record, around: value


_Make = Callable[[dict[str, Any], Around], Any]
_KNOWN: dict[tuple[str, Path], tuple[_Make, str]] = {
    ("", ("timestamp",)): (lambda _, around: around.timestamp(), "the nearest one known"),
    ("tree", ("id",)): (lambda record, around: around.entry_id(record), "an id that no record has"),
    ("session", ("id",)): (lambda _, around: around.session_id(), "the id of the session"),
    ("session", ("cwd",)): (_fixed(""), '"", which is not known'),
    ("leaf", ("targetId",)): (_fixed(None), "null, as readers take it"),
    ("label", ("id",)): (lambda _, around: around.label_id(), "an id that no record has"),
    ("label", ("label",)): (_fixed(None), "null, as readers take it"),
    ("branch_summary", ("summary",)): (_fixed(""), '""'),
    ("system_prompt", ("reason",)): (_fixed("unknown"), '"unknown"'),
    ("system_prompt", ("hash",)): (_hash, "the digest of the content"),
    ("memory_state", ("sessionMemories",)): (_fixed([]), "[], as readers take it"),
    ("memory_state", ("lastRetrieval",)): (_fixed(None), "null, as readers take it"),
    ("tool_execution_end", ("toolCallId",)): (_fixed(None), "null"),
    ("tool_execution_end", ("toolName",)): (_fixed(None), "null"),
    ("tool_execution_end", ("args",)): (_fixed({}), "{}"),
    ("tool_execution_end", ("isError",)): (_inner_flag, "the flag of the result, or false"),
    ("tool_execution_end", ("result", "content")): (_fixed(""), '""'),
    ("tool_execution_end", ("result", "isError")): (_outer_flag, "the flag of the record, or false"),
}
"""What a member gets by the type of its record (or in the tree, or anywhere) and its path."""
