"""100,000 damaged logs: nothing escapes, the engines agree, and what was not damaged is still read."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from typing import NamedTuple

import pytest

from convspec import Verdict, check, engines, schemas
from convspec.session.records import PARTS
from convspec.text.lines import read_line
from log_damages import damaged

DAMAGES = 100_000
SHARDS = 20
SEED = 20_260_211


class _Line(NamedTuple):
    """What stands on a line, as the reader sees it."""

    records: int
    asked: tuple[str, ...]
    """The records that a schema is for."""
    complaints: tuple[str, ...]
    """Those of them on which the engines differ."""


@lru_cache(maxsize=20_000)
def _line(line: bytes) -> _Line:
    """Read a line, and ask both engines about its records. Most lines are met often: they are sound."""
    records, asked, complaints = 0, list[str](), list[str]()
    for value in read_line(line).values:
        record = value.value
        if not isinstance(record, dict):
            continue
        kind = record.get("type")
        records += isinstance(kind, str)
        if kind not in PARTS:
            continue
        asked.append(json.dumps(record, sort_keys=True))
        path = schemas.schema_for("session", 2, PARTS[kind])
        fast = engines.violations(path, record)
        if fast != engines.violations(path, record, by=engines.plain_engine(path)):
            complaints.append(f"the engines differ on {asked[-1][:200]}")
    return _Line(records, tuple(asked), tuple(complaints))


def _damage(seed: int, count: int) -> tuple[int, list[str]]:
    """Check `count` damaged logs; return how many records the engines were asked about, and complaints."""
    rng, complaints = random.Random(seed), list[str]()
    asked: set[str] = set()
    for number in range(count):
        data, lines, left = damaged(rng)
        report = check(data, name="log.jsonl", format="session")
        if report.verdict is Verdict.UNREADABLE:
            complaints.append(f"{seed}/{number}: unreadable")
        whole = sum(_line(lines[index]).records for index in left)
        if report.tally and report.tally["records"] < whole:
            complaints.append(f"{seed}/{number}: {report.tally['records']} of {whole} records read")
        for line in map(_line, data.splitlines(keepends=True)):
            asked.update(line.asked)
            complaints += line.complaints
    return len(asked), complaints


@pytest.mark.parametrize("shard", range(SHARDS))
def test_damaged_logs_are_read_as_far_as_they_go(shard: int) -> None:
    asked, complaints = _damage(SEED + shard, DAMAGES // SHARDS)
    assert complaints[:10] == []
    assert asked > 10_000 // SHARDS
