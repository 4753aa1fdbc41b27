"""Damaged logs: a repair leaves no error, and every record that could be read is still there.

2,000 damages here; CONVSPEC_REPAIR_DAMAGES asks for more.
"""

from __future__ import annotations

import io
import json
import os
import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

import pytest

from convspec import FileReport, Severity, Verdict, check
from convspec.repairing.framing import Row
from convspec.repairing.headers import Newer
from convspec.repairing.logs import LogRepair
from convspec.repairing.steps import KINDS, Journal, Step
from convspec.rules import catalogue
from convspec.sources import Source
from convspec.text.lines import Value, read_line
from convspec.text.tokens import BOM
from log_damages import damaged

DAMAGES = int(os.environ.get("CONVSPEC_REPAIR_DAMAGES", "2000"))
SHARDS = 10
SEED = 20_260_212
NAME = "2026-02-11T08-15-30.120Z_3f1c9a52-7d0e-4b61-9a0e-6c2f4d8b17aa.jsonl"
Origin = tuple[int, int | None]


@dataclass(frozen=True)
class Repaired:
    """A repaired log: its rows, the steps, and what was rejected."""

    rows: list[Row]
    steps: list[Step]
    rejected: bytes

    @property
    def data(self) -> bytes:
        return b"".join(row.data for row in self.rows)


def repaired(data: bytes, *, unsafe: bool) -> Repaired:
    planned = LogRepair(Source(NAME, data), NAME, unsafe=unsafe)
    planned.plan()
    sink = io.BytesIO()
    journal = Journal(sink)
    return Repaired(list(planned.rows(journal)), journal.steps, sink.getvalue())


def records(data: bytes) -> dict[Origin, bytes]:
    """Return every record that can be read, by its line and, where the line has several, its number."""
    found: dict[Origin, bytes] = {}
    for number, line in enumerate(io.BytesIO(data), 1):
        values = read_line(line, start=len(BOM) if number == 1 and line.startswith(BOM) else 0).values
        for count, value in enumerate(values, 1):
            if _is_record(value):
                found[number, count if len(values) > 1 else None] = line[value.start : value.end]
    return found


def _is_record(value: Value) -> bool:
    return isinstance(value.value, dict) and isinstance(value.value.get("type"), str)


def judged(data: bytes) -> FileReport:
    return check(data, name=NAME, format="session")


def faulty(report: FileReport) -> set[Origin]:
    """Return the records that have an error of their own."""
    return {
        (finding.line, finding.record)
        for finding in report.findings
        if finding.line is not None and finding.severity is Severity.ERROR and finding.pointer is not None
    }


def without(text: bytes, pointers: set[str]) -> Any:
    """Return a record without the members that a step names."""
    value = json.loads(text)
    for pointer in pointers:
        *above, last = pointer.split("/")[1:]
        holder = value
        for key in above:
            holder = holder[int(key) if isinstance(holder, list) else key]
        if isinstance(holder, dict):
            holder.pop(last, None)
    return value


def lost(data: bytes, report: FileReport, result: Repaired) -> list[str]:
    """Return complaints about records without an error of their own that are gone, or changed unsaid."""
    there = {row.data.strip(): row for row in result.rows}
    by_origin = {(row.line, row.record): row for row in result.rows}
    steps: dict[Origin, list[Step]] = defaultdict(list)
    for step in result.steps:
        if step.line is not None:
            steps[step.line, step.record].append(step)
    complaints, errors = [], faulty(report)
    for origin, text in records(data).items():
        if origin in errors or text in there:
            continue
        row, named = by_origin.get(origin), {step.pointer for step in steps[origin]} - {None}
        if row is None:
            complaints.append(f"{origin} is gone: {steps[origin]}")
        elif without(text, named) != without(row.data, named):  # type: ignore[arg-type]
            complaints.append(f"{origin} is changed: {steps[origin]}")
    return complaints


@pytest.mark.parametrize("shard", range(SHARDS))
def test_after_unsafe_steps_no_error_is_left_and_nothing_is_lost(shard: int) -> None:
    rng, complaints, newer = random.Random(SEED + shard), list[str](), 0
    for number in range(DAMAGES // SHARDS):
        data, _, _ = damaged(rng)
        before = judged(data)
        try:
            result = repaired(data, unsafe=True)
        except Newer:
            newer += 1
            continue
        after = judged(result.data)
        told = [finding.rule for finding in after.findings if finding.severity is Severity.ERROR]
        told += lost(data, before, result)
        told += _rejected_wrongly(data, result)
        again = repaired(result.data, unsafe=True)
        if again.steps or again.data != result.data:
            told.append(f"repaired again: {again.steps[:2]}")
        rules = {step.rule for step in result.steps}
        if before.verdict is Verdict.VALID and "version-mixed" not in rules and not rules <= _WARNINGS:
            told.append(f"a valid log is changed: {result.steps[:2]}")
        complaints += [f"{SEED + shard}/{number}: {complaint}" for complaint in told]
    assert complaints[:10] == []
    assert newer <= DAMAGES // SHARDS // 50


_WARNINGS = {
    "line-unterminated",
    "header-recovered",
    "header-duplicate",
    "tool-call-unanswered",
}
"""What a valid log may have that is mended all the same."""


def _rejected_wrongly(data: bytes, result: Repaired) -> list[str]:
    """Return complaints where a step does not lead to bytes of the damaged log."""
    told, lines = [], list(io.BytesIO(data))
    end = 0
    for step in result.steps:
        if step.rejected is None:
            continue
        offset, length = step.rejected
        piece = result.rejected[offset : offset + length]
        end = max(end, offset + length + 1)
        if step.line is None or piece not in lines[step.line - 1]:
            told.append(f"rejected bytes of no line: {step}")
    return told if end == len(result.rejected) else [*told, "rejected bytes of no step"]


@pytest.mark.parametrize("shard", range(SHARDS))
def test_after_safe_steps_readers_make_the_same_of_the_log(shard: int) -> None:
    rng, complaints = random.Random(SEED - 1 - shard), list[str]()
    for number in range(DAMAGES // SHARDS):
        data, _, _ = damaged(rng)
        before = judged(data)
        if before.verdict is Verdict.UNSUPPORTED:
            continue
        result = repaired(data, unsafe=False)
        after = judged(result.data)
        told = []
        if result.data.strip() and before.reading != after.reading:
            told.append(f"read otherwise: {result.steps}")
        if not all(step.safe for step in result.steps):
            told.append("an unsafe step")
        layers = {finding.rule: catalogue()[finding.rule].layer for finding in after.findings}
        left = {rule for rule, layer in layers.items() if layer == "bytes"} - {"line-blank", "line-ending"}
        if left and result.data.strip():
            told.append(f"left: {left}")
        gone = set(records(data).values()) - {row.data.strip() for row in result.rows}
        if gone:
            told.append(f"{len(gone)} records are gone")
        complaints += [f"{SEED - 1 - shard}/{number}: {complaint}" for complaint in told]
    assert complaints[:10] == []


def test_the_damages_call_for_most_kinds_of_steps() -> None:
    rng, met = random.Random(SEED), Counter[str]()
    for _ in range(1500):
        data, _, _ = damaged(rng)
        try:
            met.update(step.name for step in repaired(data, unsafe=True).steps)
        except Newer:
            continue
    rare = {"drop-keys", "replace-surrogates", "remove-mark", "split-records", "move-reference"}
    histories = {"drop-trailing", "close-document", "rename-message"}
    assert KINDS.keys() - met.keys() <= rare | histories
