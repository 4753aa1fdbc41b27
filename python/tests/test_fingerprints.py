"""Findings in a report: their order, and the names by which they are known again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import convspec
from convspec.findings import FileReport, Finding
from inputs import corpus_files, corpus_values, history, user


def call(id: str) -> dict[str, Any]:
    return {"id": id, "name": "read", "arguments": {}}


def faulty() -> list[Any]:
    """Return messages with faults of every layer that have an id to be known by."""
    return [
        {"id": "one", "role": "user", "content": " ", "note": {"a": "\0", "b": "\0"}, "kind": 5},
        {"id": "two", "role": "assistant", "content": "x", "tool_calls": [call("a"), call("b"), call("b")]},
        {"id": "three", "role": "tool", "content": "x", "tool_call_id": "nobody\x1b"},
        {"id": "four", "role": "system", "content": None, "tokens": {"input": -1, "output": 2**60}},
        {
            "id": "five",
            "role": "user",
            "content": "x",
            "attachments": [{"data": "!"}, {"mime": "", "x": "\ud800"}],
        },
        {"id": "five", "role": "user", "content": "", "thinking": {}, "note": 1},
        {
            "id": "six" * 100,
            "role": "assistant",
            "content": "x",
            "thinking": {"signature": " "},
            "tool_call_id": "",
        },
    ]


def prints(report: FileReport) -> Counter[str]:
    return Counter(finding.fingerprint for finding in report.findings)


def names(report: FileReport) -> dict[str, tuple[str, str | None, str | None]]:
    """Return what each fingerprint stands for, leaving out where it is."""
    return {f.fingerprint: (f.rule, f.record_id, f.member) for f in report.findings}


def place(finding: Finding) -> tuple[int, int, str]:
    return finding.line or 0, finding.column or 0, finding.rule


class TestOrder:
    def test_findings_of_every_corpus_file_stand_in_file_order(self) -> None:
        count = 0
        for name, data in corpus_files().items():
            findings = convspec.check(data, format="history").findings
            assert [place(f) for f in findings] == sorted(place(f) for f in findings), name
            offsets = [f.offset for f in findings if f.offset is not None]
            assert offsets == sorted(offsets), name
            count += len(findings)
        assert count > 400

    def test_what_has_no_place_comes_first_and_one_place_goes_by_rule(self) -> None:
        data = b'\xef\xbb\xbf{"messages": [], "version": 0, "x": [9007199254740993, "\\u0000\\ud800"]} x'
        assert [(f.rule, f.offset) for f in convspec.check(data).findings] == [
            ("encoding-bom", 0),
            ("version-invalid", 31),
            ("unknown-key", 39),
            ("json-number-precision", 40),
            ("text-nul", 58),
            ("text-surrogate", 58),
            ("json-trailing-data", 75),
        ]

    def test_later_lines_come_later_whatever_their_columns(self) -> None:
        data = b'{"version":1,"messages":[],            "b":1,\n"a":1,\n "c":2}'
        assert [(f.member, f.line, f.column) for f in convspec.check(data).findings] == [
            ("b", 1, 44),
            ("a", 2, 5),
            ("c", 3, 6),
        ]


class TestUnique:
    def test_in_every_file_of_the_corpus(self) -> None:
        for name, data in corpus_files().items():
            counted = prints(convspec.check(data, format="history"))
            assert max(counted.values(), default=1) == 1, name
            assert all(len(name) == 32 and set(name) <= set("0123456789abcdef") for name in counted)

    def test_where_all_messages_have_one_id_and_one_fault(self) -> None:
        report = convspec.check(history(*[user("m", kind=5, x="\0", tool_call_id="y")] * 50))
        assert Counter(f.rule for f in report.findings) == {
            "message-id-duplicate": 49,
            "schema-type": 100,
            "text-nul": 50,
            "unknown-key": 1,
        }
        assert len(prints(report)) == 200

    def test_where_ids_differ_only_in_what_cannot_be_encoded_or_is_cut_off(self) -> None:
        ids = ["\ud800", "\udc00", "?", "x" * 200, "x" * 201, "x" * 128 + "\u2026", "a\0", "a\0kind", ""]
        report = convspec.check(history(*(user(id, kind=5) for id in ids)))
        assert len(prints(report)) == len(report.findings) > 9

    def test_where_paths_differ_only_in_a_key_that_no_pointer_names(self) -> None:
        report = convspec.check(history(user("m", **{"k" * 300: "\0", "l" * 300: "\0", "\ud800": "\0"})))
        assert len(prints(report)) == len(report.findings) == 7

    def test_files_that_no_message_refers_to_are_told_apart(self, tmp_path: Path) -> None:
        (tmp_path / "attachments").mkdir()
        for name in ("a", "b", "c"):
            (tmp_path / "attachments" / name).write_bytes(b"")
        report = convspec.check(history(), folder=tmp_path)
        assert [f.target for f in report.findings] == ["attachments/a", "attachments/b", "attachments/c"]
        assert len(prints(report)) == 3


class TestStable:
    def test_a_message_inserted_anywhere_changes_no_name(self) -> None:
        messages = faulty()
        before = names(convspec.check(history(*messages)))
        assert len(before) > 20
        for index in range(len(messages) + 1):
            if index == 2:  # between a call and its result it would be a fault of its own
                continue
            new = user(f"new {index}")
            after = names(convspec.check(history(*messages[:index], new, *messages[index:])))
            assert after == before, index

    def test_a_faulty_message_inserted_before_adds_its_own_names_only(self) -> None:
        messages = faulty()
        before = names(convspec.check(history(*messages)))
        after = names(convspec.check(history(user("new", kind=5), *messages)))
        assert before.items() <= after.items()
        assert [after[new] for new in after.keys() - before.keys()] == [("schema-type", "new", None)]

    def test_a_message_taken_away_takes_its_own_names_with_it(self) -> None:
        messages = faulty()
        before = names(convspec.check(history(*messages)))
        after = names(convspec.check(history(messages[0], *messages[2:])))
        assert after.items() <= before.items()
        assert {before[gone][1] for gone in before.keys() - after.keys()} == {"two"}

    @pytest.mark.parametrize(
        "form", [{"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}, {"ensure_ascii": False}]
    )
    def test_another_form_of_the_same_document_changes_no_name(self, form: dict[str, Any]) -> None:
        document = {"version": 1, "messages": faulty(), "x": [2**60], "y": "\0"}
        before = convspec.check(json.dumps(document).encode())
        text = (
            json.dumps(document, **form).encode("utf-8", "surrogatepass").replace(b"\xed\xa0\x80", b"\\ud800")
        )
        after = convspec.check(text)
        assert [(f.rule, f.pointer, f.fingerprint) for f in after.findings] == [
            (f.rule, f.pointer, f.fingerprint) for f in before.findings
        ]

    def test_over_the_corpus_another_form_changes_no_name(self) -> None:
        count = 0
        for value in corpus_values():
            if not isinstance(value, dict):
                continue
            dense = convspec.check(json.dumps(value, separators=(",", ":")).encode(), format="history")
            loose = convspec.check(json.dumps(value, indent=3).encode(), format="history")
            assert [f.fingerprint for f in dense.findings] == [f.fingerprint for f in loose.findings]
            count += len(dense.findings)
        assert count > 300

    def test_a_name_does_not_depend_on_the_path_or_how_the_file_was_given(self, tmp_path: Path) -> None:
        data = history(*faulty())
        (tmp_path / "history.json").write_bytes(data)
        (tmp_path / "other.json").write_bytes(data)
        given = [data, tmp_path, tmp_path / "history.json", tmp_path / "other.json"]
        assert len({tuple(prints(convspec.check(source))) for source in given}) == 1

    def test_a_second_fault_of_the_same_name_leaves_the_first_its_own(self) -> None:
        one = convspec.check(history(user("m", kind=5)))
        two = convspec.check(history(user("m", kind=5), user("m", kind=5)))
        assert two.findings[0].fingerprint == one.findings[0].fingerprint


ONCE = """
import sys, convspec
for path in sys.argv[1:]:
    print(convspec.check(path))
"""


class TestTheSameAgain:
    def test_the_same_input_gives_the_same_report(self) -> None:
        for name, data in corpus_files().items():
            assert convspec.check(data) == convspec.check(data), name

    def test_also_in_another_process_where_hashes_differ(self, tmp_path: Path) -> None:
        keys = {letter * 300: 1 for letter in "abcdefgh"}
        messages = [*faulty(), user("seven", **keys), user("eight", **dict(list(keys.items())[::2]))]
        (tmp_path / "history.json").write_bytes(history(*messages))
        outputs = set()
        for seed in ("0", "1", "2", "3"):
            path = str(Path(convspec.__file__).parents[1])
            environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed}
            command = [sys.executable, "-c", ONCE, str(tmp_path)]
            run = subprocess.run(command, capture_output=True, env=environment, check=True)
            outputs.add(run.stdout)
        assert len(outputs) == 1
        assert b"unknown-key" in outputs.pop()
