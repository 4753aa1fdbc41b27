"""Tool calls on the active branch that nobody answered: each gets an answer that says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from convspec.findings import Path
from convspec.history.repair import INTERRUPTED_RESULT
from convspec.repairing.planning import Facts, by_row, record_of
from convspec.repairing.stages import Insert, Plan, Stages
from convspec.repairing.steps import Step
from convspec.schema_faults import value_at
from convspec.session.layers import Outcome
from convspec.session.log import Log
from convspec.session.records import Entry, text_of
from convspec.session.tree import Tree, branch_of
from convspec.text.edits import Edit, dumped

_RULE = "tool-call-unanswered"


@dataclass(slots=True)
class _Hanging:
    """A message with calls that hang: the last entry of its run, and the one behind it."""

    caller: Entry
    last: Entry
    behind: Entry | None
    calls: tuple[Path, ...]


def plan(stages: Stages, log: Log, tree: Tree | None, outcome: Outcome, facts: Facts) -> Plan:
    """Put the answers behind the run of the calls, and what stands behind it, behind them.

    They follow the last result of the run, or the call itself. An entry that followed that on the active
    branch follows them now; other branches stay as they are.
    """
    faults = by_row(outcome, _RULE)
    made = Plan()
    if not faults:
        return made
    hanging = {one.caller.spot.line: one for one in _hanging(log, tree, faults)}
    wanted = hanging.keys() | {one.last.spot.line for one in hanging.values()}
    records: dict[int, tuple[Any, int | None, int | None]] = {}
    for number, row in stages.numbered():
        if number in wanted:
            record = record_of(row)
            records[number] = (_brief(record, hanging.get(number)), row.line, row.record)
    for one in hanging.values():
        _answer(made, one, records, tree, log, facts)
    return made


def _hanging(log: Log, tree: Tree | None, faults: dict[int, Any]) -> Iterator[_Hanging]:
    branch = branch_of(log, tree)
    for at, caller in enumerate(branch):
        if caller.spot.line not in faults:
            continue
        end = at + 1
        while end < len(branch) and _is_result(branch[end]):
            end += 1
        calls = tuple(fault.path for fault in faults[caller.spot.line])
        yield _Hanging(caller, branch[end - 1], branch[end] if end < len(branch) else None, calls)


def _is_result(entry: Entry) -> bool:
    said = entry.said
    return said is not None and said.result is not None and not said.calls and not said.also


def _brief(record: Any, one: _Hanging | None) -> dict[str, Any]:
    """Return what the answers need of a record: its id and time, and of its calls the ids and names."""
    calls = [] if one is None else [value_at(record, path) for path in one.calls]
    return {
        "id": text_of(record.get("id")),
        "timestamp": record.get("timestamp"),
        "calls": [(call.get("id") or "", _tool(call)) for call in calls if isinstance(call, dict)],
    }


def _tool(call: dict[str, Any]) -> str | None:
    function = call.get("function")
    name = function.get("name") if isinstance(function, dict) else call.get("name")
    return name if isinstance(name, str) and name else None


def _answer(
    made: Plan,
    one: _Hanging,
    records: dict[int, tuple[Any, int | None, int | None]],
    tree: Tree | None,
    log: Log,
    facts: Facts,
) -> None:
    brief, line, record = records[one.caller.spot.line]
    last = records[one.last.spot.line][0]
    above, answers = last["id"], []
    for id, tool in brief["calls"]:
        message: dict[str, Any] = {"role": "tool", "tool_call_id": id}
        if tool is not None:
            message["name"] = tool
        message["content"] = INTERRUPTED_RESULT
        own = facts.mint(log)
        value: dict[str, Any] = {"type": "message", "timestamp": last["timestamp"], "message": message}
        if tree is not None:
            value = {"type": "message", "id": own, "parentId": above, **value}
            message["id"] = above = own
        told = "an answer is written that says the call was interrupted"
        now = None if tree is None else own
        step = Step("answer-call", _RULE, told, line, record, record_id=brief["id"], now=now)
        answers.append(Insert(dumped(value) + b"\n", step))
    if one.behind is None:
        made.tail += answers
        return
    action = made.at(one.behind.spot.line)
    action.before += answers
    if tree is not None:
        told = "the entry follows the answers that were written"
        step = Step("attach-entry", _RULE, told, pointer="/parentId", was=last["id"], now=above)
        action.edit(Edit(("parentId",), above), step)
