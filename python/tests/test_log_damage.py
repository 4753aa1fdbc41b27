"""100,000 damaged logs: nothing escapes, the engines agree, and what was not damaged is still read."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from conftest import ROOT
from convspec import Verdict, check, engines, schemas
from convspec.conformance.cases import cases
from convspec.session.records import PARTS
from convspec.text.lines import read_line

DAMAGES = 100_000
SEED = 20_260_211
_BITS = (
    b"",
    b"\0",
    b"\0" * 40,
    b"\n",
    b"\r\n",
    b"{",
    b"}",
    b'"',
    b"\\",
    b"\xff",
    b"\xe2\x82",
    b"[]\n",
    b'{"type":"',
)

Damage = tuple[list[bytes], set[int]]
"""The pieces of a damaged log, and the lines of the sound one that stand in it as they were."""


def _logs() -> list[list[bytes]]:
    """Return the sound logs of the corpus, as lines."""
    found = []
    for case in cases(ROOT / "conformance"):
        data = case.tree.files.get(case.document["input"], b"")
        sound = case.document["format"] == "session" and case.document["expect"]["verdict"] == "valid"
        if sound and len(data) < 6000 and data.endswith(b"\n"):
            found.append(data.splitlines(keepends=True) if b"\r" not in data else data.split(b"\n"))
    return [log for log in found if all(line.endswith(b"\n") for line in log)]


def _cut(lines: list[bytes], rng: random.Random) -> Damage:
    """The end is torn off."""
    at = rng.randrange(len(lines))
    line = lines[at]
    return [*lines[:at], line[: rng.randrange(len(line))]], set(range(at))


def _flipped(lines: list[bytes], rng: random.Random) -> Damage:
    """One byte of one line is another; its newline is left alone."""
    at = rng.randrange(len(lines))
    line = bytearray(lines[at])
    line[rng.randrange(max(1, len(line) - 1))] = rng.choice([byte for byte in range(256) if byte != 10])
    return [*lines[:at], bytes(line), *lines[at + 1 :]], set(range(len(lines))) - {at}


def _spliced(lines: list[bytes], rng: random.Random) -> Damage:
    """A line breaks off, and the next record stands on what is left of it."""
    at = rng.randrange(len(lines))
    rest = lines[at][: rng.randrange(len(lines[at]))] + rng.choice(_BITS)
    return [*lines[:at], rest, *lines[at + 1 :]], set(range(len(lines))) - {at, at + 1}


def _inserted(lines: list[bytes], rng: random.Random) -> Damage:
    """Bytes stand where none should."""
    at = rng.randrange(len(lines))
    place = rng.randrange(len(lines[at]))
    line = lines[at][:place] + rng.choice(_BITS) + lines[at][place:]
    return [*lines[:at], line, *lines[at + 1 :]], set(range(len(lines))) - {at}


def _doubled(lines: list[bytes], rng: random.Random) -> Damage:
    """Lines stand twice."""
    at = rng.randrange(len(lines))
    end = rng.randrange(at, len(lines)) + 1
    to = rng.randrange(len(lines) + 1)
    return [*lines[:to], *lines[at:end], *lines[to:]], set(range(len(lines)))


def _reordered(lines: list[bytes], rng: random.Random) -> Damage:
    """Lines stand in another order."""
    shuffled = list(lines)
    rng.shuffle(shuffled)
    return shuffled, set(range(len(lines)))


_KINDS: tuple[Callable[[list[bytes], random.Random], Damage], ...] = (
    _cut,
    _flipped,
    _spliced,
    _inserted,
    _doubled,
    _reordered,
)


def _records(line: bytes) -> list[object]:
    return [value.value for value in read_line(line).values if isinstance(value.value, dict)]


def _is_record(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _damage(seed: int, count: int) -> tuple[int, list[str]]:
    """Check `count` damaged logs; return how many records the engines were asked about, and complaints."""
    rng, logs, complaints = random.Random(seed), _logs(), list[str]()
    asked: set[str] = set()
    for number in range(count):
        lines = rng.choice(logs)
        pieces, left = rng.choice(_KINDS)(lines, rng)
        if rng.random() < 0.3:  # a second wound, anywhere
            more, _ = rng.choice(_KINDS)(b"".join(pieces).splitlines(keepends=True) or [b"\n"], rng)
            pieces, left = more, set()
        data = b"".join(pieces)
        report = check(data, name="log.jsonl", format="session")
        if report.verdict is Verdict.UNREADABLE:
            complaints.append(f"{seed}/{number}: unreadable")
        whole = sum(_is_record(record) for index in left for record in _records(lines[index]))
        if report.tally and report.tally["records"] < whole:
            complaints.append(f"{seed}/{number}: {report.tally['records']} of {whole} records read")
        complaints += _differences(pieces, asked)
    return len(asked), complaints


def _differences(pieces: list[bytes], asked: set[str]) -> list[str]:
    """Ask both engines about every record that neither was asked about before."""
    found = []
    for line in b"".join(pieces).splitlines(keepends=True):
        for record in _records(line):
            assert isinstance(record, dict)
            kind = record.get("type")
            name = json.dumps(record, sort_keys=True)
            if kind not in PARTS or name in asked:
                continue
            asked.add(name)
            path = schemas.schema_for("session", 2, PARTS[kind])
            fast = engines.violations(path, record)
            if fast != engines.violations(path, record, by=engines.plain_engine(path)):
                found.append(f"the engines differ on {name[:200]}")
    return found


def test_damaged_logs_are_read_as_far_as_they_go() -> None:
    workers = os.cpu_count() or 1
    chunks = 20
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        seeds = [SEED + chunk for chunk in range(chunks)]
        done = list(pool.map(_damage, seeds, [DAMAGES // chunks] * chunks))
    assert [complaint for _, complaints in done for complaint in complaints][:10] == []
    assert sum(asked for asked, _ in done) > 10_000
