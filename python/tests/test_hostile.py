"""Input that was made to hurt: exact findings, time that grows in step, memory that stays in bounds."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import convspec
from convspec.findings import FileReport, Verdict
from convspec.pointers import LONGEST_KEY
from growth import LIMIT, SLACK, growth, lag
from inputs import corpus_files

MEGABYTE = 1_000_000

pytestmark = pytest.mark.usefixtures("no_old_garbage")


def document(messages: bytes, more: bytes = b"") -> bytes:
    return b'{"version":1,"messages":[' + messages + b"]" + more + b"}"


def message(id: bytes, more: bytes = b"") -> bytes:
    return b'{"id":"' + id + b'","role":"user","content":"x"' + more + b"}"


def many(count: int, item: Callable[[int], bytes]) -> bytes:
    return b",".join(map(item, range(count)))


# One function per kind of input; each takes how much of it there is.


def levels(count: int) -> bytes:
    return document(b"[" * count + b"]" * count)


def openers(count: int) -> bytes:
    return b"{" * count


def nested_openers(count: int) -> bytes:
    return b'{"a":' * count


def long_escapes(count: int) -> bytes:
    return document(message(b"m", b',"note":"\\u0000' + b"\\n" * (count // 2) + b'"'))


def long_string_before_a_fault(count: int) -> bytes:
    return document(message(b"m", b',"note":"' + b"x" * count + b'"') + b",1")


def cut_string(count: int) -> bytes:
    return b'{"messages":["' + b"x\\n" * (count // 3)


def long_integer(count: int) -> bytes:
    return document(b"", b',"n":' + b"9" * count)


def long_fraction(count: int) -> bytes:
    return document(b"", b',"n":0.' + b"7" * count)


def integers_of_4300_digits(count: int) -> bytes:
    return document(b"", b',"n":[' + many(count, lambda _: b"7" * 4_300) + b"]")


def one_id(count: int) -> bytes:
    return document(many(count, lambda _: message(b"m")))


def one_key(count: int) -> bytes:
    return document(b"", b',"n":{' + many(count, lambda _: b'"k":1') + b"}")


def different_keys(count: int) -> bytes:
    return document(b"", b',"n":{"k":0,"k":0,' + many(count, lambda i: b'"k%d":1' % i) + b"}")


def unanswered_in_one_message(count: int) -> bytes:
    calls = many(count, lambda i: b'{"id":"c%d","name":"n","arguments":{}}' % i)
    return document(b'{"id":"m","role":"assistant","content":"x","tool_calls":[' + calls + b"]}")


def unknown_keys(count: int) -> bytes:
    return document(many(count, lambda i: message(b"m%d" % i, b',"key%d":1' % i)))


def unknown_keys_nearly_known(count: int) -> bytes:
    return document(many(count, lambda i: message(b"m%d" % i, b',"tool_call_%d":1' % i)))


def unknown_keys_too_long(count: int) -> bytes:
    return document(message(b"m", b"".join(b',"' + b"k" * LONGEST_KEY + b'%d":1' % i for i in range(count))))


def nuls_under_a_long_key(count: int) -> bytes:
    strings = many(count, lambda _: b'"\\u0000"')
    return document(message(b"m", b',"' + b"k" * MEGABYTE + b'":[' + strings + b"]"))


def nul_keys_under_a_long_key(count: int) -> bytes:
    objects = many(count, lambda _: b'{"\\u0000":1,"\\u0000":2}')
    return document(message(b"m", b',"' + b"k" * MEGABYTE + b'":[' + objects + b"]"))


def bad_attachments(count: int) -> bytes:
    attachments = many(count, lambda _: b'{"mime":"a/b","filename":"a","data":"!"}')
    return document(message(b"i" * MEGABYTE, b',"attachments":[' + attachments + b"]"))


def numbers_for_messages(count: int) -> bytes:
    return document(many(count, lambda _: b"1"))


def empty_messages(count: int) -> bytes:
    return document(many(count, lambda _: b"{}"))


def bad_bytes(count: int) -> bytes:
    return b'{"messages":["' + b"\xff" * count


DONE: dict[str, tuple[bytes, dict[str, int]]] = {
    "an empty file": (b"", {"file-empty": 1}),
    "5,000 levels": (levels(4_999), {"json-depth": 1}),
    "1,000,000 brackets": (openers(1_000_000), {"json-syntax": 1}),
    "1,000,000 levels never closed": (nested_openers(1_000_000), {"json-depth": 1}),
    "an integer of 5,000 digits": (long_integer(5_000), {"json-number-precision": 1, "unknown-key": 1}),
    "a fraction of 1,000,000 digits": (long_fraction(1_000_000), {"unknown-key": 1}),
    "1,000,000 bad bytes": (bad_bytes(1_000_000), {"encoding-utf8": 1}),
}

FULL: dict[str, tuple[Callable[[int], bytes], int, dict[str, int]]] = {
    "100,000 equal ids": (one_id, 100_000, {"message-id-duplicate": 99_999}),
    "one key a million times": (one_key, 1_000_000, {"json-duplicate-key": 1, "unknown-key": 1}),
    "200,000 unanswered calls": (unanswered_in_one_message, 200_000, {"tool-call-unanswered": 200_000}),
    "100,000 unknown keys": (unknown_keys, 100_000, {"unknown-key": 100_000}),
    "100,000 bad attachments": (bad_attachments, 100_000, {"attachment-base64": 100_000}),
    "20,000 NULs under a long key": (nuls_under_a_long_key, 20_000, {"text-nul": 20_000, "unknown-key": 1}),
}


def counted(report: FileReport) -> dict[str, int]:
    return dict(Counter(finding.rule for finding in report.findings))


def weight(report: FileReport) -> int:
    """Return how many characters a report holds."""
    return sum(
        len(str(value))
        for finding in report.findings
        for value in (finding.message, finding.pointer, finding.record_id, finding.member, finding.target)
    ) + sum(len(str(related)) for finding in report.findings for related in finding.related)


@pytest.mark.usefixtures("no_garbage_rounds")
class TestFindings:
    @pytest.mark.parametrize(("data", "found"), DONE.values(), ids=DONE.keys())
    def test_of_one_big_thing_are_exact(self, data: bytes, found: dict[str, int]) -> None:
        assert counted(convspec.check(data, format="history")) == found

    @pytest.mark.parametrize(("make", "count", "found"), FULL.values(), ids=FULL.keys())
    def test_of_many_things_are_exact_soon_told_and_no_heavier_than_they_must_be(
        self, make: Callable[[int], bytes], count: int, found: dict[str, int]
    ) -> None:
        report, longer = lag(convspec.check, make, count)
        assert longer < SLACK
        assert counted(report) == found
        assert weight(report) <= 600 * len(report.findings)
        assert len({finding.fingerprint for finding in report.findings}) == len(report.findings)

    @pytest.mark.parametrize("length", [127, 128, 129, MEGABYTE])
    def test_of_a_message_with_a_long_id_carry_its_beginning(self, length: int) -> None:
        report = convspec.check(document(message(b"i" * length, b',"kind":5')))
        assert [f.record_id for f in report.findings] == ["i" * min(length, 128) + "\u2026" * (length > 128)]

    def test_of_keys_too_long_to_name_stand_at_their_object(self) -> None:
        report = convspec.check(unknown_keys_too_long(5_000))
        assert counted(report) == {"unknown-key": 5_000}
        assert {(f.pointer, f.member) for f in report.findings} == {("/messages/0", None)}

    def test_of_keys_under_a_long_key_stand_above_it(self) -> None:
        report = convspec.check(nul_keys_under_a_long_key(5_000))
        assert counted(report) == {"text-nul": 10_000, "json-duplicate-key": 5_000, "unknown-key": 1}
        assert {f.pointer for f in report.findings} == {"/messages/0"}
        assert {r.pointer for f in report.findings for r in f.related} == {"/messages/0"}
        assert weight(report) <= 600 * len(report.findings)

    def test_of_a_stored_file_referred_to_20_000_times_are_as_many(self, tmp_path: Path) -> None:
        data = b"x" * MEGABYTE
        (tmp_path / "attachments").mkdir()
        (tmp_path / "attachments" / "a").write_bytes(data)
        entry = b'{"mime":"a/b","filename":"a","file":"attachments/a","sha256":"%s"}'
        right, wrong = (entry % digest.encode() for digest in (hashlib.sha256(data).hexdigest(), "0" * 64))
        entries = many(20_000, lambda i: wrong if i % 2 else right)
        report = convspec.check(
            document(message(b"m", b',"attachments":[' + entries + b"]")), folder=tmp_path
        )
        assert counted(report) == {"attachment-digest": 10_000}
        assert report.tally == {"messages": 1, "attachments": 20_000, "attachment_bytes": 10_000 * MEGABYTE}


GROWTH: dict[str, tuple[Callable[[int], bytes], int]] = {
    "levels": (nested_openers, 4_000_000),
    "a long string of escapes": (long_escapes, 3_000_000),
    "a long string before a fault": (long_string_before_a_fault, 8_000_000),
    "a string cut": (cut_string, 4_000_000),
    "integers of 4,300 digits": (integers_of_4300_digits, 800),
    "a long fraction": (long_fraction, 8_000_000),
    "one id": (one_id, 2_000),
    "one key": (one_key, 16_000),
    "different keys": (different_keys, 8_000),
    "calls of one message": (unanswered_in_one_message, 2_500),
    "unknown keys nearly known": (unknown_keys_nearly_known, 1_600),
    "unknown keys too long": (unknown_keys_too_long, 2_000),
    "NULs under a long key": (nuls_under_a_long_key, 8_000),
    "NUL keys under a long key": (nul_keys_under_a_long_key, 2_000),
    "bad attachments": (bad_attachments, 2_500),
    "messages that are no objects": (numbers_for_messages, 2_000),
    "messages with nothing in them": (empty_messages, 800),
}


class TestGrowth:
    @pytest.mark.parametrize(("make", "count"), GROWTH.values(), ids=GROWTH.keys())
    def test_the_time_grows_in_step_with_the_input(self, make: Callable[[int], bytes], count: int) -> None:
        assert growth(partial(convspec.check, format="history"), make, count) < LIMIT

    @pytest.mark.parametrize(
        "make", [nuls_under_a_long_key, nul_keys_under_a_long_key, bad_attachments, unknown_keys_too_long]
    )
    def test_twice_the_input_gives_at_most_twice_the_report(self, make: Callable[[int], bytes]) -> None:
        single, double = (weight(convspec.check(make(count))) for count in (500, 1_000))
        assert double < 2.2 * single


PEAK = """
import sys, convspec
report = convspec.check(sys.argv[1])
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(report.verdict.value, len(report.findings), int(peak) * 1024)
"""


class TestMemory:
    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to know the peak")
    @pytest.mark.parametrize(("text", "findings"), [(b"", 0), (b"\\u0000", 1)], ids=["plain", "with a NUL"])
    def test_a_string_of_100_mb_takes_less_than_six_times_its_size(
        self, tmp_path: Path, text: bytes, findings: int
    ) -> None:
        path = tmp_path / "history.json"
        content = text + b"x" * (100 * MEGABYTE)
        data = document(message(b"m", b',"thinking":{"text":"' + content + b'"}'))
        path.write_bytes(data)
        command = [sys.executable, "-c", PEAK, str(path)]
        run = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
        told = run.stdout.split()
        assert told[:2] == ["valid", str(findings)]
        assert int(told[2]) < 6 * len(data)


def environment() -> Mapping[str, str]:
    """Return this process's environment with the package on the path, wherever it was found."""
    return {**os.environ, "PYTHONPATH": str(Path(convspec.__file__).parents[1])}


class TestNothingRaises:
    def test_random_bytes_are_a_report(self) -> None:
        rng = random.Random(5)
        verdicts: Counter[Verdict] = Counter()
        for _ in range(1_000):
            report = convspec.check(
                rng.randbytes(rng.randint(0, 200)), format=rng.choice([None, "history", "session"])
            )
            verdicts[report.verdict] += 1
        assert verdicts.keys() == {Verdict.INVALID, Verdict.UNREADABLE}

    def test_random_pieces_of_json_are_a_report(self) -> None:
        rng = random.Random(6)
        pieces = rb'{ } [ ] , : " \ \u0000 \ud800 1 -0 1e999 NaN true null "version" "messages" "id"'.split()
        pieces += [
            b"\n",
            b"\xff",
            b"\xe2\x82",
            b"\xef\xbb\xbf",
            b"\0",
            b'{"version":1,"messages":[',
            b'{"type":"',
        ]
        for _ in range(2_000):
            data = b"".join(rng.choices(pieces, k=rng.randint(1, 30)))
            report = convspec.check(data, name=rng.choice([None, "a.json", "a.jsonl"]))
            assert report.findings or report.verdict is Verdict.VALID
            assert report.valid == (report.counts.errors == 0)

    @pytest.mark.parametrize("list_of", ["messages", "tool_calls", "attachments"])
    @pytest.mark.parametrize(
        "key",
        [
            "\u00b2",
            "\u0661",
            "9" * 16,
            "9" * 5_000,
            "-1",
            "+1",
            "1_0",
            " 1",
            "",
            "\\ud800",
            "\\u0000",
            "k" * 300,
        ],
        ids=lambda key: ascii(key[:9]),
    )
    def test_a_key_where_an_index_belongs_is_a_report_whatever_is_wrong_below_it(
        self, list_of: str, key: str
    ) -> None:
        found = {
            '"cut': ["json-truncated"],
            '"cut"': ["json-truncated"],
            "wrong": ["json-syntax"],
            "NaN": ["json-non-finite"],
            "[" * 200: ["json-depth"],
            '"\\u0000"}}': ["text-nul"],
            "1e2,}}": ["json-syntax"],
        }
        for below, expected in found.items():
            data = f'{{"version":1,"{list_of}":{{"{key}":{below}'.encode()
            report = convspec.check(data + b"}")
            told = [f.rule for f in report.findings if f.rule in expected]
            assert told[:1] == expected, below

    def test_files_of_the_corpus_with_members_of_each_other_are_a_report(self) -> None:
        rng = random.Random(7)
        files = [data for data in corpus_files().values() if 10 < len(data) < 3_000]
        for _ in range(1_000):
            one, other = rng.choice(files), rng.choice(files)
            data = one[: rng.randrange(len(one))] + other[rng.randrange(len(other)) :]
            report = convspec.check(data, format="history")
            assert report.verdict in (Verdict.VALID, Verdict.INVALID, Verdict.UNSUPPORTED)

    @pytest.mark.parametrize(
        "path",
        [
            "",
            "\0",
            "a\0b",
            ".",
            "/",
            "/nothing",
            "n" * 300,
            "n" * 100_000,
            "a/" * 5_000,
            "\ud800",
            os.fsdecode(b"\xff"),
            "~",
            "-",
        ],
        ids=lambda path: ascii(path[:9]),
    )
    def test_a_bad_path_is_unreadable(
        self, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        report = convspec.check(path)
        assert (report.path, report.verdict) == (path, Verdict.UNREADABLE)
        assert [(f.rule, f.pointer, f.line, f.offset) for f in report.findings] == [
            ("file-unreadable", None, None, None)
        ]

    @pytest.mark.parametrize("given", [b"", b"/nothing", b"\xff", b"a\0", b"n" * 5_000, b"."])
    def test_a_path_like_that_gives_bytes_is_a_path(
        self, given: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Named:
            def __fspath__(self) -> bytes:
                return given

        monkeypatch.chdir(tmp_path)
        report = convspec.check(Named())  # type: ignore[arg-type]
        assert (report.path, report.verdict) == (os.fsdecode(given), Verdict.UNREADABLE)

    @pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
    def test_bytes_of_any_kind_are_read(self, kind: Callable[[bytes], Any]) -> None:
        report = convspec.check(kind(document(b"")))
        assert (report.path, report.verdict, report.findings) == ("<bytes>", Verdict.VALID, ())

    def test_what_is_no_file_is_unreadable(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "fifo.json")
        (tmp_path / "dangling.json").symlink_to("nothing")
        (tmp_path / "loop.json").symlink_to("loop.json")
        (tmp_path / "folder.json").mkdir()
        (tmp_path / "inner").mkdir()
        (tmp_path / "inner" / "history.json").mkdir()
        for name in ("fifo.json", "dangling.json", "loop.json", "folder.json", "inner"):
            assert counted(convspec.check(tmp_path / name)) == {"file-unreadable": 1}
        for device in ("/dev/null", "/dev/zero", "/dev/tty"):
            assert counted(convspec.check(device)) == {"file-unreadable": 1}
