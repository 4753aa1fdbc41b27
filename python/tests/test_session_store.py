"""The session store: what each operation writes, to the byte, and what it refuses to write."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from convspec import check
from convspec.session.errors import SessionError
from convspec.session.handle import Runtime
from convspec.session.opening import read_session
from convspec.session.placement import default_config_dir, safe_cwd
from convspec.session.session import Session
from convspec.session.store import SessionStore
from stores import (
    BEGIN,
    CALL,
    USER,
    clock,
    entry_id,
    is_clean,
    last,
    lines_of,
    records_of,
    session_id,
    store_in,
)

ID_0, ID_1, ID_2 = entry_id(0), entry_id(1), entry_id(2)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return store_in(tmp_path)


@pytest.fixture
def session(store: SessionStore) -> Session:
    return store.create()


class TestPlacement:
    @pytest.mark.parametrize(
        ("cwd", "name"),
        [
            ("/srv/tidewater", "--srv-tidewater--"),
            ("/", "----"),
            ("/a/b", "--a-b--"),
            ("/a-b", "--a-b--"),
            ("/a b/c:d\\e", "--a b-c-d-e--"),
            ("/a/../b/", "--b--"),
        ],
    )
    def test_a_working_folder_has_one_folder(self, cwd: str, name: str) -> None:
        assert safe_cwd(cwd) == name

    def test_the_folder_is_below_the_configuration(self, store: SessionStore, tmp_path: Path) -> None:
        assert store.session_dir == str(tmp_path / "config" / "sessions" / safe_cwd(tmp_path / "work"))

    def test_the_configuration_is_in_the_home_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("KWARD_CONFIG_PATH", raising=False)
        monkeypatch.setenv("HOME", "/home/me")
        assert default_config_dir() == "/home/me/.kward"

    def test_the_environment_may_name_it(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("KWARD_CONFIG_PATH", "/etc/kward/config.json")
        monkeypatch.chdir(tmp_path)
        assert SessionStore().config_dir == "/etc/kward"
        assert SessionStore().cwd == str(tmp_path)

    def test_a_log_is_named_by_its_header(self, session: Session) -> None:
        assert Path(session.path).name == f"2026-02-11T08-15-30.120Z_{session_id(0)}.jsonl"

    def test_only_the_owner_may_read(self, session: Session, store: SessionStore, tmp_path: Path) -> None:
        store.remember_last_session(session)
        old = os.umask(0)
        try:
            open_session = store_in(tmp_path / "other").create()
        finally:
            os.umask(old)
        for one in (session, open_session):
            assert stat.S_IMODE(os.stat(one.path).st_mode) == 0o600
            assert stat.S_IMODE(os.stat(os.path.dirname(one.path)).st_mode) == 0o700
        assert stat.S_IMODE(os.stat(store.config_dir).st_mode) == 0o700
        assert stat.S_IMODE(os.stat(store.last_session_path).st_mode) == 0o600

    def test_a_file_of_that_name_is_not_written_over(self, tmp_path: Path) -> None:
        first = store_in(tmp_path).create()
        first.append_message(USER)
        before = lines_of(first)
        with pytest.raises(SessionError, match="of this name already"):
            store_in(tmp_path).create()
        assert lines_of(first) == before
        assert sorted(os.listdir(os.path.dirname(first.path))) == [os.path.basename(first.path)]

    def test_real_ids_and_times(self, tmp_path: Path) -> None:
        session = SessionStore(tmp_path, tmp_path).create()
        id = session.append_message(USER)
        assert [len(part) for part in session.id.split("-")] == [8, 4, 4, 4, 12]
        assert session.id[14] == "4"
        assert len(id) == 32
        assert int(id, 16)
        assert abs((datetime.now(UTC) - session.modified_at).total_seconds()) < 60
        assert is_clean(session)


class TestCreate:
    def test_the_header(self, session: Session, store: SessionStore) -> None:
        assert lines_of(session) == [
            '{"type":"session","version":2,"id":"00000000-0000-4000-8000-000000000000",'
            f'"timestamp":"2026-02-11T08:15:30.120Z","cwd":"{store.cwd}"}}'
        ]

    def test_the_whole_header(self, store: SessionStore) -> None:
        session = store.create(
            provider="Codex", model="gpt-5.5", reasoning_effort="high", parent_id="p", parent_path="/p.jsonl"
        )
        assert list(records_of(session)[0].items())[4:] == [
            ("cwd", store.cwd),
            ("provider", "Codex"),
            ("model", "gpt-5.5"),
            ("reasoningEffort", "high"),
            ("parentId", "p"),
            ("parentPath", "/p.jsonl"),
        ]
        assert (session.parent_id, session.parent_path) == ("p", "/p.jsonl")
        assert session.runtime == Runtime("Codex", "gpt-5.5", "high")

    def test_what_is_empty_is_left_out(self, store: SessionStore) -> None:
        assert list(records_of(store.create(provider="", parent_id=""))[0])[-1] == "cwd"

    def test_what_it_is(self, session: Session, store: SessionStore) -> None:
        assert (session.id, session.cwd) == (session_id(0), store.cwd)
        assert session.created_at == session.modified_at == BEGIN.replace(microsecond=120_000)
        assert (session.name, session.leaf_id, session.parent_id, session.parent_path) == (None,) * 4
        assert session.read_only is None
        assert session.runtime == Runtime()
        assert session.id in repr(session)

    def test_a_working_folder_that_is_no_text_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SessionError, match="text-surrogate"):
            SessionStore(tmp_path, b"/srv/\xff".decode(errors="surrogateescape")).create()
        assert os.listdir(tmp_path) == []


class TestMessages:
    def test_a_root_and_its_child(self, session: Session) -> None:
        assert session.append_message(USER) == ID_0
        assert session.append_message({"role": "assistant", "content": "done"}) == ID_1
        assert lines_of(session)[1:] == [
            f'{{"type":"message","id":"{ID_0}","timestamp":"2026-02-11T08:15:31.120Z",'
            f'"message":{{"role":"user","content":"look","id":"{ID_0}"}}}}',
            f'{{"type":"message","id":"{ID_1}","parentId":"{ID_0}","timestamp":"2026-02-11T08:15:32.120Z",'
            f'"message":{{"role":"assistant","content":"done","id":"{ID_1}"}}}}',
        ]
        assert session.leaf_id == ID_1
        assert session.modified_at == datetime(2026, 2, 11, 8, 15, 32, 120_000, tzinfo=UTC)

    def test_an_id_of_its_own_is_kept_where_it_stands(self, session: Session) -> None:
        given = {"id": "msg_7", "role": "user", "content": "look"}
        assert session.append_message(given) == "msg_7"
        assert list(last(session)["message"]) == ["id", "role", "content"]
        assert given == {"id": "msg_7", "role": "user", "content": "look"}

    @pytest.mark.parametrize("id", [None, ""])
    def test_an_empty_id_is_none(self, session: Session, id: str | None) -> None:
        assert session.append_message({"id": id, **USER}) == ID_0

    def test_what_the_format_does_not_know_is_kept(self, session: Session) -> None:
        session.append_message(
            {"role": "user", "content": "look", "refusal": None, "x": {"y": [1, 2.5, "/"]}}
        )
        assert '"refusal":null,"x":{"y":[1,2.5,"/"]},' in lines_of(session)[-1]

    def test_text_is_written_as_it_is(self, session: Session) -> None:
        text = 'a/b "q" \\ é 😀 \u2028 \u0000 \x1b \n'
        session.append_message({"role": "user", "content": text})
        line = Path(session.path).read_bytes().split(b"\n")[1]
        assert b'a/b \\"q\\" \\\\ \xc3\xa9 \xf0\x9f\x98\x80 \xe2\x80\xa8 \\u0000 \\u001b \\n' in line
        assert next(session.messages())["content"] == text

    def test_the_caller_keeps_its_message(self, session: Session) -> None:
        given = {"role": "user", "content": ["look"]}
        session.append_message(given)
        assert given == {"role": "user", "content": ["look"]}

    @pytest.mark.parametrize(
        ("message", "why"),
        [
            ({"role": "user", "content": "\ud800"}, "text-surrogate"),
            ({"role": "user", "content": "x", "\udc00": 1}, "text-surrogate"),
            ({"role": "user", "content": "x", "n": float("nan")}, "no JSON number at /message/n"),
            ({"role": "user", "content": "x", "n": float("inf")}, "no JSON number"),
            ({"role": "user", "content": "x", "n": {1, 2}}, "no JSON at /message/n"),
            ({"role": "user", "content": "x", "n": {1: 2}}, "no JSON"),
            ({"role": "user", "content": "x", "n": 10**5000}, "not written"),
            ({"role": "user", "content": 3}, "schema-type"),
            ({"content": "x"}, "schema-required"),
            ({"role": "user", "content": "x", "id": 7}, "an id is a string"),
            ({"role": "user", "content": "x", "id": "x" * 1025}, "an id is a string"),
            ({"role": "user", "content": "x", "id": "known"}, "entry-id-duplicate"),
            ({"role": "system", "content": "x"}, "append_system_prompt_snapshot"),
            ([], "an object"),
        ],
    )
    def test_what_readers_would_refuse_is_not_written(self, session: Session, message: Any, why: str) -> None:
        session.append_message({"id": "known", **USER})
        before = Path(session.path).read_bytes()
        with pytest.raises(SessionError, match=why):
            session.append_message(message)
        assert Path(session.path).read_bytes() == before
        assert session.leaf_id == "known"

    def test_a_refusal_says_what_check_would_say(self, session: Session) -> None:
        with pytest.raises(SessionError) as caught:
            session.append_message({"role": "user", "content": 3})
        assert caught.value.report is not None
        assert [finding.pointer for finding in caught.value.report.findings] == ["/message/content"]

    def test_depth_is_bounded_where_readers_bound_it(self, session: Session) -> None:
        def nested(levels: int) -> Any:
            value: Any = 1
            for _ in range(levels):
                value = [value]
            return value

        session.append_message({"role": "user", "content": "x", "n": nested(98)})
        with pytest.raises(SessionError, match="json-depth"):
            session.append_message({"role": "user", "content": "x", "n": nested(99)})
        assert is_clean(session)

    def test_a_value_that_holds_itself_is_refused(self, session: Session) -> None:
        loop: list[Any] = []
        loop.append(loop)
        with pytest.raises(SessionError, match="json-depth"):
            session.append_message({"role": "user", "content": "x", "n": loop})


class TestCompaction:
    def test_the_record(self, session: Session) -> None:
        first = session.append_message(USER)
        id = session.compact(
            "## Goal",
            first_kept_entry_id=first,
            tokens_before=7,
            read_files=["b", "a", "b"],
            modified_files=["c"],
        )
        assert lines_of(session)[-1] == (
            f'{{"type":"compaction","id":"{id}","parentId":"{first}","timestamp":"2026-02-11T08:15:32.120Z",'
            f'"message":{{"role":"compactionSummary","summary":"## Goal","first_kept_entry_id":"{first}",'
            '"tokens_before":7,"from_hook":false,"details":{"read_files":["a","b"],"modified_files":["c"]},'
            f'"id":"{id}"}}}}'
        )
        assert [one["role"] for one in session.messages()] == ["compactionSummary", "user"]
        assert is_clean(session)

    def test_what_is_not_known_is_left_out(self, session: Session) -> None:
        session.append_message(USER)
        session.compact("short")
        assert list(last(session)["message"]) == ["role", "summary", "from_hook", "details", "id"]
        assert [one["role"] for one in session.messages()] == ["compactionSummary"]

    def test_a_message_is_written_as_it_stands(self, session: Session) -> None:
        session.append_message(USER)
        session.compact({"role": "assistant", "content": "short", "x": 1})
        assert last(session)["message"] == {"role": "assistant", "content": "short", "x": 1, "id": ID_1}

    def test_a_place_may_be_kept(self, session: Session) -> None:
        session.append_message(USER)
        session.append_message({"role": "assistant", "content": "done"})
        session.compact("short", first_kept_entry_id="message:1")
        assert [one["role"] for one in session.messages()] == ["compactionSummary", "assistant"]
        assert is_clean(session)

    @pytest.mark.parametrize("alias", ["first_kept_entry_id", "firstKeptEntryId"])
    def test_what_is_not_there_cannot_be_kept(self, session: Session, alias: str) -> None:
        session.append_message(USER)
        session.branch(None)
        other = session.append_message(USER)
        for kept in (ID_0, "message:5", "no"):
            with pytest.raises(SessionError, match="nothing would be kept"):
                session.compact({"role": "compactionSummary", "summary": "s", alias: kept})
        assert session.leaf_id == other

    def test_nothing_is_kept_of_nothing(self, session: Session) -> None:
        with pytest.raises(SessionError, match="nothing would be kept"):
            session.compact("s", first_kept_entry_id="x")


class TestTree:
    def test_to_go_on_elsewhere(self, session: Session) -> None:
        first = session.append_message(USER)
        session.append_message({"role": "assistant", "content": "one"})
        session.branch(first)
        assert lines_of(session)[-1] == (
            f'{{"type":"leaf","timestamp":"2026-02-11T08:15:33.120Z","targetId":"{first}"}}'
        )
        assert session.leaf_id == first
        session.append_message({"role": "assistant", "content": "two"})
        assert last(session)["parentId"] == first
        assert is_clean(session)

    def test_a_new_root(self, session: Session) -> None:
        session.append_message(USER)
        session.reset_leaf()
        assert (
            lines_of(session)[-1] == '{"type":"leaf","timestamp":"2026-02-11T08:15:32.120Z","targetId":null}'
        )
        assert session.leaf_id is None
        assert list(session.messages()) == []
        session.append_message(USER)
        assert "parentId" not in last(session)
        assert check(session.path).findings == ()

    def test_an_empty_id_is_a_new_root(self, session: Session) -> None:
        session.append_message(USER)
        session.branch("")
        assert last(session)["targetId"] is None

    @pytest.mark.parametrize("id", ["no", session_id(0)])
    def test_only_entries_can_be_gone_to(self, session: Session, id: str) -> None:
        session.append_message(USER)
        before = lines_of(session)
        for refused in (
            lambda: session.branch(id),
            lambda: session.append_label_change(id, "x"),
            lambda: session.append_branch_summary(id, "x"),
        ):
            with pytest.raises(SessionError, match="there is no entry"):
                refused()
        assert lines_of(session) == before
        assert session.leaf_id == ID_0

    def test_a_label(self, session: Session) -> None:
        first = session.append_message(USER)
        session.append_label_change(first, "  before\n")
        assert lines_of(session)[-1] == (
            f'{{"type":"label","id":"{ID_1}","timestamp":"2026-02-11T08:15:32.120Z",'
            f'"targetId":"{first}","label":"before"}}'
        )
        assert session.reading.labels == {first: "before"}
        assert session.leaf_id == first

    @pytest.mark.parametrize("label", [None, "", " \u3000"])
    def test_a_blank_label_takes_it_away(self, session: Session, label: str | None) -> None:
        first = session.append_message(USER)
        session.append_label_change(first, "x")
        session.append_label_change(first, label)
        assert last(session)["label"] is None
        assert session.reading.labels == {}

    def test_nothing_can_be_labelled(self, session: Session) -> None:
        with pytest.raises(SessionError, match="for an entry"):
            session.append_label_change("", "x")

    def test_a_branch_summary(self, session: Session) -> None:
        first = session.append_message(USER)
        left = session.append_message({"role": "assistant", "content": "one"})
        id = session.append_branch_summary(first, "Tried it.", details={"n": 1})
        assert lines_of(session)[-1] == (
            f'{{"type":"branch_summary","id":"{id}","parentId":"{first}",'
            f'"timestamp":"2026-02-11T08:15:33.120Z","fromId":"{left}",'
            '"summary":"Tried it.","details":{"n":1}}'
        )
        assert session.leaf_id == id
        assert [one["role"] for one in session.messages()] == ["user", "branchSummary"]
        assert is_clean(session)

    def test_a_branch_summary_at_a_new_root(self, session: Session) -> None:
        session.append_branch_summary(None, "Nothing yet.")
        assert list(last(session)) == ["type", "id", "timestamp", "summary", "details"]
        assert last(session)["details"] == {}

    def test_a_branch_summary_of_another_branch(self, session: Session) -> None:
        first = session.append_message(USER)
        left = session.append_message({"role": "assistant", "content": "one"})
        session.branch(first)
        session.append_branch_summary(first, "Tried it.", from_id=left)
        assert last(session)["fromId"] == left

    def test_very_long_ids_of_others_are_written_as_they_are(self, store: SessionStore) -> None:
        session = store.create()
        long = "x" * 2000
        record = {"type": "message", "id": long, "timestamp": "2026-02-11T08:16:00Z", "message": USER}
        with open(session.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        loaded = store.load(session.path)
        assert loaded.leaf_id == long
        loaded.append_message(USER)
        assert last(loaded)["parentId"] == long
        loaded.branch(loaded.reading.entries[0].id)
        assert last(loaded)["targetId"] == long
        loaded.append_message(USER)
        assert last(loaded)["parentId"] == long
        assert is_clean(loaded)


class TestToldBeside:
    def test_a_name(self, session: Session) -> None:
        session.rename("  Run the checks ")
        assert lines_of(session)[-1] == (
            '{"type":"session_info","timestamp":"2026-02-11T08:15:31.120Z","name":"Run the checks"}'
        )
        assert session.name == "Run the checks"
        session.rename(" ")
        assert last(session)["name"] is None
        assert session.name is None

    def test_a_runtime_says_the_name_again(self, session: Session) -> None:
        session.rename("Run")
        session.update_runtime(provider="Codex", model="gpt-5.5", reasoning_effort="low")
        assert lines_of(session)[-1] == (
            '{"type":"session_info","timestamp":"2026-02-11T08:15:32.120Z","name":"Run",'
            '"provider":"Codex","model":"gpt-5.5","reasoningEffort":"low"}'
        )
        session.update_runtime(model="o9")
        assert last(session) | {"timestamp": ""} == {
            "type": "session_info",
            "timestamp": "",
            "name": "Run",
            "model": "o9",
        }
        assert session.runtime == Runtime("Codex", "o9", "low")
        assert is_clean(session)

    def test_a_runtime_of_nothing(self, session: Session) -> None:
        session.update_runtime()
        assert list(last(session)) == ["type", "timestamp"]

    def test_a_system_prompt_is_written_when_it_is_another(self, session: Session) -> None:
        prompt = "You help with the Tidewater repo."
        assert session.append_system_prompt_snapshot(prompt, reason="attach")
        assert lines_of(session)[-1] == (
            '{"type":"system_prompt","timestamp":"2026-02-11T08:15:31.120Z","reason":"attach",'
            '"hash":"sha256:7b5fc400aa32bd52b5d361fd78c84300334656341b21fda05e78f0dc39a1d8ad",'
            '"content":"You help with the Tidewater repo."}'
        )
        assert not session.append_system_prompt_snapshot(prompt)
        assert not session.append_system_prompt_snapshot("")
        assert session.append_system_prompt_snapshot("B")
        assert session.append_system_prompt_snapshot(prompt)
        reasons = [one["reason"] for one in session.reading.system_prompts()]
        assert reasons == ["attach", "changed", "changed"]
        assert check(session.path).findings == ()

    def test_a_system_prompt_of_half_a_character_is_refused(self, session: Session) -> None:
        with pytest.raises(SessionError):
            session.append_system_prompt_snapshot("\ud800")
        assert len(lines_of(session)) == 1

    def test_a_memory(self, session: Session) -> None:
        session.update_memory_state()
        assert lines_of(session)[-1] == (
            '{"type":"memory_state","timestamp":"2026-02-11T08:15:31.120Z",'
            '"sessionMemories":[],"lastRetrieval":null}'
        )
        session.update_memory_state(({"id": "soft_001"},), {"enabled": False})
        assert session.reading.session_memories == [{"id": "soft_001"}]
        assert session.reading.last_retrieval == {"enabled": False}


class TestToolExecutions:
    def _record(self, session: Session, name: str | None, args: Any, content: str) -> dict[str, Any]:
        arguments = args if isinstance(args, str) else json.dumps(args)
        session.append_tool_execution(
            {"id": "k", "function": {"name": name, "arguments": arguments}}, content
        )
        assert not check(session.path).counts.errors
        return last(session)

    def test_a_command(self, session: Session) -> None:
        self._record(session, "run_shell_command", {"command": "rake"}, "ok 1\nok 2\n")
        assert lines_of(session)[-1] == (
            '{"type":"tool_execution_end","timestamp":"2026-02-11T08:15:31.120Z","toolCallId":"k",'
            '"toolName":"bash","args":{"command":"rake","timeout":30},'
            '"result":{"content":"ok 1\\nok 2\\n","isError":false,"images":[]},"isError":false}'
        )

    @pytest.mark.parametrize(
        ("name", "given", "args"),
        [
            ("run_shell_command", {"timeout": 5}, {"timeout": 5}),
            ("run_shell_command", {"command": "x", "timeout_seconds": 9}, {"command": "x", "timeout": 9}),
            ("bash", {"command": "x", "other": 1}, {"command": "x", "timeout": 30}),
            ("write_file", {"path": "a", "content": "b", "mode": 1}, {"path": "a", "content": "b"}),
            ("edit_file", {"path": "a"}, {"path": "a"}),
            (
                "edit_file",
                {"path": "a", "edits": [{"old_text": "x", "new_text": "y"}, {"oldText": "p"}, 7]},
                {"path": "a", "edits": [{"oldText": "x", "newText": "y"}, {"oldText": "p"}]},
            ),
            ("read_file", {"path": "a", "max_lines": 2}, {"path": "a", "maxLines": 2}),
            ("mcp__x__y", {"a_b": [{"c_d_e": None}]}, {"aB": [{"cDE": None}]}),
            (None, {}, {}),
        ],
    )
    def test_arguments_have_common_names(self, session: Session, name: str, given: Any, args: Any) -> None:
        assert self._record(session, name, given, "ok")["args"] == args

    @pytest.mark.parametrize(
        ("name", "normalised"),
        [
            ("read_file", "read"),
            ("edit_file", "edit"),
            ("write_file", "write"),
            ("run_shell_command", "bash"),
            ("mcp__x__y", "mcp__x__y"),
            (None, None),
        ],
    )
    def test_tools_have_common_names(self, session: Session, name: str, normalised: str) -> None:
        assert self._record(session, name, {}, "ok")["toolName"] == normalised

    @pytest.mark.parametrize("text", ["", "{", "[]", "null", "7"])
    def test_arguments_that_are_none(self, session: Session, text: str) -> None:
        assert self._record(session, "read_file", text, "ok")["args"] == {}

    @pytest.mark.parametrize(
        ("content", "failed"),
        [
            ("Error: no", True),
            ("Declined: no", True),
            ("Cancelled.", True),
            ("Unknown tool: x", False),
            (" Error: no", False),
            ("", False),
        ],
    )
    def test_what_is_an_error(self, session: Session, content: str, failed: bool) -> None:
        record = self._record(session, "read_file", {}, content)
        assert record["isError"] is record["result"]["isError"] is failed

    def test_an_edit_says_what_it_changed(self, session: Session) -> None:
        diff = "--- a.rb\n+++ a.rb\n@@ -3,3 +4,3 @@ def x\n same\n-x = 1\n+x = 2\n"
        result = self._record(session, "edit_file", {"path": "a.rb"}, f"Edited a.rb\n{diff}")["result"]
        assert list(result) == ["content", "isError", "images", "diff", "firstChangedLine", "changedFiles"]
        assert (result["diff"], result["firstChangedLine"], result["changedFiles"]) == (diff, 5, ["a.rb"])

    @pytest.mark.parametrize(
        ("hunk", "line"),
        [
            ("@@ -1 +1 @@\n-x\n+y\n", 1),
            ("@@ -1 +0,0 @@\n-x\n", 1),
            ("@@ -1,2 +1,2 @@\n a\n b\n", None),
            ("@@ nothing @@\n+x\n", None),
            ("@@ -1 +7 @@", None),
            ("", None),
        ],
    )
    def test_where_a_diff_begins(self, session: Session, hunk: str, line: int | None) -> None:
        result = self._record(session, "write_file", {"path": "a"}, f"--- a\n+++ a\n{hunk}")["result"]
        assert result.get("firstChangedLine") == line

    def test_a_failed_edit_changed_nothing(self, session: Session) -> None:
        result = self._record(session, "edit_file", {"path": "a"}, "Error: no\n--- a\n")["result"]
        assert list(result) == ["content", "isError", "images"]

    def test_output_of_other_tools_is_no_diff(self, session: Session) -> None:
        result = self._record(session, "run_shell_command", {"command": "diff"}, "--- a\n+++ b\n")["result"]
        assert list(result) == ["content", "isError", "images"]

    def test_arguments_may_be_an_object(self, session: Session) -> None:
        session.append_tool_execution({"function": {"name": "x", "arguments": {"a_b": 1}}}, "ok")
        assert (last(session)["toolCallId"], last(session)["args"]) == (None, {"aB": 1})

    def test_a_call_without_anything(self, session: Session) -> None:
        session.append_tool_execution({}, "ok")
        assert (last(session)["toolName"], last(session)["args"]) == (None, {})

    def test_hostile_arguments_are_refused_or_bounded(self, session: Session) -> None:
        for text in ("[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000):
            try:
                self._record(session, "x", text, "ok")
            except SessionError:
                continue
        assert not check(session.path).counts.errors


class TestCopies:
    def _talk(self, store: SessionStore) -> tuple[Session, list[str]]:
        session = store.create(provider="Codex", model="gpt-5.5")
        session.rename("Talk")
        ids = [
            session.append_message(USER),
            session.append_message({"role": "assistant", "content": "", "tool_calls": [CALL]}),
            session.append_message(
                {"role": "tool", "tool_call_id": "k1", "name": "read_file", "content": "x"}
            ),
            session.append_message({"role": "assistant", "content": "done"}),
        ]
        return session, ids

    def test_a_clone(self, store: SessionStore) -> None:
        session, ids = self._talk(store)
        clone = store.clone(session)
        header, name, *messages = records_of(clone)
        assert (header["parentId"], header["parentPath"]) == (session.id, session.path)
        assert (header["provider"], header["model"]) == ("Codex", "gpt-5.5")
        assert name["name"] == clone.name == "Talk"
        assert [one["id"] for one in messages] == ids
        assert [one["message"] for one in messages] == [one["message"] for one in records_of(session)[2:]]
        assert clone.leaf_id == ids[-1]
        assert is_clean(clone)

    def test_a_clone_goes_on_alone(self, store: SessionStore) -> None:
        session, _ = self._talk(store)
        before = lines_of(session)
        store.clone(session).append_message(USER)
        assert lines_of(session) == before

    def test_a_clone_of_a_compacted_session(self, store: SessionStore) -> None:
        session, ids = self._talk(store)
        session.compact("short", first_kept_entry_id=ids[1])
        session.append_branch_summary(session.leaf_id, "other")
        clone = store.clone(session)
        assert list(clone.messages()) == list(session.messages())
        assert {one["type"] for one in records_of(clone)} == {"session", "session_info", "message"}
        assert is_clean(clone)

    def test_a_clone_of_the_handle_s_own_leaf(self, store: SessionStore) -> None:
        session, _ = self._talk(store)
        other = store.load(session.path)
        other.reset_leaf()
        assert len(list(store.clone(session).messages())) == 4
        assert list(store.clone(other).messages()) == []

    def test_a_fork_is_the_path_before_an_entry(self, store: SessionStore) -> None:
        session, ids = self._talk(store)
        session.branch(ids[0])
        aside = session.append_message({"role": "assistant", "content": "aside"})
        fork = store.fork(session, before=ids[3])
        assert [one["id"] for one in fork.messages()] == ids[:3]
        assert [one["id"] for one in store.fork(session, before=aside).messages()] == ids[:1]
        assert (fork.parent_id, fork.name) == (session.id, "Talk")
        assert is_clean(fork)

    def test_a_fork_before_the_root_is_empty(self, store: SessionStore) -> None:
        session, ids = self._talk(store)
        assert list(store.fork(session, before=ids[0]).messages()) == []

    def test_a_fork_before_nothing_is_refused(self, store: SessionStore) -> None:
        session, _ = self._talk(store)
        with pytest.raises(SessionError, match="there is no entry"):
            store.fork(session, before="no")

    def test_from_messages(self, store: SessionStore) -> None:
        session = store.create_from_messages(
            [USER, {"id": "own", "role": "assistant", "content": "done"}],
            name=" Named ",
            provider="Codex",
            model="gpt-5.5",
            reasoning_effort="low",
            read_paths=["a.txt"],
        )
        assert [(one["type"], one.get("id")) for one in records_of(session)[1:]] == [
            ("session_info", None),
            ("message", ID_0),
            ("message", "own"),
        ]
        assert (session.name, session.leaf_id, session.parent_id) == ("Named", "own", None)
        assert session.runtime == Runtime("Codex", "gpt-5.5", "low")
        assert session.read_paths == ("a.txt",)
        session.append_message(USER)
        assert last(session)["parentId"] == "own"
        assert is_clean(session)

    def test_from_messages_of_another_session(self, store: SessionStore) -> None:
        session, _ = self._talk(store)
        copy = store.create_from_messages([USER], parent_session=session)
        assert (copy.parent_id, copy.parent_path, copy.name) == (session.id, session.path, "Talk")
        assert store.create_from_messages([USER], parent_session=session, name="Else").name == "Else"

    @pytest.mark.parametrize(
        "messages",
        [
            [USER, {"role": "user", "content": 3}],
            [{"id": "a", **USER}, {"id": "a", **USER}],
            [{"id": 5, **USER}],
            [{"id": "x" * 1025, **USER}],
            [{"role": "system", "content": "x"}],
            [7],
            [{"role": "user", "content": "\ud800"}],
        ],
    )
    def test_all_of_it_or_nothing(self, store: SessionStore, messages: list[Any]) -> None:
        with pytest.raises(SessionError):
            store.create_from_messages(messages)
        assert not os.path.exists(store.session_dir)

    def test_a_clone_of_a_version_1_log(self, store: SessionStore, tmp_path: Path) -> None:
        path = tmp_path / "old.jsonl"
        path.write_text(
            '{"type":"session","version":1,"id":"s1","timestamp":"2026-02-11T08:00:00Z","cwd":"/srv/demo"}\n'
            '{"type":"message","timestamp":"2026-02-11T08:00:01Z","message":{"role":"user","content":"a"}}\n'
            '{"type":"message","timestamp":"2026-02-11T08:00:02Z","message":{"role":"user","content":"b"}}\n'
        )
        old = store.load(path)
        assert [one["content"] for one in store.clone(old).messages()] == ["a", "b"]
        assert [one["content"] for one in store.fork(old, before="message:1").messages()] == ["a"]
        assert is_clean(store.clone(old))

    def test_a_clone_of_messages_that_share_an_id(self, store: SessionStore) -> None:
        session = store.create()
        session.append_message({"id": "a", **USER})
        record = {"type": "message", "id": "b", "parentId": "a", "timestamp": "2026-02-11T09:00:00Z"}
        with open(session.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record | {"message": {"id": "a", **USER}}) + "\n")
        clone = store.clone(store.load(session.path))
        assert [one["id"] for one in clone.messages()] == ["a", ID_0]


class TestLoad:
    def test_what_was_written_is_what_is_loaded(self, store: SessionStore) -> None:
        session = store.create(provider="Codex")
        session.append_message(USER)
        session.rename("Run")
        session.update_runtime(model="o9")
        session.append_system_prompt_snapshot("P")
        loaded = store.load(session.path, provider="Else", reasoning_effort="low")
        assert (loaded.id, loaded.path, loaded.cwd) == (session.id, session.path, session.cwd)
        assert (loaded.created_at, loaded.modified_at) == (session.created_at, session.modified_at)
        assert (loaded.name, loaded.leaf_id) == ("Run", session.leaf_id)
        assert loaded.runtime == Runtime("Codex", "o9", "low")
        assert not loaded.append_system_prompt_snapshot("P")

    def test_a_path_counts_from_the_working_folder(self, store: SessionStore, tmp_path: Path) -> None:
        session = store.create()
        os.makedirs(store.cwd)
        relative = os.path.relpath(session.path, store.cwd)
        assert store.load(relative).path == session.path
        assert store.location(relative).path == session.path

    def test_where_a_session_belongs(self, store: SessionStore, tmp_path: Path) -> None:
        session = store.create()
        elsewhere = SessionStore(tmp_path / "config", "/elsewhere")
        assert elsewhere.location(session.path).cwd == store.cwd
        header = records_of(session)[0] | {"cwd": ""}
        Path(session.path).write_text(json.dumps(header) + "\n", encoding="utf-8")
        assert elsewhere.location(session.path).cwd == elsewhere.load(session.path).cwd == "/elsewhere"

    def test_read_paths_are_found_in_the_workspace(self, store: SessionStore, tmp_path: Path) -> None:
        session = store.create()
        session.append_message({"role": "assistant", "content": "", "tool_calls": [CALL]})
        session.append_message({"role": "tool", "tool_call_id": "k1", "name": "read_file", "content": "x"})
        (tmp_path / "a.txt").write_text("x")
        assert store.load(session.path).read_paths == ()
        assert store.load(session.path, workspace=tmp_path).read_paths == ("a.txt",)

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "holds nothing"),
            (
                '{"type":"message","id":"a","timestamp":"2026-02-11T08:00:00Z","message":{"role":"user"}}\n',
                "header",
            ),
            (
                '{"type":"session","version":3,"id":"s","timestamp":"2026-02-11T08:00:00Z","cwd":"/"}\n',
                "newer",
            ),
            (
                '{"type":"session","version":2,"id":"","timestamp":"2026-02-11T08:00:00Z","cwd":"/"}\n',
                "header",
            ),
        ],
    )
    def test_what_is_no_session_is_refused(
        self, store: SessionStore, tmp_path: Path, text: str, why: str
    ) -> None:
        path = tmp_path / "log.jsonl"
        path.write_text(text)
        with pytest.raises(SessionError, match=why) as caught:
            store.load(path)
        assert caught.value.report is not None
        with pytest.raises(SessionError):
            store.location(path)
        assert path.read_text() == text

    def test_what_is_not_there_is_refused(self, store: SessionStore, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "fifo.jsonl")
        for path in ("no.jsonl", ".", tmp_path / "fifo.jsonl", "nul\0.jsonl"):
            with pytest.raises(SessionError):
                store.load(path)

    @pytest.mark.parametrize(
        ("header", "why"),
        [
            ("", "no header"),
            ('{"type":"session","id":"s","timestamp":"2026-02-11T08:00:00Z","cwd":"/"}\n', "no version"),
            (
                '{"type":"session","version":1,"id":"s","timestamp":"2026-02-11T08:00:00Z","cwd":"/"}\n',
                "version 1",
            ),
        ],
    )
    def test_what_is_not_fully_understood_is_read_and_not_written_to(
        self, store: SessionStore, tmp_path: Path, header: str, why: str
    ) -> None:
        path = tmp_path / f"2026-02-11T08-00-00.000Z_{session_id(7)}.jsonl"
        message = '{"type":"message","id":"a","timestamp":"2026-02-11T08:00:01Z","message":{"role":"user"}}\n'
        path.write_text(header + message)
        session = store.load(path)
        assert [one["role"] for one in session.messages()] == ["user"]
        assert session.read_only is not None
        assert why in session.read_only
        for refused in (
            lambda: session.append_message(USER),
            session.reset_leaf,
            lambda: session.rename("x"),
        ):
            with pytest.raises(SessionError, match=why):
                refused()
        assert not session.delete_if_unused()
        assert path.read_text() == header + message
        assert [one["role"] for one in store.clone(session).messages()] == ["user"]

    def test_a_leaf_that_leads_nowhere_must_be_moved_first(self, store: SessionStore) -> None:
        session = store.create()
        first = session.append_message(USER)
        with open(session.path, "a", encoding="utf-8") as file:
            file.write('{"type":"leaf","timestamp":"2026-02-11T08:16:00Z","targetId":"zz"}\n')
        loaded = store.load(session.path)
        assert list(loaded.messages()) == []
        with pytest.raises(SessionError, match="there is no entry"):
            loaded.append_message(USER)
        loaded.branch(first)
        loaded.append_message(USER)
        assert last(loaded)["parentId"] == first

    def test_a_reading_is_that_of_the_file(self, session: Session) -> None:
        before = session.reading
        assert session.reading is before
        session.append_message(USER)
        assert session.reading.leaf == session.leaf_id
        os.unlink(session.path)
        with pytest.raises(SessionError, match="no such file"):
            _ = session.reading


class TestLastSession:
    def test_it_is_remembered(self, store: SessionStore, session: Session) -> None:
        assert store.remembered_last_session_path() is None
        store.remember_last_session(session)
        assert Path(store.last_session_path).read_text() == (
            f'{{\n  "path": "{session.path}",\n  "timestamp": "2026-02-11T08:15:31.120Z"\n}}\n'
        )
        assert store.remembered_last_session_path() == session.path

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            "7",
            "{",
            '{"path":7}',
            '{"path":""}',
            "{}",
            '{"path":"/no"}',
            '{"path":"a\\u0000"}',
            "\xff",
        ],
    )
    def test_a_bad_one_means_nothing(self, store: SessionStore, session: Session, text: str) -> None:
        Path(store.last_session_path).write_text(text, encoding="latin-1")
        assert store.remembered_last_session_path() is None

    def test_a_session_that_is_gone_is_not_remembered(self, store: SessionStore, session: Session) -> None:
        store.remember_last_session(session)
        os.unlink(session.path)
        assert store.remembered_last_session_path() is None

    def test_a_link_in_its_place_is_replaced_and_not_followed(
        self, store: SessionStore, session: Session, tmp_path: Path
    ) -> None:
        (tmp_path / "other").write_text("mine")
        os.symlink(tmp_path / "other", store.last_session_path)
        store.remember_last_session(session)
        assert (tmp_path / "other").read_text() == "mine"
        assert store.remembered_last_session_path() == session.path


class TestUnused:
    def test_an_unused_session_is_removed(self, store: SessionStore, session: Session) -> None:
        session.append_system_prompt_snapshot("P")
        session.update_runtime(model="o9")
        session.update_memory_state()
        session.reset_leaf()
        assert store.delete_unused(session)
        assert not os.path.exists(session.path)
        assert not store.delete_unused(session)
        with pytest.raises(SessionError, match="removed"):
            session.append_message(USER)

    def test_what_holds_anything_is_kept(self, store: SessionStore) -> None:
        uses: list[Any] = [
            lambda session: session.append_message(USER),
            lambda session: session.rename("x"),
            lambda session: session.compact("x"),
            lambda session: session.append_branch_summary(None, "x"),
            lambda session: session.append_tool_execution({}, "x"),
            lambda session: session.update_memory_state([{"id": "soft_001"}]),
            lambda session: Path(session.path).write_bytes(Path(session.path).read_bytes() + b'{"type":"me'),
            lambda session: Path(session.path).write_bytes(
                Path(session.path).read_bytes() + b'{"type":"note","timestamp":"2026-02-11T08:00:00Z"}\n'
            ),
        ]
        for use in uses:
            session = store.create()
            use(session)
            assert not store.delete_unused(session)
            assert os.path.exists(session.path)

    def test_a_name_that_was_lost_keeps_it(self, store: SessionStore, session: Session) -> None:
        session.rename("x")
        with open(session.path, "a", encoding="utf-8") as file:
            file.write('{"type":"session_info","timestamp":"2026-02-11T08:16:00Z","model":"o9"}\n')
        assert session.reading.name is None
        assert not session.delete_if_unused()

    def test_what_another_wrote_is_seen(self, store: SessionStore, session: Session) -> None:
        store.load(session.path).append_message(USER)
        assert not session.delete_if_unused()

    def test_the_use_of_a_session(self, store: SessionStore) -> None:
        with store.create().attach("You help.") as session:
            assert last(session)["reason"] == "attach"
            session.append_message(USER)
        with store.load(session.path).attach("You help.") as again:
            again.append_message({"role": "assistant", "content": "done"})
        assert [one["type"] for one in records_of(session)].count("system_prompt") == 1
        with store.create().attach() as unused:
            pass
        assert not os.path.exists(unused.path)

    def test_an_error_in_the_block_is_told(self, store: SessionStore) -> None:
        with pytest.raises(ZeroDivisionError), store.create().attach() as unused:
            _ = 1 / 0
        assert not os.path.exists(unused.path)


def test_a_store_without_fsync_and_one_with_it_write_the_same(tmp_path: Path) -> None:
    for fsync in (False, True):
        session = store_in(tmp_path / str(fsync), fsync=fsync, clock=clock()).create()
        session.append_message(USER)
    assert read_session(session.path).tally["records"] == 2
