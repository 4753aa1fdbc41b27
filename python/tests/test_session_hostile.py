"""Logs that were made to hurt: exact findings, time that grows in step, memory that stays in bounds."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

import pytest

import convspec
from convspec.findings import FileReport, Verdict
from convspec.sources import Source
from growth import LIMIT, SLACK, growth, lag

STAMP = b'"timestamp":"2026-02-11T08:00:00Z"'
HEADER = b'{"type":"session",' + STAMP + b',"version":2,"id":"s1","cwd":"/srv/demo"}\n'
RECORD = b'{"type":"label",' + STAMP + b',"id":"l1","targetId":"e0","label":null}'
MEGABYTE = 1_000_000

pytestmark = pytest.mark.usefixtures("no_old_garbage")


def message(id: bytes, parent: bytes | None, body: bytes = b'"role":"user","content":"look"') -> bytes:
    above = b"" if parent is None else b',"parentId":"%s"' % parent
    return b'{"type":"message",%s,"id":"%s"%s,"message":{%s}}\n' % (STAMP, id, above, body)


def compaction(id: bytes, parent: bytes | None, keep: bytes | None = None, more: bytes = b"") -> bytes:
    above = b"" if parent is None else b',"parentId":"%s"' % parent
    kept = b"" if keep is None else b',"first_kept_entry_id":"%s"' % keep
    body = b'{"role":"compactionSummary","summary":"so far"%s%s}' % (kept, more)
    return b'{"type":"compaction",%s,"id":"%s"%s,"message":%s}\n' % (STAMP, id, above, body)


def many(count: int, line: Callable[[int], bytes]) -> bytes:
    return b"".join(map(line, range(count)))


def leaf(target: bytes) -> bytes:
    return b'{"type":"leaf",%s,"targetId":"%s"}\n' % (STAMP, target)


# One function per kind of log; each takes how much of it there is. The tree first.


def cycle(count: int) -> bytes:
    return many(count, lambda i: message(b"e%d" % i, b"e%d" % ((i - 1) % count)))


def bad_lines(count: int) -> bytes:
    return b'{"a":}\n' * count


def missing_parents(count: int) -> bytes:
    return many(count, lambda i: message(b"e%d" % i, b"gone%d" % i))


def one_missing_parent(count: int) -> bytes:
    return many(count, lambda i: message(b"e%d" % i, b"gone"))


def one_id(count: int) -> bytes:
    return message(b"e", None) * (count + 1)


def roots(count: int) -> bytes:
    return many(count, lambda i: message(b"e%d" % i, None))


def chain(count: int) -> bytes:
    return many(count, lambda i: message(b"e%d" % i, b"e%d" % (i - 1) if i else None))


def calls_and_results(count: int) -> bytes:
    """Make a chain in which each entry but the last makes a call, and answers the one before."""
    call = b'"tool_calls":[{"id":"c%d","type":"function","function":{"name":"n","arguments":"{}"}}]'

    def turn(i: int) -> bytes:
        above = b"r%d" % (i - 1) if i else None
        caller = message(b"a%d" % i, above, b'"role":"assistant","content":"",' + call % i)
        return caller + message(
            b"r%d" % i, b"a%d" % i, b'"role":"tool","content":"","tool_call_id":"c%d"' % i
        )

    return many(count, turn)


def nested_kept(count: int) -> bytes:
    return many(count, lambda i: compaction(b"c%d" % i, b"c%d" % (i - 1), b"c%d" % (i - 1)) if i else ROOT)


def nested_bare(count: int) -> bytes:
    return many(count, lambda i: compaction(b"c%d" % i, b"c%d" % (i - 1)) if i else ROOT)


ROOT = compaction(b"c0", None)


def star(count: int) -> bytes:
    siblings = many(count, lambda i: message(b"m%d" % i, b"r") + compaction(b"c%d" % i, b"m%d" % i, b"r"))
    return message(b"r", None) + siblings


def star_under_nested(count: int) -> bytes:
    """Make siblings that each replace the lowest of many summaries."""
    last = b"c%d" % (count - 1)
    return nested_kept(count) + many(count, lambda i: leaf(last) + compaction(b"d%d" % i, last))


def star_under_nested_of_one_id(count: int) -> bytes:
    same = b',"id":"z"'
    last = b"c%d" % (count - 1)

    def nested(i: int) -> bytes:
        return compaction(b"c%d" % i, b"c%d" % (i - 1) if i else None, b"z" if i else None, same)

    return many(count, nested) + many(count, lambda i: leaf(last) + compaction(b"d%d" % i, last, None, same))


def labels(count: int) -> bytes:
    label = b'{"type":"label",%s,"id":"l%d","targetId":"e","label":"%d"}\n'
    return message(b"e", None) + many(count, lambda i: label % (STAMP, i, i))


def missing_labels(count: int) -> bytes:
    label = b'{"type":"label",%s,"id":"l%d","targetId":"gone","label":"%d"}\n'
    return message(b"e", None) + many(count, lambda i: label % (STAMP, i, i))


def calls_of_one_message(count: int) -> bytes:
    call = b'{"id":"c%d","type":"function","function":{"name":"n","arguments":"{}"}}'
    made = b",".join(call % i for i in range(count))
    return message(b"e", None, b'"role":"assistant","content":"","tool_calls":[' + made + b"]")


def unknown_types(count: int) -> bytes:
    return many(count, lambda i: b'{"type":"t%d",%s}\n' % (i, STAMP))


def unknown_keys(count: int) -> bytes:
    return many(count, lambda i: b'{"type":"leaf",%s,"targetId":null,"k%d":1}\n' % (STAMP, i))


# Lines


def long_string(count: int) -> bytes:
    return message(b"e", None, b'"role":"user","content":"' + b"x" * count + b'"')


def long_string_cut(count: int) -> bytes:
    return long_string(count)[:-4]


def long_string_before_a_fault(count: int) -> bytes:
    return b'{"type":"message","x":"' + b"y" * count + b'",,}\n'


def openers(count: int) -> bytes:
    return b"{" * count + b"\n"


def open_keys(count: int) -> bytes:
    return b'{"' * count + b"\n"


def levels(count: int) -> bytes:
    return b'{"a":' * count + b"\n"


def levels_beside_objects(count: int) -> bytes:
    return b"[{}," * count + b"\n"


def members_of_members(count: int) -> bytes:
    return b'{"a":1,' * count + b"\n"


def open_strings(count: int) -> bytes:
    return b'"{" x' * count + b"\n"


def nuls(count: int) -> bytes:
    return b"\0" * count + b"\n"


def nuls_and_braces(count: int) -> bytes:
    return b"\0{" * count + b"\n"


def nuls_and_records(count: int) -> bytes:
    return (b"\0" + RECORD) * count + b"\n"


def bad_bytes(count: int) -> bytes:
    return b"\xff" * count + b"\n"


def bad_bytes_and_braces(count: int) -> bytes:
    return b"\xff{" * count + b"\n"


def glued_objects(count: int) -> bytes:
    return b'{"a":1}' * count + b"\n"


def glued_records(count: int) -> bytes:
    return RECORD * count + b"\n"


def glued_numbers(count: int) -> bytes:
    return b"1 " * count + b"\n"


def not_finite(count: int) -> bytes:
    return b'{"a":NaN}' * count + b"\n"


def glued_and_cut(count: int) -> bytes:
    return (RECORD + RECORD[:40]) * count + b"\n"


def cut_and_whole(count: int) -> bytes:
    return RECORD[:60] * count + RECORD + b"\n"


def cut_in_a_string_and_whole(count: int) -> bytes:
    return RECORD[:30] * count + RECORD + b"\n"


def deep_fragments_and_whole(count: int) -> bytes:
    return (b'{"a":[' * 49 + RECORD) * count + b"\n"


FULL: dict[str, tuple[Callable[[int], bytes], int, dict[str, int]]] = {
    "a cycle": (cycle, 100_000, {"parent-cycle": 1}),
    "bad lines": (bad_lines, 100_000, {"json-syntax": 100_000}),
    "missing parents": (missing_parents, 100_000, {"parent-missing": 100_000}),
    "one missing parent": (one_missing_parent, 30_000, {"parent-missing": 1}),
    "one id": (one_id, 30_000, {"entry-id-duplicate": 30_000}),
    "roots": (roots, 30_000, {"tree-extra-root": 29_999}),
    "calls and results": (calls_and_results, 15_000, {}),
    "nested compactions": (nested_kept, 30_000, {}),
    "compactions that keep nothing": (nested_bare, 30_000, {}),
    "siblings with compactions": (star, 20_000, {"tree-concurrent-append": 19_999}),
    "labels": (labels, 100_000, {}),
    "a line of 20 MB": (long_string, 20 * MEGABYTE, {}),
    "a line of 20 MB cut": (long_string_cut, 20 * MEGABYTE, {"line-torn": 1}),
    "a line of 20 MB with a fault": (long_string_before_a_fault, 20 * MEGABYTE, {"json-syntax": 1}),
    "braces": (openers, 1_000_000, {"json-syntax": 1}),
    "braces and quotes": (open_keys, 500_000, {"json-syntax": 1}),
    "NULs": (nuls, MEGABYTE, {"line-nul": 1}),
    "NULs and braces": (nuls_and_braces, 200_000, {"line-nul": 1}),
    "bad bytes": (bad_bytes, 1_000_000, {"encoding-utf8": 1}),
    "objects on one line": (glued_objects, 200_000, {"line-glued": 1, "schema-required": 200_000}),
}
"""Kinds of log at full size, and all that is found behind a header."""


def counted(report: FileReport) -> dict[str, int]:
    """Count a report's findings by rule."""
    return dict(Counter(finding.rule for finding in report.findings))


@pytest.mark.usefixtures("no_garbage_rounds")
class TestFullSize:
    @pytest.mark.parametrize("name", FULL)
    def test_what_is_found_and_how_soon(self, name: str, tmp_path: Path) -> None:
        make, count, found = FULL[name]
        path = tmp_path / "log.jsonl"

        def check(data: bytes) -> FileReport:
            path.write_bytes(HEADER + data)
            return convspec.check(path)

        report, longer = lag(check, make, count)
        path.unlink()
        assert longer < SLACK
        assert report.format == "session"
        assert counted(report) == found
        if name in ("a cycle", "one missing parent"):
            assert sum(len(finding.related) for finding in report.findings) == count - 1


SMALL: dict[str, tuple[Callable[[int], bytes], int, Callable[[int], dict[str, int]]]] = {
    "a cycle": (cycle, 750, lambda n: {"parent-cycle": 1}),
    "bad lines": (bad_lines, 1_250, lambda n: {"json-syntax": n}),
    "missing parents": (missing_parents, 750, lambda n: {"parent-missing": n}),
    "one missing parent": (one_missing_parent, 750, lambda n: {"parent-missing": 1}),
    "one id": (one_id, 750, lambda n: {"entry-id-duplicate": n}),
    "roots": (roots, 750, lambda n: {"tree-extra-root": n - 1}),
    "a chain": (chain, 750, lambda n: {}),
    "calls and results": (calls_and_results, 400, lambda n: {}),
    "nested compactions": (nested_kept, 750, lambda n: {}),
    "compactions that keep nothing": (nested_bare, 750, lambda n: {}),
    "siblings with compactions": (star, 250, lambda n: {"tree-concurrent-append": n - 1}),
    "siblings under nested compactions": (star_under_nested, 400, lambda n: {}),
    "the same with one id": (star_under_nested_of_one_id, 400, lambda n: {"message-id-mismatch": 2 * n}),
    "labels": (labels, 1_000, lambda n: {}),
    "labels of nothing": (missing_labels, 750, lambda n: {"label-target-missing": n}),
    "calls of one message": (calls_of_one_message, 750, lambda n: {"tool-call-unanswered": n}),
    "unknown types": (unknown_types, 750, lambda n: {"record-unknown-type": n}),
    "unknown keys": (unknown_keys, 500, lambda n: {"unknown-key": n}),
    "a long string": (long_string, 140 * MEGABYTE, lambda n: {}),
    "a long string cut": (long_string_cut, 2 * MEGABYTE, lambda n: {"line-torn": 1}),
    "a long string with a fault": (long_string_before_a_fault, 2 * MEGABYTE, lambda n: {"json-syntax": 1}),
    "braces": (openers, 2_000_000, lambda n: {"json-syntax": 1}),
    "braces and quotes": (open_keys, 5_000, lambda n: {"json-syntax": 1}),
    "levels": (levels, 5_000, lambda n: {"json-depth": 1}),
    "levels beside objects": (levels_beside_objects, 2_500, lambda n: {"json-depth": 1}),
    "members of members": (members_of_members, 3_750, lambda n: {"json-syntax": 1}),
    "strings with braces": (open_strings, 3_750, lambda n: {"json-syntax": 1, "line-not-object": 1}),
    "NULs": (nuls, 2 * MEGABYTE, lambda n: {"line-nul": 1}),
    "NULs and braces": (nuls_and_braces, 3_750, lambda n: {"line-nul": 1}),
    "bad bytes": (bad_bytes, 100_000, lambda n: {"encoding-utf8": 1}),
    "bad bytes and braces": (bad_bytes_and_braces, 100_000, lambda n: {"encoding-utf8": 1}),
    "objects on one line": (glued_objects, 1_250, lambda n: {"line-glued": 1, "schema-required": n}),
    "numbers on one line": (glued_numbers, 1_250, lambda n: {"line-glued": 1, "line-not-object": n}),
    "numbers too large": (not_finite, 2_500, lambda n: {"json-non-finite": 1}),
    "whole and cut records": (glued_and_cut, 400, lambda n: {"json-syntax": 1, "label-target-missing": 0}),
    "cut records": (cut_and_whole, 750, lambda n: {"line-spliced": 1}),
    "records cut in a string": (cut_in_a_string_and_whole, 1_250, lambda n: {"line-spliced": 1}),
    "deep fragments": (deep_fragments_and_whole, 75, lambda n: {"line-spliced": 1}),
    "records between NULs": (nuls_and_records, 500, lambda n: {"line-nul": 1}),
    "records on one line": (glued_records, 500, lambda n: {"line-glued": 1, "label-target-missing": n}),
}
"""Kinds of log at a size that takes a moment, and what is found behind a header.

No size has a quarter below 30 MB and is itself above: beyond that an allocator gives memory back, and
fresh memory takes longer.
"""


class TestGrowth:
    @pytest.mark.parametrize("name", SMALL)
    def test_the_time_grows_in_step_with_the_log(self, name: str) -> None:
        make, count, _ = SMALL[name]
        check = partial(convspec.check, format="session")
        assert growth(check, lambda n: HEADER + make(n), count) < LIMIT

    @pytest.mark.parametrize("name", SMALL)
    def test_what_is_found_in_bytes_and_in_a_file(self, name: str, tmp_path: Path) -> None:
        make, count, expected = SMALL[name]
        count = min(count, 40 * MEGABYTE)
        data = HEADER + make(count)
        path = tmp_path / "log.jsonl"
        path.write_bytes(data)
        report = convspec.check(data, name=str(path))
        assert counted(report) == {rule: n for rule, n in expected(count).items() if n}
        assert convspec.check(path) == report
        assert report.verdict is not Verdict.UNREADABLE


PEAK = """
import sys, convspec
report = convspec.check(sys.argv[1])
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(report.verdict.value, len(report.findings), report.tally["branch"], int(peak) * 1024)
"""


class TestMemory:
    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to know the peak")
    def test_a_log_of_100_mb_is_not_kept(self, tmp_path: Path) -> None:
        count, path = 100_000, tmp_path / "log.jsonl"
        body = b'"role":"user","content":"' + b"x" * 840 + b'"'
        with path.open("wb") as file:
            file.write(HEADER)
            for i in range(count):
                file.write(message(b"entry-%08d" % i, b"entry-%08d" % (i - 1) if i else None, body))
        assert path.stat().st_size > 95 * MEGABYTE
        environment = {**os.environ, "PYTHONPATH": str(Path(convspec.__file__).parents[1])}
        command = [sys.executable, "-c", PEAK, str(path)]
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        *said, peak = run.stdout.split()
        assert said == ["valid", "0", str(count)]
        assert int(peak) < 100 * MEGABYTE + 600 * count


class TestNothingRaises:
    def test_random_pieces_of_logs_are_a_report(self) -> None:
        rng = random.Random(8)
        pieces = rb'{ } [ ] , : " \ \u0000 \ud800 1 -0 1e999 NaN true null "type" "id" "message"'.split()
        pieces += [b"\n", b"\r\n", b"\xff", b"\xe2\x82", b"\xef\xbb\xbf", b"\0", b"\0\0", b" "]
        pieces += [HEADER, RECORD, RECORD[:40], RECORD[50:], b'{"type":"message"', b',"parentId":[]}']
        pieces += [message(b"e", b"e"), compaction(b"c", b"e", b"message:0"), leaf(b"e"), roots(2), chain(2)]
        for _ in range(3_000):
            data = b"".join(rng.choices(pieces, k=rng.randint(1, 30)))
            report = convspec.check(data, format="session")
            assert report.verdict is not Verdict.UNREADABLE
            assert report.valid == (report.counts.errors == 0)

    VALUES = (None, "", "x", 0, -1, 1.5, True, [], {}, [[]], "message:0", "e0", "e1", "2026-02-30T25:00:00Z")

    def test_records_with_any_value_anywhere_are_a_report(self) -> None:
        rng = random.Random(9)
        lines = (HEADER + calls_and_results(2) + nested_kept(3) + labels(1) + leaf(b"e")).splitlines()
        records = [json.loads(line) for line in lines]
        records += [
            {"type": "branch_summary", "timestamp": "2026-02-11T08:00:00Z", "id": "b", "summary": "s"},
            {"type": "session_info", "timestamp": "2026-02-11T08:00:00Z", "name": "n"},
            {"type": "system_prompt", "timestamp": "2026-02-11T08:00:00Z", "content": "c", "hash": "h"},
            {"type": "memory_state", "sessionMemories": [], "lastRetrieval": None},
            {"type": "tool_execution_end", "toolCallId": "c0", "result": {"isError": False}, "args": {}},
        ]
        keys = sorted({key for record in records for key in record} | {"fromId", "parentPath"})
        inner = ("id", "role", "content", "tool_calls", "toolCalls", "tool_call_id", "toolCallId", "summary")
        inner += ("first_kept_entry_id", "firstKeptEntryId", "response_items", "responseItems", "name")
        for _ in range(2_000):
            chosen = [dict(rng.choice(records)) for _ in range(rng.randint(1, 12))]
            for record in chosen:
                if rng.random() < 0.6:
                    record[rng.choice(keys)] = rng.choice(self.VALUES)
                if rng.random() < 0.4 and isinstance(record.get("message"), dict):
                    value = rng.choice(
                        (*self.VALUES, [{"type": "image"}], [{"type": "toolCall", "id": 1}], [1])
                    )
                    record["message"] = {**record["message"], rng.choice(inner): value}
            data = b"".join(json.dumps(record).encode() + b"\n" for record in chosen)
            assert convspec.check(data, format="session").verdict is not Verdict.UNREADABLE

    @pytest.mark.parametrize("size", [0, 2 * MEGABYTE])
    @pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
    def test_a_log_of_white_space_and_nuls_is_empty_however_it_is_given(
        self, tmp_path: Path, mark: bytes, size: int
    ) -> None:
        path = tmp_path / "log.jsonl"
        path.write_bytes(mark + (b" " * 997 + b"\0\n ") * (size // 1_000))
        expected = {"file-empty": 1} | ({"encoding-bom": 1} if mark else {})
        assert counted(convspec.check(path, format="session")) == expected
        assert counted(convspec.check(path.read_bytes(), format="session")) == expected

    @pytest.mark.parametrize("pass_", [1, 2, 3])
    @pytest.mark.parametrize(
        "other",
        [
            lambda log: b"",
            lambda log: log[:-7],
            lambda log: log[3:],
            lambda log: b"\0" * len(log),
            lambda log: b"[" * len(log),
            lambda log: log.replace(b"null", b'"\\\\'),
            lambda log: HEADER,
        ],
        ids=["emptied", "cut", "moved", "zeroed", "brackets", "rewritten", "shortened"],
    )
    def test_a_log_that_changes_between_two_passes_is_a_report(
        self, pass_: int, other: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        line = b'{"type":"leaf","timestamp":"2026-02-30T08:00:00Z","targetId":null,"x":"\\u0000"}\n'
        log = b" " * MEGABYTE + b"\n" + line * 100 + HEADER + line[:-9]
        path = tmp_path / "log.jsonl"
        path.write_bytes(log)
        opened, times = Source.open, itertools.count()

        def changed(source: Source) -> IO[bytes]:
            if next(times) == pass_:
                path.write_bytes(other(log))
            return opened(source)

        monkeypatch.setattr(Source, "open", changed)
        assert convspec.check(path).format == "session"
        assert next(times) > pass_
