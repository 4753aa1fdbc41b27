"""Lists of sessions: in the order of their use, whatever state their logs are in, and nothing is removed."""

from __future__ import annotations

import io
import json
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convspec.session import listing
from convspec.session.activity import last_activity, lines_backwards
from convspec.session.handle import Runtime
from convspec.session.opening import read_session
from convspec.session.session_info import SessionInfo, as_tree, summary_of
from convspec.session.store import SessionStore
from stores import BEGIN, clock, session_id, store_in

HEADER = '{"type":"session","version":2,"id":"s1","timestamp":"2026-02-11T08:00:00Z","cwd":"/srv/demo"}\n'
MESSAGE = (
    '{"type":"message","id":"a","timestamp":"2026-02-11T09:00:00Z","message":{"role":"user","content":"x"}}\n'
)
EARLY = datetime(2026, 2, 11, 8, tzinfo=UTC)
LATE = EARLY + timedelta(hours=1)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return store_in(tmp_path)


def used(store: SessionStore, text: str = "look", **options: Any) -> Any:
    session = store.create(**options)
    session.append_message({"role": "user", "content": text})
    return session


class TestInfo:
    def test_what_a_list_says(self, store: SessionStore) -> None:
        session = used(store, "  first\n\twords ", provider="Codex", parent_id="p", parent_path="/p")
        session.append_message({"role": "assistant", "content": "done"})
        session.rename("Run")
        session.update_runtime(model="o9")
        (info,) = store.recent()
        assert info == SessionInfo(
            id=session.id,
            path=session.path,
            cwd=store.cwd,
            created_at=session.created_at,
            modified_at=session.modified_at,
            name="Run",
            first_message="first words",
            message_count=2,
            runtime=Runtime("Codex", "o9"),
            parent_id="p",
            parent_path="/p",
        )
        assert "first words" not in repr(info)

    @pytest.mark.parametrize(
        ("message", "shown"),
        [
            ({"content": "x" * 500}, "x" * 120),
            ({"content": "long expanded", "display_content": "/short"}, "/short"),
            ({"content": [{"type": "text", "text": "a"}, {"type": "image", "data": ""}, "b", 7]}, "a b"),
            ({"content": None}, ""),
            ({"content": " "}, ""),
        ],
    )
    def test_the_first_message_on_one_line(
        self, store: SessionStore, message: dict[str, Any], shown: str
    ) -> None:
        store.create().append_message({"role": "user", **message})
        assert store.recent()[0].first_message == shown

    def test_a_compaction_counts_and_is_shown(self, store: SessionStore) -> None:
        session = used(store)
        session.compact("The goal")
        (info,) = store.recent()
        assert (info.first_message, info.message_count) == ("The goal", 1)

    def test_an_empty_conversation_that_holds_messages_is_listed(self, store: SessionStore) -> None:
        session = used(store)
        session.reset_leaf()
        (info,) = store.recent()
        assert (info.message_count, info.is_unused, info.problem) == (0, False, None)


class TestRecent:
    def test_the_one_used_last_comes_first(self, store: SessionStore) -> None:
        sessions = [used(store) for _ in range(3)]
        sessions[0].append_message({"role": "assistant", "content": "again"})
        sessions[1].rename("a name is no use")
        assert [info.id for info in store.recent()] == [session_id(0), session_id(2), session_id(1)]
        assert [info.id for info in store.recent(limit=2)] == [session_id(0), session_id(2)]
        assert store.recent(limit=0) == []

    def test_without_a_folder_there_are_none(self, store: SessionStore) -> None:
        assert (
            store.recent() == store.recent_tree() == store.all_sessions() == store.capture_candidates() == []
        )
        assert not os.path.exists(store.config_dir)

    def test_there_are_twenty_unless_more_are_asked_for(self, store: SessionStore) -> None:
        for _ in range(22):
            used(store)
        assert len(store.recent()) == len(store.recent_tree()) == 20
        assert len(store.recent(limit=None)) == 22

    def test_unused_ones_are_left_out_and_kept(self, store: SessionStore) -> None:
        empty, named = store.create(), store.create()
        named.rename("x")
        assert [info.id for info in store.recent()] == [named.id]
        assert {info.id for info in store.recent(keep_empty=[empty.path])} == {named.id, empty.id}
        assert os.path.exists(empty.path)

    def test_only_the_newest_are_read(self, store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
        for _ in range(6):
            used(store)
        read: list[str] = []
        monkeypatch.setattr(listing, "summary_of", lambda path: read.append(path) or summary_of(path))
        assert len(store.recent(limit=2)) == len(read) == 2

    def test_damaged_ones_are_listed_with_what_can_be_read(self, store: SessionStore) -> None:
        session = used(store)
        with open(session.path, "a", encoding="utf-8") as file:
            file.write('{"type":"mess')
        (info,) = store.recent()
        assert info.problem == "line 3: the last line was cut off while it was written [line-torn]"
        assert (info.message_count, info.id) == (1, session.id)

    def test_what_cannot_be_read_is_listed_too(self, store: SessionStore, tmp_path: Path) -> None:
        used(store)
        folder = Path(store.session_dir)
        (folder / "empty.jsonl").touch()
        (folder / "newer.jsonl").write_text(HEADER.replace(":2,", ":3,", 1))
        (folder / f"2026-02-11T08-00-00.000Z_{session_id(9)}.jsonl").write_text("{")
        (folder / "folder.jsonl").mkdir()
        os.mkfifo(folder / "fifo.jsonl")
        os.symlink(tmp_path / "nowhere", folder / "link.jsonl")
        (folder / ".hidden.jsonl").touch()
        (folder / "notes.txt").touch()
        before = sorted(os.listdir(folder))
        problems = {Path(info.path).name: info.problem for info in store.recent(limit=None)}
        assert len(problems) == 7
        assert sum(problem is None for problem in problems.values()) == 1
        assert "newer version" in str(problems["newer.jsonl"])
        assert "link" in str(problems["link.jsonl"])
        assert "no regular file" in str(problems["fifo.jsonl"])
        assert {info.id for info in store.recent(limit=None)} >= {session_id(9)}
        assert sorted(os.listdir(folder)) == before

    def test_old_logs_are_listed(self, store: SessionStore) -> None:
        os.makedirs(store.session_dir)
        text = HEADER.replace(":2,", ":1,", 1) + MESSAGE.replace('"id":"a",', "", 1)
        Path(store.session_dir, "old.jsonl").write_text(text)
        (info,) = store.recent()
        assert (info.message_count, info.first_message, info.problem) == (1, "x", None)

    def test_lists_of_all_folders(self, store: SessionStore, tmp_path: Path) -> None:
        one = used(store)
        elsewhere = SessionStore(store.config_dir, "/elsewhere", clock=clock())
        two = used(elsewhere)
        two.append_message({"role": "assistant", "content": "later"})
        empty = elsewhere.create()
        os.symlink(store.session_dir, Path(store.config_dir, "sessions", "link"))
        assert [info.id for info in store.all_sessions()] == [two.id, one.id]
        assert [info.id for info in store.all_sessions(limit=1)] == [two.id]
        two.reset_leaf()
        assert [info.id for info in store.capture_candidates()] == [one.id]
        assert os.path.exists(empty.path)

    def test_a_list_of_many_long_logs_takes_little_time(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        for _ in range(20):
            used(store)
        folder = Path(store.session_dir)
        body = MESSAGE.replace('"x"', json.dumps("x" * 100_000))
        for number in range(100):
            (folder / f"old{number}.jsonl").write_text(
                HEADER + body.replace("2026", "2025") * 20 + MESSAGE.replace("2026", "2025")
            )
        begin = time.process_time()
        infos = store.recent()
        assert time.process_time() - begin < 2
        assert all(info.id != "s1" for info in infos)


class TestActivity:
    @pytest.mark.parametrize(
        ("text", "when"),
        [
            (HEADER + MESSAGE, LATE),
            (HEADER, EARLY),
            (HEADER + MESSAGE + '{"type":"session_info","timestamp":"2026-02-11T10:00:00Z"}\n', LATE),
            (HEADER + MESSAGE + '{"type":"memory_state","timestamp":"2026-02-11T09:00:00+01:00"}\n', EARLY),
            (HEADER + MESSAGE + '{"type":"leaf","timestamp":"2026-02-11T10:00:00Z","tar', LATE),
            (HEADER + MESSAGE + '{"type":"message","id":"torn","timestamp":"2026-02-11T1', LATE),
            (
                HEADER + MESSAGE + '{"timestamp":"2026-02-11T10:00:00Z","type":"leaf"}\n',
                LATE + timedelta(hours=1),
            ),
            (HEADER + MESSAGE + '{"type":"leaf","timestamp":"2026-02-30T10:00:00Z","targetId":null}\n', LATE),
            (HEADER + MESSAGE + "\n\n{}\n7\n", LATE),
            (HEADER + MESSAGE.replace("\n", "\r\n"), LATE),
            (HEADER + MESSAGE[:-1] + '{"type":"session_info","timestamp":"2026-02-11T10:00:00Z"}', LATE),
            (HEADER + '{"type":"note","timestamp":"2026-02-11T09:00:00Z"}\n', LATE),
            (HEADER.replace('"type":"session",', "").replace("{", '{"x":1,"type":"session",', 1), EARLY),
        ],
    )
    def test_is_what_a_reading_says(self, tmp_path: Path, text: str, when: datetime) -> None:
        path = tmp_path / "log.jsonl"
        path.write_text(text)
        assert last_activity(str(path)) == when
        assert read_session(path).modified_at == when

    def test_is_the_file_s_own_where_the_log_does_not_say(self, tmp_path: Path) -> None:
        path = tmp_path / "log.jsonl"
        for text in ("", "{", HEADER.replace("08:00", "28:00")):
            path.write_text(text)
            os.utime(path, (BEGIN.timestamp(), BEGIN.timestamp()))
            assert abs(last_activity(str(path)) - BEGIN) < timedelta(seconds=0.01)

    def test_long_lines_are_found_from_behind(self, tmp_path: Path) -> None:
        path = tmp_path / "log.jsonl"
        prompt = json.dumps(
            {"type": "system_prompt", "timestamp": "2026-02-11T10:00:00Z", "content": "x" * 200_000}
        )
        path.write_text(HEADER + MESSAGE + prompt + "\n" + prompt + "\n")
        assert last_activity(str(path)) == LATE

    @given(st.binary(max_size=40), st.integers(1, 30))
    def test_lines_backwards(self, data: bytes, times: int) -> None:
        whole = data.replace(b"x", b"\n") * times * 100
        assert list(lines_backwards(io.BytesIO(whole))) == io.BytesIO(whole).readlines()[::-1]


def info(id: str, parent: str | None = None, path: str | None = None) -> SessionInfo:
    return SessionInfo(id, path or id, "", EARLY, EARLY, parent_id=parent)


class TestTree:
    def test_copies_stand_below_their_source(self, store: SessionStore) -> None:
        root = used(store)
        answer = root.append_message({"role": "assistant", "content": "done"})
        clone = store.clone(root)
        copy = store.clone(clone)
        fork = store.fork(root, before=answer)
        placed = [(one.id, one.depth, one.is_last, one.ancestor_continues) for one in store.recent_tree()]
        assert placed == [
            (root.id, 0, True, ()),
            (fork.id, 1, False, ()),
            (clone.id, 1, True, ()),
            (copy.id, 2, True, (False,)),
        ]

    def test_what_a_line_is_drawn_by(self) -> None:
        given = [info("a"), info("c", "a"), info("b", "a"), info("d", "c"), info("e", "d"), info("z")]
        assert [(one.id, one.depth, one.is_last, one.ancestor_continues) for one in as_tree(given)] == [
            ("a", 0, False, ()),
            ("c", 1, False, ()),
            ("d", 2, True, (True,)),
            ("e", 3, True, (True, False)),
            ("b", 1, True, ()),
            ("z", 0, True, ()),
        ]

    @pytest.mark.parametrize(
        "given",
        [
            [],
            [info("a", "a")],
            [info("a", "b"), info("b", "a")],
            [info("a", "c"), info("b", "a"), info("c", "b"), info("d", "b")],
            [info("a", "gone")],
            [info("a", path="1"), info("a", path="2"), info("b", "a")],
            [info("a", "a", path="1"), info("a", "a", path="2")],
        ],
    )
    def test_every_session_is_shown_once(self, given: list[SessionInfo]) -> None:
        assert sorted(one.path for one in as_tree(given)) == sorted(one.path for one in given)

    def test_one_that_is_its_own_parent_stands_where_it_came(self) -> None:
        assert [one.id for one in as_tree([info("a", "a"), info("b")])] == ["a", "b"]

    def test_a_long_row_of_copies(self) -> None:
        given = [info(str(number), str(number - 1)) for number in range(2000)]
        assert [one.depth for one in as_tree(given)] == list(range(2000))
