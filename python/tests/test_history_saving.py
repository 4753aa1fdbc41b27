"""Saving: whatever stops it, the folder holds the old value or the new one, whole."""

from __future__ import annotations

import copy
import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from convspec import Attachment, History, HistoryError, Message, check
from convspec.disk import Disk
from convspec.history import saving
from disks import (
    ERRORS,
    Event,
    FailingDisk,
    ForgetfulDisk,
    PowerCut,
    QuickDisk,
    by_chance,
    keeps_documents_alone,
    least_forgetful,
    most_forgetful,
    recorded,
    refusal,
    tree,
    written,
)
from histories import full

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

A, B, C = (Attachment("text/plain", f"{name}.txt", name.encode() * 50) for name in "abc")
NOTHING = "nothing"


def history(content: str, *attachments: Attachment) -> History:
    return History(messages=[Message("m1", "user", content, attachments=attachments)])


OLD = history("old", A, B)
PLAIN = history("plain")
NEW = history("new", B, C, C, A)

SCENARIOS: Mapping[str, tuple[History | None, History]] = {
    "over nothing": (None, NEW),
    "over nothing, without attachments": (None, PLAIN),
    "over an old value": (OLD, NEW),
    "over an old value without attachments": (PLAIN, NEW),
    "the last attachment goes": (OLD, PLAIN),
    "the same again": (OLD, OLD),
}
every_scenario = pytest.mark.parametrize(("old", "new"), SCENARIOS.values(), ids=SCENARIOS)


def save(value: History, folder: Path, disk: Disk) -> None:
    saving.save(value.version, value.messages, value.extra, str(folder), disk)


def held(folder: Path) -> History | str:
    """Return what a reader finds: a history, nothing, or the rule by which it is refused."""
    try:
        return History.load(folder)
    except HistoryError as error:
        there = (folder / "history.json").exists()
        return error.finding.rule if there else NOTHING


def saved_again(folder: Path) -> History | str:
    try:
        save(NEW, folder, QuickDisk())
    except HistoryError as error:
        return error.finding.rule
    return held(folder)


def steps(old: History | None, new: History, folder: Path) -> int:
    if old:
        save(old, folder, QuickDisk())
    disk = FailingDisk(0)
    save(new, folder, disk)
    return disk.steps


# What it leaves when all goes well


def test_what_is_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er"
    assert NEW.save(folder) == str(folder)
    files = tree(folder)
    assert sorted(files) == sorted(
        ["history.json", *(f"attachments/{item.stored_name}" for item in (A, B, C))]
    )
    for item in (A, B, C):
        assert files[f"attachments/{item.stored_name}"] == item.bytes
    assert files["history.json"].startswith(b'{\n  "version": 1,\n  "messages": [')
    assert files["history.json"].endswith(b"\n}\n")
    assert History.load(folder) == NEW
    report = check(folder)
    assert report.valid
    assert [finding.rule for finding in report.findings] == []


def test_without_attachments_there_is_no_folder_for_them(tmp_path: Path) -> None:
    PLAIN.save(tmp_path)
    assert list(tree(tmp_path)) == ["history.json"]
    assert not (tmp_path / "attachments").exists()


def test_everything_survives_in_a_folder(tmp_path: Path) -> None:
    full().save(tmp_path)
    loaded = History.load(tmp_path)
    assert loaded == full()
    assert loaded.to_dict() == full().to_dict()
    assert loaded.to_dict(inline_attachments=False) == full().to_dict(inline_attachments=False)


def test_saving_again_changes_nothing_but_the_document(tmp_path: Path) -> None:
    NEW.save(tmp_path)

    def attachments() -> dict[str, tuple[int, int, int]]:
        return {
            entry.name: (entry.stat().st_ino, entry.stat().st_mtime_ns, entry.stat().st_nlink)
            for entry in (tmp_path / "attachments").iterdir()
        }

    before, files = attachments(), tree(tmp_path)
    assert all(links == 1 for _, _, links in before.values())
    NEW.save(tmp_path)
    History.load(tmp_path).save(tmp_path)
    assert attachments() == before
    assert tree(tmp_path) == files


def test_nothing_is_deleted(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    (tmp_path / "attachments" / "of_somebody.else").write_bytes(b"x")
    (tmp_path / ".history.json.0123456789abcdef.tmp").write_bytes(b"left by a crash")
    (tmp_path / "notes.txt").write_bytes(b"notes")
    before = tree(tmp_path)
    PLAIN.save(tmp_path)
    after = tree(tmp_path)
    assert {**before, "history.json": after["history.json"]} == after
    assert History.load(tmp_path) == PLAIN


def test_one_file_serves_all_attachments_with_its_bytes_and_suffix(tmp_path: Path) -> None:
    one = Attachment("text/plain", "one.txt", b"same")
    other = Attachment("text/x-other", "OTHER.TXT", b"same")
    third = Attachment("text/plain", "third.md", b"same")
    value = history("look", one, other, third)
    value.save(tmp_path)
    assert len(list((tmp_path / "attachments").iterdir())) == 2
    assert History.load(tmp_path) == value


def test_the_mode_of_the_document_stays(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    path = tmp_path / "history.json"
    for mode in (0o600, 0o640, 0o444):
        path.chmod(mode)
        NEW.save(tmp_path)
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_document_has_the_mode_that_new_files_have(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"")
    NEW.save(tmp_path)
    usual = (tmp_path / "other").stat().st_mode
    for path in (tmp_path / "history.json", *(tmp_path / "attachments").iterdir()):
        assert path.stat().st_mode == usual


def test_the_home_folder_has_its_short_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert NEW.save("~/chat") == str(tmp_path / "chat")
    assert History.load(tmp_path / "chat") == NEW
    with pytest.raises(
        HistoryError
    ) as caught:  # whoever loads has expanded it, or means a folder of this name
        History.load("~/chat")
    assert caught.value.finding.rule == "file-unreadable"


def test_a_relative_path_and_one_of_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert NEW.save("chat") == "chat"
    assert NEW.save(b"other") == "other"
    assert PLAIN.save(".") == "."
    assert History.load("chat") == History.load(tmp_path / "other") == NEW
    assert History.load("history.json") == PLAIN


def test_a_folder_that_is_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    NEW.save(tmp_path / "link")
    assert History.load(tmp_path / "real") == NEW
    assert (tmp_path / "link").is_symlink()


def test_a_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*names: str) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    OLD.save(tmp_path)
    NEW.save(tmp_path)
    assert History.load(tmp_path) == NEW
    assert sorted(tree(tmp_path)) == sorted(
        ["history.json", *(f"attachments/{item.stored_name}" for item in (A, B, C))]
    )
    monkeypatch.setattr(Disk, "mode", lambda disk, path: None)  # as if another had come in between
    OLD.save(tmp_path)
    assert History.load(tmp_path) == OLD


def test_an_attachment_that_another_stores_at_the_same_moment(tmp_path: Path) -> None:
    class Late(Disk):
        def put(self, path: str, new: str) -> bool:
            Path(path).write_bytes(Path(new).read_bytes())
            return super().put(path, new)

    save(NEW, tmp_path, Late())
    assert History.load(tmp_path) == NEW
    assert not [name for name in tree(tmp_path) if name.endswith(".tmp")]


# What is refused


def test_a_value_that_no_reader_takes_is_not_written(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    before = tree(tmp_path)
    wrong = History(messages=[Message("m1", "user", attachments=[C]), Message("m1", "user")])
    with pytest.raises(HistoryError) as caught:
        wrong.save(tmp_path)
    assert caught.value.finding.rule == "message-id-duplicate"
    assert tree(tmp_path) == before
    with pytest.raises(HistoryError):
        wrong.save(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_other_bytes_under_the_name_of_an_attachment_are_told(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    for wrong in (b"", b"x" * len(C.bytes), C.bytes + b"x"):
        (tmp_path / "attachments" / C.stored_name).write_bytes(wrong)
        before = tree(tmp_path)
        with pytest.raises(HistoryError) as caught:
            NEW.save(tmp_path)
        finding = caught.value.finding
        assert finding.rule == "attachment-digest"
        assert finding.pointer == "/messages/0/attachments/1/sha256"
        assert finding.target == f"attachments/{C.stored_name}"
        assert str(tmp_path) in str(caught.value)
        assert {**before, **tree(tmp_path)} == tree(tmp_path) == before
        assert History.load(tmp_path) == OLD
    (tmp_path / "attachments" / C.stored_name).rename(tmp_path / "aside")
    NEW.save(tmp_path)
    assert History.load(tmp_path) == NEW


def put_link(path: Path) -> None:
    (path.parent / "elsewhere").write_bytes(b"elsewhere")
    path.symlink_to("elsewhere")


def put_dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def put_folder(path: Path) -> None:
    path.mkdir()
    (path / "file").write_bytes(b"x")


PUT: Mapping[str, Callable[[Path], None]] = {
    "link": put_link,
    "dangling link": put_dangling,
    "folder": put_folder,
    "FIFO": os.mkfifo,
}


@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
def test_what_is_no_file_is_not_written_over(put: Callable[[Path], None], tmp_path: Path) -> None:
    put(tmp_path / "history.json")
    before = [(path, path.lstat().st_ino) for path in sorted(tmp_path.rglob("*"))]
    with pytest.raises(OSError, match="is not written over") as caught:
        NEW.save(tmp_path)
    assert caught.value.filename == str(tmp_path / "history.json")
    assert [(path, path.lstat().st_ino) for path in sorted(tmp_path.rglob("*"))] == before


@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
def test_what_is_no_file_is_not_taken_for_an_attachment(put: Callable[[Path], None], tmp_path: Path) -> None:
    OLD.save(tmp_path)
    put(tmp_path / "attachments" / C.stored_name)
    with pytest.raises(OSError, match="is not written over") as caught:
        NEW.save(tmp_path)
    assert caught.value.filename == str(tmp_path / "attachments" / C.stored_name)
    assert History.load(tmp_path) == OLD


def test_attachments_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for target in ("elsewhere", "nowhere"):
        (tmp_path / "attachments").symlink_to(target)
        with pytest.raises(OSError, match="follow no link") as caught:
            NEW.save(tmp_path)
        assert caught.value.filename == str(tmp_path / "attachments")
        assert tree(tmp_path) == {}
        PLAIN.save(tmp_path)  # has none
        assert History.load(tmp_path) == PLAIN
        (tmp_path / "attachments").unlink()
        (tmp_path / "history.json").unlink()


@pytest.mark.parametrize("put", [Path.touch, os.mkfifo])
def test_attachments_is_no_folder(put: Callable[[Path], None], tmp_path: Path) -> None:
    put(tmp_path / "attachments")
    with pytest.raises(FileExistsError):
        NEW.save(tmp_path)
    assert not (tmp_path / "history.json").exists()


def test_the_folder_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("file", "file/below", "link"):
        with pytest.raises(OSError):
            NEW.save(tmp_path / name)
    assert tree(tmp_path) == {"file": b"x"}


# One operation fails


@pytest.mark.parametrize("code", ERRORS, ids=errno.errorcode.get)
@every_scenario
def test_an_operation_that_is_refused(old: History | None, new: History, code: int, tmp_path: Path) -> None:
    last = steps(old, new, tmp_path / "counted")
    failed = []
    for at in range(1, last + 1):
        folder = tmp_path / str(at)
        if old:
            save(old, folder, QuickDisk())
        try:
            save(new, folder, FailingDisk(at, refusal(code)))
        except OSError as error:
            failed.append(error.errno)
        found = held(folder)
        assert found in (old or NOTHING, new)
        assert not [name for name in tree(folder) if name.endswith(".tmp")][1:]
        save(new, folder, QuickDisk())
        assert History.load(folder) == new
        shutil.rmtree(folder)
    assert set(failed) == {code}
    quiet = len(new.messages[0].attachments) + 2  # a temporary file that stays, a parent that is not ours
    assert last - len(failed) <= quiet


@pytest.mark.parametrize("code", ERRORS, ids=errno.errorcode.get)
def test_a_failed_write_leaves_no_temporary_file(code: int, tmp_path: Path) -> None:
    class Full(Disk):
        def write(self, path: str, data: bytes, mode: int | None) -> None:
            super().write(path, data[:3], mode)
            raise refusal(code)()

    OLD.save(tmp_path)
    before = tree(tmp_path)
    for value in (NEW, PLAIN):
        with pytest.raises(OSError) as caught:
            save(value, tmp_path, Full())
        assert caught.value.errno == code
        assert tree(tmp_path) == before


@every_scenario
def test_the_program_stops(old: History | None, new: History, tmp_path: Path) -> None:
    last = steps(old, new, tmp_path / "counted")
    for at in range(1, last + 1):
        folder = tmp_path / str(at)
        if old:
            save(old, folder, QuickDisk())
        with pytest.raises(PowerCut):
            save(new, folder, FailingDisk(at))
        assert held(folder) in (old or NOTHING, new)
        save(new, folder, QuickDisk())
        assert History.load(folder) == new
        save(OLD, folder, QuickDisk())
        assert History.load(folder) == OLD
        shutil.rmtree(folder)


def test_an_interrupt_leaves_no_temporary_file(tmp_path: Path) -> None:
    OLD.save(tmp_path)
    before = tree(tmp_path)

    class Interrupted(Disk):
        def replace(self, path: str, by: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save(PLAIN, tmp_path, Interrupted())
    assert tree(tmp_path) == before


# The power goes, and with it all that was not made lasting


WAYS = (most_forgetful, least_forgetful, keeps_documents_alone, by_chance(1))


def broken(
    disk: ForgetfulDisk, events: list[Event], allowed: tuple[object, ...], scratch: Path, done: int = 0
) -> list[str]:
    """Cut the power behind each event from `done` on, in several ways; return where too little is left."""
    disk.play(events[:done])
    faults = []
    seen = set()
    for cut in range(done, len(events) + 1):
        disk.play(events[cut - 1 : cut] if cut > done else [])
        for choose in WAYS:
            left = disk.after_a_cut(choose)
            if left in seen:
                continue
            seen.add(left)
            written(left, scratch)
            found = held(scratch / "chat")
            if found not in allowed:
                faults.append(f"{cut}: {found}")
            elif saved_again(scratch / "chat") != NEW:
                faults.append(f"{cut}: cannot be saved again")
            shutil.rmtree(scratch)
    written(disk.after_a_cut(most_forgetful), scratch)
    if held(scratch / "chat") != allowed[-1]:
        faults.append("save has returned, and the value does not last")
    shutil.rmtree(scratch)
    return faults


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Return a folder for a disk to begin with; the history is to be saved in `chat` below it."""
    path = tmp_path / "top"
    path.mkdir()
    return path


@every_scenario
def test_the_power_goes(
    old: History | None, new: History, top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if old:
        old.save(top / "chat")
    disk = ForgetfulDisk(top)
    with recorded(monkeypatch) as events:
        new.save(top / "chat")
    assert len(events) >= 4
    assert broken(disk, events, (old or NOTHING, new), tmp_path / "left") == []


@pytest.mark.parametrize("old", [None, PLAIN], ids=["over nothing", "over an old value"])
def test_the_power_goes_after_the_program_had_stopped_before(
    old: History | None, top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if old:
        old.save(top / "chat")
    last = steps(old, OLD, tmp_path / "counted")
    for at in range(1, last + 1):
        again = tmp_path / f"again-{at}"
        (again / "top").mkdir(parents=True)
        if old:
            old.save(again / "top" / "chat")
        disk = ForgetfulDisk(again / "top")
        with recorded(monkeypatch) as events:
            with pytest.raises(PowerCut):
                save(OLD, again / "top" / "chat", FailingDisk(at, on=Disk()))
            done = len(events)
            NEW.save(again / "top" / "chat")
        assert broken(disk, events, (old or NOTHING, OLD, NEW), again / "left", done) == []


def test_a_disk_that_does_not_sync_is_found_out(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    OLD.save(top / "chat")
    disk = ForgetfulDisk(top)
    with recorded(monkeypatch) as events:
        NEW.save(top / "chat")
    for what in ("file", "attachments", "chat"):
        spoiled = [event for event in events if not _syncs(event, what)]
        assert len(spoiled) < len(events)
        assert broken(copy.deepcopy(disk), spoiled, (OLD, NEW), tmp_path / what) != []
    assert broken(disk, events, (OLD, NEW), tmp_path / "left") == []


def _syncs(event: Event, what: str) -> bool:
    name = os.path.basename(event.path)
    return event.what == "fsync" and (name == what or (what == "file" and name.endswith(".tmp")))


# What the system itself refuses


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    resource = pytest.importorskip("resource", reason="the system has no limit on the size of files")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    "value",
    [history("x" * 200_000), history("big", A, Attachment("text/plain", "big", b"x" * 200_000))],
    ids=["document", "attachment"],
)
def test_the_system_takes_a_part_and_no_more(value: History, tmp_path: Path) -> None:
    OLD.save(tmp_path)
    before = tree(tmp_path)
    with pytest.raises(OSError) as caught, no_file_larger_than(100_000):
        value.save(tmp_path)
    assert caught.value.errno == errno.EFBIG
    assert tree(tmp_path) == before
    assert History.load(tmp_path) == OLD
    value.save(tmp_path)
    assert History.load(tmp_path) == value


@contextmanager
def as_nobody() -> Iterator[None]:
    """Be somebody whom modes bind: root is bound by none."""
    if not AS_ROOT:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes do not bind on this system")
def test_a_folder_that_may_not_be_written() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "chat")
        OLD.save(folder)
        Path(name).chmod(0o755)
        folder.chmod(0o555)
        before = tree(folder)
        for target in (folder, folder / "below"):
            with pytest.raises(PermissionError) as caught, as_nobody():
                NEW.save(target)
            assert str(caught.value.filename).startswith(str(folder))
        assert tree(folder) == before
        assert History.load(folder) == OLD
        folder.chmod(0o755)


# Several at once

WRITER = """
import sys
from test_history_saving import values_of
folder, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
values = values_of(name)
for round in range(rounds):
    values[round % len(values)].save(folder)
"""


def values_of(name: str) -> list[History]:
    """Return what the writer of this name saves; attachments are shared with all writers."""
    shared = [Attachment("text/plain", f"{n}.txt", bytes([n]) * 3000) for n in range(4)]
    own = Attachment("text/plain", "own.txt", name.encode() * 1000)
    return [history(f"{name}{n}" * 500, *shared[n:], own) for n in range(4)]


def writer(folder: Path, name: str, rounds: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(rounds)], cwd=Path(__file__).parent
    )


def test_several_programs_save_while_another_reads(tmp_path: Path) -> None:
    names = ("one", "two", "three")
    values_of("one")[0].save(tmp_path)
    allowed = {value for name in names for value in values_of(name)}
    writers = [writer(tmp_path, name, 15) for name in names]
    seen: set[History] = set()
    loads = 0
    try:
        while any(one.poll() is None for one in writers):
            found = History.load(tmp_path)
            assert found in allowed
            seen.add(found)
            loads += 1
    finally:
        for one in writers:
            one.wait(60)
    assert [one.returncode for one in writers] == [0, 0, 0]
    assert loads > 5
    assert len(seen) > 1
    assert History.load(tmp_path) in allowed
    stored = {
        item.stored_name for value in allowed for message in value.messages for item in message.attachments
    }
    assert {path.name for path in (tmp_path / "attachments").iterdir()} == stored
    assert sorted(path.name for path in tmp_path.iterdir()) == ["attachments", "history.json"]


def test_several_threads_save_one_value_into_a_new_folder(tmp_path: Path) -> None:
    for round in range(5):
        folder = tmp_path / str(round) / "chat"
        with ThreadPoolExecutor(4) as pool:
            saved = [pool.submit(NEW.save, folder) for _ in range(4)]
        assert [future.result() for future in saved] == [str(folder)] * 4
        assert History.load(folder) == NEW
        assert len(tree(folder)) == 4


def test_a_program_is_killed_while_it_saves(tmp_path: Path) -> None:
    allowed = set(values_of("x"))
    for round in range(2):
        PLAIN.save(tmp_path)
        process = writer(tmp_path, "x", 100_000)
        while History.load(tmp_path) == PLAIN and process.poll() is None:
            time.sleep(0.005)
        time.sleep(0.003 * round)
        process.kill()
        process.wait()
        assert History.load(tmp_path) in allowed
