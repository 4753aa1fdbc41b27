"""Repair of logs that were made to hurt: no error is left, time grows in step, memory stays in bounds."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import convspec.conformance.cases
import convspec.repairing.files
from convspec import Severity, check
from convspec.repairing.documents import Document
from convspec.repairing.headers import Newer
from convspec.repairing.steps import Journal
from growth import LIMIT, growth
from inputs import corpus_files
from test_repair_damage import NAME, repaired
from test_session_hostile import (
    HEADER,
    MEGABYTE,
    RECORD,
    SMALL,
    calls_and_results,
    chain,
    compaction,
    labels,
    leaf,
    message,
    nested_kept,
    roots,
)

pytestmark = pytest.mark.usefixtures("no_old_garbage")
LARGEST = 5 * MEGABYTE


def errors_left(data: bytes) -> list[str]:
    """Repair a log, and return the errors that are left, or say what else is wrong."""
    try:
        result = repaired(data, unsafe=True)
    except Newer:
        return []
    report = check(result.data, name=NAME, format="session")
    left = [one.rule for one in report.findings if one.severity is Severity.ERROR]
    if not left and repaired(result.data, unsafe=True).data != result.data:
        return ["repaired again, it is another"]
    return left


@pytest.mark.parametrize("name", SMALL)
def test_the_time_grows_in_step_with_the_log(name: str) -> None:
    make, count, _ = SMALL[name]
    count = min(count, LARGEST)

    def run(data: bytes) -> object:
        return repaired(data, unsafe=True)

    assert growth(run, lambda n: HEADER + make(n), count) < LIMIT


@pytest.mark.parametrize("name", SMALL)
def test_no_error_is_left(name: str) -> None:
    make, count, _ = SMALL[name]
    assert errors_left(HEADER + make(min(count, LARGEST))) == []


def test_random_pieces_of_logs_are_mended() -> None:
    rng = random.Random(18)
    pieces = rb'{ } [ ] , : " \ \u0000 \ud800 1 -0 1e999 NaN true null "type" "id" "message"'.split()
    pieces += [b"\n", b"\r\n", b"\xff", b"\xe2\x82", b"\xef\xbb\xbf", b"\0", b"\0\0", b" "]
    pieces += [HEADER, RECORD, RECORD[:40], RECORD[50:], b'{"type":"message"', b',"parentId":[]}']
    pieces += [message(b"e", b"e"), compaction(b"c", b"e", b"message:0"), leaf(b"e"), roots(2), chain(2)]
    left = {}
    for number in range(2_000):
        data = b"".join(rng.choices(pieces, k=rng.randint(1, 30)))
        told = errors_left(data)
        if told:
            left[number] = told
    assert left == {}


VALUES = (None, "", "x", 0, -1, 1.5, True, [], {}, [[]], "message:0", "e0", "e1", "2026-02-30T25:00:00Z")


def test_records_with_any_value_anywhere_are_mended() -> None:
    rng = random.Random(19)
    lines = (HEADER + calls_and_results(2) + nested_kept(3) + labels(1) + leaf(b"e")).splitlines()
    records = [json.loads(line) for line in lines]
    stamp = {"timestamp": "2026-02-11T08:00:00Z"}
    records += [
        {"type": "branch_summary", **stamp, "id": "b", "summary": "s"},
        {"type": "session_info", **stamp, "name": "n"},
        {"type": "system_prompt", **stamp, "content": "c", "hash": "h"},
        {"type": "memory_state", "sessionMemories": [], "lastRetrieval": None},
        {"type": "tool_execution_end", "toolCallId": "c0", "result": {"isError": False}, "args": {}},
        {**records[0], "version": 1},
    ]
    keys = sorted({key for record in records for key in record} | {"fromId", "parentPath"})
    inner = ("id", "role", "content", "tool_calls", "toolCalls", "tool_call_id", "toolCallId", "summary")
    inner += ("first_kept_entry_id", "firstKeptEntryId", "response_items", "responseItems", "name")
    left = {}
    for number in range(2_000):
        chosen = [dict(rng.choice(records)) for _ in range(rng.randint(1, 12))]
        for record in chosen:
            _change(record, keys, rng)
            if isinstance(record.get("message"), dict):
                record["message"] = dict(record["message"])
                _change(record["message"], inner, rng)
        data = b"".join(json.dumps(record).encode() + b"\n" for record in chosen)
        told = errors_left(data)
        if told:
            left[number] = told, data
    assert dict(list(left.items())[:3]) == {}


def _change(record: dict[str, object], keys: tuple[str, ...] | list[str], rng: random.Random) -> None:
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        key = rng.choice(keys)
        if rng.random() < 0.4:
            record.pop(key, None)
        else:
            record[key] = rng.choice(VALUES)


def test_every_log_of_the_corpus_is_mended(all_cases: tuple[convspec.conformance.cases.Case, ...]) -> None:
    left = {}
    for case in all_cases:
        data = case.tree.files.get(str(case.document.get("input")))
        if data is None or case.document["format"] != "session" or case.document["kind"] != "check":
            continue
        told = errors_left(data)
        if told:
            left[case.id] = told
    assert left == {}


def test_no_history_of_the_corpus_makes_it_raise(tmp_path: Path) -> None:
    for data in corpus_files().values():
        source = tmp_path / "history.json"
        source.write_bytes(data)
        for unsafe in (False, True):
            try:
                done = convspec.repairing.files.repair(source, unsafe=unsafe, format="history")
            except convspec.repairing.files.NewerVersion:
                continue
            assert unsafe or all(step.safe for step in done.steps)


def _history(messages: bytes) -> bytes:
    return b'{"version":1,"messages":[' + messages + b"]}"


_USER = b'{"id":"m%d","role":"user","content":"%s"}'
_CALL = b'{"id":"m%d","role":"assistant","content":"","tool_calls":[{"id":"k","name":"n","arguments":{}}]}'
HISTORIES: dict[str, tuple[Callable[[int], bytes], str]] = {
    "one id": (lambda n: _history(b",".join(_USER % (0, b"%d" % i) for i in range(n))), "rename-message"),
    "one message": (lambda n: _history(b",".join(_USER % (0, b"x") for _ in range(n))), "drop-duplicate"),
    "surrogates": (
        lambda n: _history(b",".join(_USER % (i, rb"\ud800") for i in range(n))),
        "replace-surrogates",
    ),
    "keys": (
        lambda n: _history(b",".join((_USER % (i, b"x"))[:-1] + b',"role":"user"}' for i in range(n))),
        "drop-keys",
    ),
    "keys of one message": (
        lambda n: _history(b'{"id":"m",' + b'"content":"x",' * n + b'"role":"user"}'),
        "drop-keys",
    ),
    "calls": (lambda n: _history(b",".join(_CALL % i for i in range(n))), "answer-call"),
    "cut": (lambda n: _history(b",".join(_USER % (i, b"x") for i in range(n)))[:-9], "close-document"),
    "cut in brackets": (lambda n: _history(_USER % (0, b"x") + b"," + b"[1,[2]," * n)[:-2], "close-document"),
    "bytes": (lambda n: _history(_USER % (0, b"\xff" * n)), "replace-bytes"),
    "NULs": (lambda n: _history(_USER % (0, b"x")) + b"\0\n" * n, "drop-nuls"),
    "something behind": (lambda n: _history(_USER % (0, b"x")) + b"{" * n, "drop-trailing"),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_a_hostile_history_is_mended_in_time_that_grows_in_step(name: str, tmp_path: Path) -> None:
    make, step = HISTORIES[name]

    def run(data: bytes) -> Journal:
        journal = Journal()
        document = Document(data, None, journal)
        document.repair(unsafe=True)
        assert check(document.data).valid or name == "cut in brackets"
        return journal

    assert {one.name for one in run(make(20)).steps} == {step}
    assert growth(run, make, 1_000) < LIMIT


PEAK = """
import sys
from convspec.repairing.files import repair
done = repair(sys.argv[1], sys.argv[2], unsafe=True)
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(done.valid, len(done.steps), int(peak) * 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to know the peak")
def test_a_log_of_60_mb_is_not_kept(tmp_path: Path) -> None:
    count, path = 60_000, tmp_path / "log.jsonl"
    body = b'"role":"user","content":"' + b"x" * 840 + b'"'
    with path.open("wb") as file:
        file.write(HEADER)
        for i in range(count):
            line = message(b"entry-%08d" % i, b"entry-%08d" % (i - 1) if i else None, body)
            file.write(line[:100] + b"\n" if i % 10_000 == 5_000 else line)
    environment = {**os.environ, "PYTHONPATH": str(Path(convspec.__file__).parents[1])}
    command = [sys.executable, "-c", PEAK, str(path), str(tmp_path / "mended.jsonl")]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    valid, steps, peak = run.stdout.split()
    assert (valid, steps) == ("True", "12")
    assert int(peak) < 60 * MEGABYTE + 1_500 * count
