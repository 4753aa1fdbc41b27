"""What a reader sees of a file, as people and programs are shown it."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import logs
from commands import run
from convspec import History, HistoryError, Message, ToolCall, engines
from convspec.history.encoding import dumped
from convspec.reporters import history_view, session_view
from convspec.reporters.columns import columns, cut
from convspec.reporters.show_values import cleaned
from convspec.session.bodies import Changed, bodies
from convspec.session.errors import SessionError
from convspec.session.opening import read_session
from convspec.text.strict_json import parse
from histories import full
from inputs import corpus_files
from logs import HEADER, HEADER_1, STAMP, log, record, unnamed

SCHEMA = "report/1.0/show.schema.json"
MOVES = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What moves the cursor or reorders a line."""

MARK = "QZMARKZQ"
"""Stands where text of a conversation was."""


def shown(data: bytes, *, tree: bool = False, text: bool = False, width: int = 80) -> list[str]:
    return list(session_view.lines(read_session(data), tree=tree, text=text, width=width))


def tree(*records: dict[str, Any], width: int = 80) -> list[str]:
    """Return the drawing of a log's tree."""
    lines = shown(log(*records), tree=True, width=width)
    return lines[lines.index("") + 1 :]


def faults(value: Any) -> list[Any]:
    """Return what the schema has against a value, as a program reads it."""
    return list(engines.violations(SCHEMA, parse(dumped(cleaned(value)).encode()).value))


def histories() -> Iterator[tuple[str, History]]:
    for id, data in corpus_files().items():
        try:
            yield id, History.parse(data)
        except HistoryError:
            continue


class TestTheWholeCorpus:
    @pytest.mark.parametrize("text", [False, True])
    def test_every_log_is_shown_and_fits_the_schema(self, text: bool) -> None:
        for id, session in logs.readings().items():
            value = session_view.value(session, "log.jsonl", text=text)
            assert faults(value) == [], id
            assert ("messages" in value) is text
            parents = {entry["id"]: entry["parent"] for entry in value["entries"]}
            assert set(parents.values()) - {None} <= parents.keys(), id

    @pytest.mark.parametrize("text", [False, True])
    def test_every_history_is_shown_and_fits_the_schema(self, text: bool) -> None:
        for id, history in histories():
            assert faults(history_view.value(history, "x", text=text)) == [], id

    def test_lines_fit_the_terminal_and_do_not_move_the_cursor(self) -> None:
        for id, session in logs.readings().items():
            for line in session_view.lines(session, tree=True, text=False, width=80):
                assert columns(line) <= 80, id
                assert not MOVES.search(line), id
            for line in session_view.lines(session, tree=False, text=True, width=80):
                assert not MOVES.search(line), id
        for id, history in histories():
            for line in history_view.lines(history, text=False, width=80):
                assert columns(line) <= 80, id
                assert not MOVES.search(line), id

    @pytest.mark.parametrize("seed", range(3))
    def test_a_damaged_log_is_shown_as_far_as_it_goes(self, seed: int) -> None:
        count = 0
        for session in logs.damaged_readings(150, seed):
            assert list(session_view.lines(session, tree=True, text=True, width=80))
            assert faults(session_view.value(session, "x", text=True)) == []
            count += 1
        assert count > 100

    def test_no_word_of_a_conversation_is_shown_unless_it_is_asked_for(self) -> None:
        told = 0
        for id, (data, name) in logs.corpus_logs().items():
            marked = b"".join(map(_marked_line, data.splitlines(keepends=True)))
            try:
                session = read_session(marked, name=name)
            except SessionError:
                continue
            lines = session_view.lines(session, tree=True, text=False, width=80)
            value = session_view.value(session, "x", text=False)
            assert MARK not in "\n".join(lines) + dumped(cleaned(value)), id
            told += MARK in "\n".join(session_view.lines(session, tree=False, text=True, width=80))
        for id, data in corpus_files().items():
            try:
                history = History.parse(_marked_history(data))
            except (HistoryError, ValueError, TypeError, RecursionError):  # nor could it before
                continue
            lines = history_view.lines(history, text=False, width=80)
            value = history_view.value(history, "x", text=False)
            assert MARK not in "\n".join(lines) + dumped(cleaned(value)), id
            told += MARK in "\n".join(history_view.lines(history, text=True, width=80))
        assert told > 1000


_SHOWN = {
    *("type", "id", "parentId", "timestamp", "targetId", "fromId", "label", "name", "cwd", "version"),
    *("provider", "model", "reasoningEffort", "parentPath", "role", "reason", "hash", "toolCallId"),
    *("first_kept_entry_id", "firstKeptEntryId", "tool_call_id", "toolName"),
}
"""Members that are no text of a conversation: ids, names, facts."""


def _marked_line(line: bytes) -> bytes:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return json.dumps(_marked(value)).encode() + b"\n"


def _marked_history(data: bytes) -> bytes:
    document = json.loads(data)
    for message in document.get("messages") or () if isinstance(document, dict) else ():
        if not isinstance(message, dict):
            continue
        message["content"] = MARK
        for call in message.get("tool_calls") or ():
            call["arguments"] = {MARK: [MARK]}
        if message.get("thinking"):
            message["thinking"] = {"text": MARK, "signature": MARK}
    return json.dumps(document).encode()


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: item if _is_fact(key, item) else _marked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_marked(item) for item in value]
    return MARK if isinstance(value, str) else value


def _is_fact(key: str, item: Any) -> bool:
    return key in _SHOWN and isinstance(item, str)


class TestHead:
    def test_header_name_tally_leaf_and_labels(self) -> None:
        header = {
            **HEADER,
            "provider": "Codex",
            "model": "gpt-x",
            "parentId": "s0",
            "parentPath": "/srv/s0.jsonl",
        }
        data = log(
            {"type": "session_info", "timestamp": STAMP, "name": "Look around"},
            record("a"),
            record("b", "a"),
            {"type": "leaf", "timestamp": STAMP, "targetId": "a"},
            {"type": "label", "id": "l", "timestamp": STAMP, "targetId": "b", "label": "here"},
            header=header,
        )
        assert shown(data) == [
            "session     s1",
            "name        Look around",
            "begun       2026-02-11T08:00:00.000Z",
            "folder      /srv/demo",
            "copied from s0",
            "its log     /srv/s0.jsonl",
            "model       Codex, gpt-x",
            "version     2",
            "entries     1 of 2 entries reachable, 1 message restored",
            "leaf        a",
            "label       here -> b",
        ]

    def test_what_is_not_there_is_said(self) -> None:
        lines = shown(log(record("a"), {"type": "leaf", "timestamp": STAMP, "targetId": "zz"}, header=None))
        assert lines == [
            "session     (no header)",
            "name        (none)",
            "version     2",
            "entries     0 of 1 entry reachable, 0 messages restored",
            "leaf        zz (not in the log)",
            "findings    2 errors; convspec check names them",
        ]

    def test_a_leaf_of_null(self) -> None:
        lines = shown(log(record("a"), {"type": "leaf", "timestamp": STAMP, "targetId": None}))
        assert "leaf        none: the next entry begins a new root" in lines

    def test_version_1_has_no_leaf(self) -> None:
        assert not any(line.startswith("leaf") for line in shown(log(unnamed(), header=HEADER_1)))

    def test_a_recovered_header(self) -> None:
        name = "2026-02-11T08-15-30.120Z_3f1c9a52-7d0e-4b61-9a0e-6c2f4d8b17aa.jsonl"
        session = read_session(log(record("a"), header=None), name=name)
        lines = list(session_view.lines(session, tree=False, text=False, width=80))
        assert lines[:2] == [
            "session     3f1c9a52-7d0e-4b61-9a0e-6c2f4d8b17aa (there is no header; this is",
            "            from the file's name)",
        ]

    def test_damage_is_counted(self) -> None:
        lines = shown(log(record("a")) + b'{"type":"mess\n' + log(record("b", "a"), header=None))
        assert lines[-2:] == [
            "skipped     1 place that could not be read",
            "findings    1 error; convspec check names them",
        ]

    def test_a_value_takes_twelve_lines_at_most(self) -> None:
        lines = shown(log({"type": "session_info", "timestamp": STAMP, "name": "x" * 1_000_000}))
        assert len(lines) == 18
        assert lines[12].endswith("…")

    def test_long_values_go_on_below(self) -> None:
        name = "word " * 30 + "\x1b[31m" + "x" * 100
        lines = shown(log({"type": "session_info", "timestamp": STAMP, "name": name}))
        told = lines[1:-5]
        assert all(columns(line) <= 80 for line in lines)
        assert "".join(line[12:].replace(" ", "") for line in told) == "word" * 30 + "\\u001b[31m" + "x" * 100


class TestTree:
    def test_a_row_of_entries_is_not_moved(self) -> None:
        assert tree(record("a"), record("b", "a", role="assistant"), record("c", "b")) == [
            "* a user",
            "* b assistant",
            "* c user <- leaf",
        ]

    def test_branches_stand_aside_and_the_active_one_goes_on(self) -> None:
        drawn = tree(
            record("a"),
            record("b", "a"),
            record("c", "b"),
            record("d", "b"),
            {"type": "leaf", "timestamp": STAMP, "targetId": "a"},
            {**record("e", "a"), "type": "compaction"},
            {"type": "branch_summary", "id": "f", "parentId": "e", "timestamp": STAMP, "summary": "so"},
            {"type": "label", "id": "l", "timestamp": STAMP, "targetId": "d", "label": "last try"},
        )
        assert drawn == [
            "* a user",
            "├─ o b user",
            "│  ├─ o c user",
            "│  o d user [last try]",
            "* e compaction",
            "* f branchSummary <- leaf",
        ]

    def test_roots_stand_apart_and_say_why_they_are_some(self) -> None:
        assert tree(record("a"), record("b", "zz"), record("c", "d"), record("d", "c"), record("e", "e")) == [
            "o a user",
            "",
            "o b user (its parent is not in the log)",
            "",
            "o c user (parents in a circle)",
            "o d user",
            "",
            "* e user <- leaf (parents in a circle)",
        ]

    def test_of_records_with_one_id_the_last_is_drawn(self) -> None:
        assert tree(record("a"), record("b", "a"), record("b", "a", role="assistant")) == [
            "* a user",
            "* b assistant <- leaf",
        ]

    def test_version_1_is_one_row(self) -> None:
        lines = shown(log(unnamed(), unnamed(role="assistant"), header=HEADER_1), tree=True)
        assert lines[-2:] == ["* message:0 user", "* message:1 assistant <- leaf"]

    def test_a_log_without_entries_draws_nothing(self) -> None:
        assert tree() == []

    def test_long_ids_and_labels_are_cut(self) -> None:
        label = {"type": "label", "id": "l", "timestamp": STAMP, "targetId": "k" * 300, "label": "漢" * 200}
        (line,) = tree(record("k" * 300), label)
        assert line == f"* {'k' * 22}… user [{'漢' * 19}…] <- leaf"
        assert columns(line) <= 80

    @pytest.mark.parametrize("depth", [3001])
    def test_a_deep_chain(self, depth: int) -> None:
        drawn = tree(*(record(f"e{n}", f"e{n - 1}" if n else None) for n in range(depth)))
        assert len(drawn) == depth
        assert drawn[-1] == f"* e{depth - 1} user <- leaf"

    def test_however_deep_it_branches_it_stays_narrow(self) -> None:
        def parent(shape: str, n: int) -> int:
            return {"comb": max(0, n - 1 - n % 2), "aside": max(0, n - 2), "halves": (n - 1) // 2}[shape]

        for shape in ("comb", "aside", "halves"):
            records = (record(f"e{n}", f"e{parent(shape, n)}" if n else None) for n in range(4000))
            drawn = tree(*records, {"type": "leaf", "timestamp": STAMP, "targetId": "e0"})
            assert len(drawn) == 4000
            assert max(map(len, drawn)) < 3 * 13 + 20, shape


class TestText:
    def test_messages_are_shown_with_calls_and_results(self) -> None:
        call = {"id": "c1", "function": {"name": "read", "arguments": '{"path":"a"}'}}
        data = logs.chain(
            {
                "content": [
                    {"type": "text", "text": "look"},
                    {"type": "image", "media_type": "image/png", "data": ""},
                ]
            },
            {"role": "assistant", "content": "", "reasoning_summary": "hm", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "one\ntwo\n"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "so"}, {"type": "x"}, 7]},
            {"role": "compactionSummary", "content": None, "summary": "\x1b[2Jdone"},
        )
        lines = shown(data, text=True)
        assert lines[lines.index("") :] == [
            *("", "--- user m0", "look", "(image: image/png, 0 characters of base64)"),
            *("", "--- assistant m1", "(thinking)", "hm", '-> read [c1] {"path":"a"}'),
            *("", "--- tool m2 answers [c1]", "one", "two"),
            *("", "--- assistant m3", "(thinking)", "so", "(x)", "7"),
            *("", "--- compactionSummary m4", "\\u001b[2Jdone"),
        ]

    def test_a_history(self) -> None:
        lines = list(history_view.lines(full(), text=True, width=80))
        assert lines == [
            "version     1",
            "messages    3",
            "attachments 3 (24 bytes)",
            "",
            "   1 user (reference)  m1",
            "     + a.png (image/png, 8 bytes)",
            "     look",
            "   2 assistant  m2",
            "     -> read [c1]",
            "   3 tool       m3  answers [c1]",
            "     + a.png (image/png, 8 bytes)",
            "     + a.png (image/png, 8 bytes)",
            "     shown",
        ]

    def test_calls_that_hang_are_counted(self) -> None:
        calls = [ToolCall("c1", "f"), ToolCall("c2", "f")]
        history = History(messages=[Message("m1", "assistant", "", tool_calls=calls)])
        lines = list(history_view.lines(history, text=False, width=80))
        assert lines[2] == "interrupted 2 tool calls without a result"


class TestValue:
    def test_the_tree_can_be_built_from_the_entries(self) -> None:
        data = log(
            record("a", "b"),
            record("b", "a"),
            record("c", "zz"),
            record("d", "c"),
            {"type": "label", "id": "l", "timestamp": "2026-02-11T09:00:00Z", "targetId": "d", "label": "x"},
            {"type": "label", "id": "l", "timestamp": STAMP, "targetId": "gone", "label": "y"},
        )
        value = session_view.value(read_session(data), "log.jsonl", text=False)
        assert [(one["id"], one["parent"], one["parent_id"], one["active"]) for one in value["entries"]] == [
            ("a", None, "b", False),
            ("b", "a", "a", False),
            ("c", None, "zz", True),
            ("d", "c", "c", True),
        ]
        assert value["entries"][3]["label"] == "x"
        assert value["entries"][3]["timestamp"] == STAMP
        assert value["labels"] == [
            {"target": "d", "label": "x", "timestamp": "2026-02-11T09:00:00Z"},
            {"target": "gone", "label": "y", "timestamp": STAMP},
        ]
        assert (value["leaf"], value["branch"], value["verdict"]) == ("d", ["c", "d"], "invalid")

    def test_version_1_has_a_parent_for_each_entry(self) -> None:
        session = read_session(log(unnamed(), unnamed(), header=HEADER_1))
        value = session_view.value(session, "x", text=False)
        assert [entry["parent"] for entry in value["entries"]] == [None, "message:0"]
        assert (value["leaf"], value["format_version"]) == ("message:1", 1)

    def test_a_timestamp_that_no_clock_shows_is_null(self) -> None:
        odd = {**record("a"), "timestamp": "0000-02-11T08:00:00Z"}
        value = session_view.value(read_session(log(odd)), "x", text=False)
        assert value["entries"][0]["timestamp"] is None


class TestBodies:
    def test_records_on_one_line_are_read_alone_in_any_order(self) -> None:
        entries = [record(f"e{n}", f"e{n - 1}" if n else None, content="é" * n) for n in range(600)]
        halves = [b"".join(log(one, header=None)[:-1] for one in entries[first::2]) for first in (0, 1)]
        data = log() + b"\n".join(halves) + b"\n"
        stream = _Counting(data)
        session = read_session(data)
        spots = {entry.id: entry.spot for entry in session.log.entries()}
        ids = [one["id"] for one in entries]
        assert [body["id"] for body in bodies(stream, [spots[id] for id in ids])] == ids
        assert stream.bytes_read < 5000 * len(entries)
        assert [message["content"] for message in session.messages(at="e599")] == [
            "é" * n for n in range(600)
        ]

    def test_a_log_that_was_written_anew_is_no_longer_read(self) -> None:
        session = read_session(log(record("a")))
        spots = [entry.spot for entry in session.log.entries()]
        for other in (b"", log()[:-5], b"[]\n" * 200):
            with pytest.raises(Changed):
                list(bodies(io.BytesIO(other), spots))


class _Counting(io.BytesIO):
    """Counts the bytes that are read from it."""

    bytes_read = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.bytes_read += len(data)
        return data

    def readline(self, size: int | None = -1) -> bytes:
        data = super().readline(size)
        self.bytes_read += len(data)
        return data


class TestColumns:
    @pytest.mark.parametrize(
        ("text", "width", "wanted"),
        [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("漢字", 4, "漢字"),
            ("漢字x", 4, "漢…"),
            ("e\u0301e", 2, "e\u0301e"),
        ],
    )
    def test_text_is_cut_by_the_columns_it_takes(self, text: str, width: int, wanted: str) -> None:
        assert cut(text, width) == wanted


class TestCommand:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "log.jsonl").write_bytes(log(record("a"), record("b", "a")))
        (tmp_path / "newer.jsonl").write_bytes(log(header={**HEADER, "version": 3}))
        (tmp_path / "empty.jsonl").write_bytes(b"")
        (tmp_path / "notes.txt").write_text("hello")
        (tmp_path / "bad.json").write_text('{"version":1,"messages":[{}]}')
        (tmp_path / "new.json").write_text('{"version":2,"messages":[]}')
        full().save(tmp_path / "a")
        return tmp_path

    def test_a_log_and_a_folder(self, folder: Path) -> None:
        assert run("show", "log.jsonl", within=folder).text.startswith("session     s1\n")
        assert run("show", "a", within=folder).text.startswith("version     1\nmessages    3\n")

    def test_standard_input(self, folder: Path) -> None:
        data = (folder / "log.jsonl").read_bytes()
        assert run("show", "-", "--tree", input=data).out == run("show", "--tree", folder / "log.jsonl").out
        value = json.loads(run("show", "-", "--format", "json", input=data).out)
        assert value["path"] == "<stdin>"
        assert run("show", "-", input=b'{"version":1,"messages":[]}').text == "version     1\nmessages    0\n"

    @pytest.mark.parametrize(
        ("path", "code", "told"),
        [
            ("absent", 2, "convspec: absent: there is no such file [file-unreadable]\n"),
            (".", 2, "it is a folder without a file history.json [file-unreadable]\n"),
            ("notes.txt", 2, "[format-unrecognised]\n"),
            ("empty.jsonl", 1, "convspec: empty.jsonl: the file holds nothing [file-empty]\n"),
            ("newer.jsonl", 3, "[version-newer]\n"),
            ("bad.json", 1, "; convspec check says more (2 further)\n"),
            ("new.json", 3, "[version-newer]\n"),
        ],
    )
    def test_what_cannot_be_shown_is_one_line(self, folder: Path, path: str, code: int, told: str) -> None:
        for form in ("text", "json"):
            done = run("show", path, "--format", form, within=folder)
            assert (done.code, done.out, done.err.count("\n")) == (code, b"", 1)
            assert done.err.startswith("convspec: ")
            assert done.err.endswith(told)

    def test_the_json_can_be_read_by_any_parser(self, folder: Path) -> None:
        odd = record("a", content="x\ud800", big=10**5000)
        (folder / "odd.jsonl").write_bytes(json.dumps(HEADER).encode() + b"\n")
        with (folder / "odd.jsonl").open("ab") as file:
            file.write(dumped(odd).encode() + b"\n")
        done = run("show", "odd.jsonl", "--text", "--format", "json", within=folder)
        assert done.code == 0
        assert b"\\ud800" not in done.out
        assert "x\ufffd" in done.text

    def test_the_width_of_the_terminal_counts(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "long.jsonl").write_bytes(log(record("k" * 200)))
        assert max(map(len, run("show", "long.jsonl", "--tree", within=folder).text.splitlines())) == 80
        monkeypatch.setenv("COLUMNS", "120")
        assert max(map(len, run("show", "long.jsonl", "--tree", within=folder).text.splitlines())) == 120

    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak")
    def test_a_long_log_is_not_held_in_memory(self, tmp_path: Path) -> None:
        path = tmp_path / "long.jsonl"
        with path.open("wb") as file:
            file.write(log())
            for number in range(80):
                parent = f"e{number - 1}" if number else None
                file.write(log(record(f"e{number}", parent, content="x" * 1_000_000), header=None))
        script = (
            "import re, sys; from pathlib import Path; from convspec.cli.app import run; run(sys.argv[1:]); "
            "sys.stderr.write(re.search('VmHWM: *([0-9]+) kB', Path('/proc/self/status').read_text()"
            ".replace('\t', ' '))[1])"
        )
        command = [sys.executable, "-c", script, "show", "--tree", str(path)]
        done = subprocess.run(command, capture_output=True, check=True)
        assert done.stdout.endswith(b"* e79 user <- leaf\n")
        assert int(done.stderr) < 70_000  # of the log's 80 MB, one line is held at a time


class TestStreams:
    def shell(self, script: str, path: Path) -> subprocess.CompletedProcess[str]:
        command = ["bash", "-c", script, sys.executable, str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})

    def test_a_closed_pipe_ends_quietly(self, tmp_path: Path) -> None:
        path = tmp_path / "log.jsonl"
        path.write_bytes(log(*(record(f"e{n}", f"e{n - 1}" if n else None) for n in range(5000))))
        script = '"$0" -m convspec show --tree "$1" | head -n 1; echo "${PIPESTATUS[0]}"'
        done = self.shell(script, path)
        assert (done.stdout.splitlines(), done.stderr) == (["session     s1", "141"], "")

    @pytest.mark.parametrize("options", ["", "--format json"])
    def test_a_full_disk_is_one_line(self, tmp_path: Path, options: str) -> None:
        (tmp_path / "log.jsonl").write_bytes(log(record("a")))
        done = self.shell(f'"$0" -m convspec show {options} "$1" >/dev/full', tmp_path / "log.jsonl")
        assert done.returncode == 2
        assert done.stderr == "convspec: cannot write the output: No space left on device\n"
