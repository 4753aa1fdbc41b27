"""A folder as one document, and a document as a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

import logs
from commands import run
from convspec import Attachment, History, HistoryError, Message
from histories import full, histories
from inputs import corpus_files

BIG = History(messages=[Message("m", "user", attachments=[Attachment("image/png", "a.png", bytes(300_000))])])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a history in it, its document, and much that is none."""
    full().save(tmp_path / "a")
    (tmp_path / "a.json").write_text(full().to_json() + "\n")
    (tmp_path / "bad.json").write_text('{"version":1,"messages":[{}]}')
    (tmp_path / "new.json").write_text('{"version":2,"messages":[]}')
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "log.jsonl").write_bytes(logs.log())
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "history.json").write_text('{"version":1,"messages":')
    (tmp_path / "nothing").mkdir()
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestRoundTrip:
    def test_a_folder_is_packed_and_unpacked(self, folder: Path) -> None:
        assert run("pack", "a", "-o", "b.json", within=folder) == (0, b"", "")
        assert run("unpack", "b.json", "-o", "b", within=folder) == (0, b"", "")
        assert (folder / "b.json").read_bytes() == (folder / "a.json").read_bytes()
        assert contents(folder / "b") == contents(folder / "a")
        assert History.load(folder / "b").extra == full().extra

    def test_through_a_pipe(self, folder: Path) -> None:
        packed = run("pack", "a", within=folder).out
        assert packed == (folder / "a.json").read_bytes()
        assert run("unpack", "-", "-o", "b", input=packed, within=folder).code == 0
        assert contents(folder / "b") == contents(folder / "a")
        assert run("pack", "-", input=packed).out == packed

    @settings(max_examples=30, deadline=None)
    @given(histories())
    def test_any_history(self, history: History) -> None:
        document = history.to_json().encode()
        packed = run("pack", "-", input=document).out
        assert packed == document + b"\n"

    def test_every_history_of_the_corpus_keeps_its_value(self, tmp_path: Path) -> None:
        seen = 0
        for number, data in enumerate(corpus_files().values()):
            try:
                history = History.parse(data)
            except HistoryError:
                continue
            if seen % 8 == 0:
                target = tmp_path / str(number)
                assert run("unpack", "-", "-o", target, input=data).code == 0
                assert History.parse(run("pack", target).out) == history
            seen += 1
        assert seen > 200

    def test_a_packed_file_alone_needs_no_folder(self, folder: Path) -> None:
        run("pack", "a", "-o", "elsewhere.json", within=folder)
        assert run("check", "elsewhere.json", within=folder).code == 0


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "code", "told"),
        [
            (["pack", "bad.json"], 1, "; convspec check says more (2 further)"),
            (["pack", "broken"], 1, "broken"),
            (["pack", "new.json"], 3, "[version-newer]"),
            (["pack", "absent"], 2, "there is no such file"),
            (["pack", "nothing"], 2, "it is a folder without a file history.json"),
            (["pack", "notes.txt"], 2, "[format-unrecognised]"),
            (["pack", "log.jsonl"], 2, "it is a session log; convspec convert makes a history of it"),
            (["pack", "a", "-o", "a.json"], 2, "a.json is there already, and pack writes over nothing"),
            (["pack", "a.json", "-o", "a.json"], 2, "a.json is there already"),
            (["pack", "a", "-o", "a"], 2, "a is there already"),
            (["pack", "a", "-o", "no/such/folder.json"], 2, "cannot write no/such/folder.json: No such file"),
            (["unpack", "bad.json", "-o", "b"], 1, "convspec check says more"),
            (["unpack", "new.json", "-o", "b"], 3, "[version-newer]"),
            (["unpack", "absent", "-o", "b"], 2, "there is no such file"),
            (["unpack", "a.json", "-o", "a"], 2, "history.json is there already, and unpack writes over"),
            (["unpack", "a", "-o", "a"], 2, "history.json is there already"),
            (["unpack", "a.json", "-o", "notes.txt"], 2, "cannot write notes.txt: "),
            (["unpack", "a.json"], 2, "Missing option"),
        ],
    )
    def test_one_line_and_nothing_is_written(
        self, folder: Path, arguments: list[str], code: int, told: str
    ) -> None:
        before = contents(folder)
        done = run(*arguments, within=folder)
        assert (done.code, done.out, done.err.count("\n")) == (code, b"", 1)
        assert done.err.startswith("convspec")
        assert told in done.err
        assert contents(folder) == before
        assert not (folder / "b").exists()

    def test_a_broken_link_is_something_that_is_there(self, folder: Path) -> None:
        (folder / "link.json").symlink_to("nowhere")
        assert run("pack", "a", "-o", "link.json", within=folder).code == 2
        (folder / "b").mkdir()
        (folder / "b" / "history.json").symlink_to("nowhere")
        assert run("unpack", "a.json", "-o", "b", within=folder).code == 2

    def test_attachments_that_are_there_are_not_written_over(self, folder: Path) -> None:
        name = full().messages[0].attachments[0].stored_name
        (folder / "b" / "attachments").mkdir(parents=True)
        (folder / "b" / "attachments" / name).write_bytes(b"other")
        done = run("unpack", "a.json", "-o", "b", within=folder)
        assert done.code == 2
        assert "[attachment-digest]" in done.err
        assert (folder / "b" / "attachments" / name).read_bytes() == b"other"

    def test_a_tilde_that_the_shell_left_is_a_name(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home = folder / "home"
        full().save(home)
        before = contents(home)
        monkeypatch.setenv("HOME", str(home))
        (folder / "plain.json").write_text('{"version":1,"messages":[]}')
        assert run("unpack", "plain.json", "-o", "~", within=folder).code == 0
        assert contents(home) == before
        assert (folder / "~" / "history.json").is_file()

    @pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
    def test_a_folder_that_cannot_be_written(self, folder: Path) -> None:
        (folder / "nothing").chmod(0o500)
        assert run("pack", "a", "-o", "nothing/b.json", within=folder).code == 2
        assert run("unpack", "a.json", "-o", "nothing", within=folder).code == 2


PACK = '"$0" -m convspec pack'


class TestStreams:
    @pytest.mark.parametrize("unbuffered", ["", "1"])
    @pytest.mark.parametrize(
        ("script", "code", "told"),
        [
            (f'{PACK} "$1" | head -c 5 >/dev/null; exit "${{PIPESTATUS[0]}}"', 141, ""),
            (f'{PACK} "$1" >/dev/full', 2, "convspec: cannot write the output: No space left on device\n"),
            (f"{PACK} - <&-", 2, "convspec: -: standard input is closed [file-unreadable]\n"),
        ],
    )
    def test_closed_and_full(
        self, tmp_path: Path, script: str, code: int, told: str, unbuffered: str
    ) -> None:
        BIG.save(tmp_path)
        command = ["bash", "-c", script, sys.executable, str(tmp_path)]
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert (done.returncode, done.stderr) == (code, told)
