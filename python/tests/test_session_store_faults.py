"""Appending where something goes wrong: full disks, torn lines, other writers, files that are swapped."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from convspec import check
from convspec.session import locking
from convspec.session.errors import SessionError
from convspec.session.opening import read_session
from convspec.session.session import Session
from convspec.session.standing import TAIL
from convspec.session.store import SessionStore
from stores import (
    CALL,
    USER,
    FailingDisk,
    StutteringDisk,
    entry_id,
    is_clean,
    last,
    lines_of,
    records_of,
    store_in,
)

ANSWER = {"role": "assistant", "content": "done"}
NOTE = b'{"type":"session_info","timestamp":"2026-02-11T09:00:00Z","name":"other"}'


def add(session: Session, data: bytes) -> None:
    with open(session.path, "ab") as file:
        file.write(data)


APPENDS: dict[str, Callable[[Session], object]] = {
    "append_message": lambda session: session.append_message(ANSWER),
    "compact": lambda session: session.compact("short"),
    "append_branch_summary": lambda session: session.append_branch_summary(entry_id(0), "x"),
    "branch": lambda session: session.branch(entry_id(0)),
    "reset_leaf": lambda session: session.reset_leaf(),
    "append_label_change": lambda session: session.append_label_change(entry_id(0), "x"),
    "append_tool_execution": lambda session: session.append_tool_execution(CALL, "x"),
    "append_system_prompt_snapshot": lambda session: session.append_system_prompt_snapshot("P"),
    "update_memory_state": lambda session: session.update_memory_state(),
    "rename": lambda session: session.rename("x"),
    "update_runtime": lambda session: session.update_runtime(model="o9"),
}


class TestFailingSteps:
    def _steps(self, folder: Path, append: Callable[[Session], object]) -> list[str]:
        disk = FailingDisk()
        session = store_in(folder, disk=disk, fsync=True).create()
        session.append_message(USER)
        disk.arm(None)
        append(session)
        return disk.steps

    @pytest.mark.parametrize("name", APPENDS)
    @pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
    @pytest.mark.parametrize("partly", [False, True])
    def test_whatever_step_fails_all_else_is_as_before(
        self, tmp_path: Path, name: str, code: int, *, partly: bool
    ) -> None:
        append = APPENDS[name]
        steps = self._steps(tmp_path / "whole", append)
        assert steps[-2:] == ["append", "sync"]
        for at, step in enumerate(steps):
            disk = FailingDisk()
            session = store_in(tmp_path / str(at), disk=disk, fsync=True).create()
            session.append_message(USER)
            before = Path(session.path).read_bytes()
            known = (session.leaf_id, session.name, session.runtime, session.modified_at)
            disk.arm(at, code, partly=partly)
            with pytest.raises(OSError) as caught:
                append(session)
            disk.arm(None)
            assert caught.value.errno == code
            assert (session.leaf_id, session.name, session.runtime, session.modified_at) == known
            assert Path(session.path).read_bytes().startswith(before)
            if step not in ("append", "sync"):
                assert Path(session.path).read_bytes() == before
            reading = read_session(session.path)
            assert reading.entry(entry_id(0)) is not None
            append(session)  # the next one is sound, whatever the last one left
            after = session.append_message(ANSWER)
            reading = read_session(session.path)
            assert reading.leaf == after == session.leaf_id
            assert reading.tally["skipped"] <= 1
            left = {finding.rule for finding in check(session.path).findings}
            assert left <= {"json-syntax", "tool-execution-unmatched", "system-prompt-repeated"}
            assert partly or "json-syntax" not in left

    def test_every_step_of_making_a_session_may_fail(self, tmp_path: Path) -> None:
        disk = FailingDisk()
        store_in(tmp_path / "whole", disk=disk).create()
        steps = disk.steps
        assert {"make_folder", "write", "put", "sync_folder"} <= set(steps)
        for at in range(len(steps)):
            disk = FailingDisk()
            store = store_in(tmp_path / str(at), disk=disk)
            disk.arm(at)
            with pytest.raises(OSError, match="No space"):
                store.create()
            disk.arm(None)
            left = list(Path(store.config_dir).rglob("*.*")) if os.path.isdir(store.config_dir) else []
            assert all(is_clean(path) for path in left)  # none, or a whole one
            assert is_clean(SessionStore(tmp_path / str(at) / "config", tmp_path).create())

    def test_the_pointer_is_the_old_one_or_the_new_one(self, tmp_path: Path) -> None:
        disk = FailingDisk()
        store = store_in(tmp_path, disk=disk)
        first, second = store.create(), store.create()
        store.remember_last_session(first)
        disk.arm(None)
        store.remember_last_session(first)
        steps = list(disk.steps)
        for at in range(len(steps)):
            disk.arm(at)
            with pytest.raises(OSError, match="No space"):
                store.remember_last_session(second)
            disk.arm(None)
            expected = second if at > steps.index("replace") else first
            assert store.remembered_last_session_path() == expected.path
            assert not [name for name in os.listdir(store.session_dir) if name.endswith(".tmp")]

    def test_a_disk_that_takes_nothing_ends(self, tmp_path: Path) -> None:
        session = store_in(tmp_path, disk=StutteringDisk(0)).create()
        with pytest.raises(OSError, match="Input/output"):
            session.append_message(USER)
        assert session.leaf_id is None

    @pytest.mark.parametrize("most", [1, 7, 200])
    def test_a_disk_that_takes_a_part_is_given_the_rest(self, tmp_path: Path, most: int) -> None:
        disk = StutteringDisk(most)
        session = store_in(tmp_path, disk=disk).create()
        session.append_message(USER)
        session.append_message(ANSWER)
        assert disk.calls > 2
        assert is_clean(session)
        assert [record["type"] for record in records_of(session)] == ["session", "message", "message"]

    def test_a_record_is_one_write(self, tmp_path: Path) -> None:
        disk = StutteringDisk(1 << 30)
        session = store_in(tmp_path, disk=disk).create()
        for number in range(5):
            session.append_message({"role": "user", "content": "x" * 10**number})
        assert disk.calls == 5


class TestTornLines:
    def test_the_line_is_ended_first(self, tmp_path: Path) -> None:
        session = store_in(tmp_path).create()
        first = session.append_message(USER)
        add(session, b'{"type":"message","id":"torn","times')
        second = session.append_message(ANSWER)
        lines = lines_of(session)
        assert lines[2] == '{"type":"message","id":"torn","times'
        assert json.loads(lines[3])["parentId"] == first
        assert read_session(session.path).leaf == second
        session.append_message(USER)
        assert [finding.rule for finding in check(session.path).findings] == ["json-syntax"]

    def test_a_record_that_lacks_only_its_end_is_kept(self, tmp_path: Path) -> None:
        session = store_in(tmp_path).create()
        session.append_message(USER)
        add(session, NOTE)
        session.append_message(ANSWER)
        assert is_clean(session)
        assert session.name == session.reading.name == "other"

    def test_at_every_byte(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        sample = store.create()
        sample.append_message({"role": "user", "content": "é😀"})
        sample.append_message(ANSWER)
        data = Path(sample.path).read_bytes()
        begin = data.index(b"\n") + 1
        path = tmp_path / "cut.jsonl"
        for cut in range(begin, len(data) + 1):
            path.write_bytes(data[:cut])
            whole = read_session(path).tally["records"]
            session = store.load(path)
            session.append_message(USER)
            assert session.reading.tally["records"] == whole + 1
            assert session.reading.leaf == session.leaf_id
            added = path.read_bytes().removeprefix(data[:cut])
            assert added.startswith(b"{" if data[:cut].endswith(b"\n") else b"\n{")
            assert added.count(b"}\n") == 1

    def test_a_handle_that_was_open_meanwhile(self, tmp_path: Path) -> None:
        for damage in (
            b"{",
            b'{"type":"message","id":"a',
            NOTE,
            NOTE + b"\n{",
            b"\n\n",
            b"\0\0\0",
            b"\xff\n",
            b"7\n",
        ):
            session = store_in(tmp_path / damage.hex()).create()
            session.append_message(USER)
            add(session, damage)
            for _ in range(3):
                session.append_message(ANSWER)
            reading = read_session(session.path)
            assert [entry.id for entry in reading.branch()] == [entry_id(number) for number in range(4)]

    def test_a_log_that_is_long_behind_its_last_line(self, tmp_path: Path) -> None:
        session = store_in(tmp_path).create()
        session.append_message(USER)
        add(session, b'{"type":"message","id":"' + b"x" * 300_000)
        loaded = store_in(tmp_path).load(session.path)
        loaded.append_message({"id": "new", **ANSWER})
        assert [entry.id for entry in loaded.reading.branch()] == [entry_id(0), "new"]


class TestOtherWriters:
    def test_each_handle_goes_on_at_its_own_leaf(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        one = store.create()
        root = one.append_message(USER)
        two = store.load(one.path)
        first = one.append_message({"role": "assistant", "content": "one"})
        second = two.append_message({"role": "assistant", "content": "two"})
        third = one.append_message(USER)
        assert [
            (record["type"], record.get("parentId", record.get("targetId"))) for record in records_of(one)[2:]
        ] == [
            ("message", root),
            ("leaf", root),
            ("message", root),
            ("leaf", first),
            ("message", first),
        ]
        assert (one.leaf_id, two.leaf_id) == (third, second)
        assert check(one.path).findings == ()
        assert [message["content"] for message in two.messages()] == ["look", "two"]

    def test_what_does_not_move_the_leaf_needs_no_leaf(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        one = store.create()
        one.append_message(USER)
        store.load(one.path).rename("two")
        one.append_message(ANSWER)
        assert [record["type"] for record in records_of(one)].count("leaf") == 0

    def test_a_new_root_of_one_is_told_to_the_other(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        one, root = store.create(), None
        two = store.load(one.path)
        one.append_message(USER)
        two.append_message(USER)
        assert [record.get("targetId", root) for record in records_of(one) if record["type"] == "leaf"] == [
            None
        ]
        assert check(one.path).findings == ()

    def test_an_id_of_the_other_is_taken(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        one = store.create()
        two = store.load(one.path)
        one.append_message({"id": "a", **USER})
        with pytest.raises(SessionError, match="entry-id-duplicate"):
            two.append_message({"id": "a", **USER})
        two.branch("a")
        assert two.leaf_id == "a"

    def test_the_name_of_the_other_is_not_lost(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        one = store.create()
        store.load(one.path).rename("Named")
        one.update_runtime(model="o9")
        assert last(one)["name"] == one.reading.name == "Named"

    def test_a_prompt_of_the_other_is_not_written_again(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        one = store.create()
        store.load(one.path).append_system_prompt_snapshot("P")
        assert not one.append_system_prompt_snapshot("P")

    def test_a_writer_without_locks_that_slips_in(self, tmp_path: Path) -> None:
        class Slipping(FailingDisk):
            def append(self, descriptor: int, data: bytes | memoryview) -> int:
                add(session, NOTE + b"\n")
                return super().append(descriptor, data)

        session = store_in(tmp_path, disk=Slipping()).create()
        ids = [session.append_message(USER), session.append_message(ANSWER), session.append_message(USER)]
        assert [entry.id for entry in session.reading.branch()] == ids
        assert session.reading.tally["records"] == 7
        assert is_clean(session)


class TestOtherFiles:
    def _used(self, tmp_path: Path) -> Session:
        session = store_in(tmp_path).create()
        session.append_message(USER)
        return session

    def _refused(self, session: Session, why: str) -> None:
        leaf = session.leaf_id
        for append in APPENDS.values():
            with pytest.raises(SessionError, match=why):
                append(session)
        assert session.leaf_id == leaf
        assert not session.delete_if_unused()

    def test_a_log_that_is_gone_is_not_made_anew(self, tmp_path: Path) -> None:
        session = self._used(tmp_path)
        os.rename(session.path, session.path + ".moved")
        with pytest.raises(SessionError, match="gone"):
            session.append_message(USER)
        assert not os.path.exists(session.path)
        os.rename(session.path + ".moved", session.path)
        session.append_message(USER)
        assert is_clean(session)

    def test_nor_is_one_whose_folder_is_gone(self, tmp_path: Path) -> None:
        session = self._used(tmp_path)
        os.rename(tmp_path / "config", tmp_path / "moved")
        with pytest.raises(SessionError, match="gone"):
            session.append_message(USER)

    def test_a_log_that_was_replaced(self, tmp_path: Path) -> None:
        session = self._used(tmp_path)
        data = Path(session.path).read_bytes()
        os.rename(session.path, session.path + ".old")
        Path(session.path).write_bytes(data)
        with pytest.raises(SessionError, match="another file"):
            session.append_message(USER)
        assert Path(session.path).read_bytes() == data

    def test_a_log_that_was_replaced_while_waiting_for_the_lock(self, tmp_path: Path) -> None:
        class Late(FailingDisk):
            def open_log(self, path: str) -> int:
                descriptor = super().open_log(path)
                os.unlink(path)
                return descriptor

        session = store_in(tmp_path, disk=Late()).create()
        with pytest.raises(SessionError, match="another file has its name now, or none"):
            session.append_message(USER)
        assert not os.path.exists(session.path)

    @pytest.mark.parametrize("kept", [0, 30, -1])
    def test_a_log_that_was_cut_short(self, tmp_path: Path, kept: int) -> None:
        session = self._used(tmp_path)
        data = Path(session.path).read_bytes()
        with open(session.path, "r+b") as file:
            file.truncate(kept if kept >= 0 else len(data) - 1)
        with pytest.raises(SessionError, match="anew"):
            session.append_message(USER)

    def test_a_log_that_was_written_anew_in_place(self, tmp_path: Path) -> None:
        session = self._used(tmp_path)
        with open(session.path, "r+b") as file:
            file.seek(-TAIL // 2, os.SEEK_END)
            file.write(b"X")
        with pytest.raises(SessionError, match="anew"):
            session.append_message(USER)

    def test_a_link_is_read_and_not_written_through(self, tmp_path: Path) -> None:
        session = self._used(tmp_path)
        link = tmp_path / "link.jsonl"
        os.symlink(session.path, link)
        before = Path(session.path).read_bytes()
        loaded = store_in(tmp_path).load(link)
        assert len(list(loaded.messages())) == 1
        with pytest.raises(SessionError, match="a link"):
            loaded.append_message(USER)
        assert Path(session.path).read_bytes() == before

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("/dev/null", path)])
    def test_what_is_no_file_is_not_written_to(self, tmp_path: Path, make: Callable[[str], None]) -> None:
        session = self._used(tmp_path)
        os.unlink(session.path)
        make(session.path)
        self._refused(session, "no regular file")


class TestLocks:
    def test_a_file_system_without_locks_is_no_fault(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(descriptor: int, operation: int) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(locking.fcntl, "flock", refuse)
        session = store_in(tmp_path).create()
        session.append_message(USER)
        assert is_clean(session)

    def test_another_failure_of_a_lock_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(descriptor: int, operation: int) -> None:
            raise OSError(errno.EIO, "broken")

        monkeypatch.setattr(locking.fcntl, "flock", refuse)
        session = store_in(tmp_path).create()
        with pytest.raises(OSError, match="broken"):
            session.append_message(USER)

    def test_an_append_waits_for_its_turn(self, tmp_path: Path) -> None:
        session = store_in(tmp_path).create()
        with open(session.path, "rb") as other:
            locking.lock(other.fileno())
            waiting = threading.Thread(target=session.append_message, args=(USER,))
            waiting.start()
            waiting.join(0.1)
            assert waiting.is_alive()
            assert len(lines_of(session)) == 1
            locking.unlock(other.fileno())
            waiting.join(10)
        assert len(lines_of(session)) == 2

    def test_threads_share_a_handle(self, tmp_path: Path) -> None:
        session = store_in(tmp_path).create()
        threads = [threading.Thread(target=session.append_message, args=(USER,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(session.reading.branch()) == 20
        assert check(session.path).findings == ()

    def test_no_descriptor_stays_open(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        session = store.create()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            session.append_message(USER)
            store.load(session.path)
            with pytest.raises(SessionError):
                session.append_message({"role": "user", "content": 3})
        store.recent()
        assert len(os.listdir("/proc/self/fd")) == before
