"""`convspec repair` as a person or a script meets it: exit codes, files, what is never touched or shown."""

from __future__ import annotations

import itertools
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from conftest import ROOT
from convspec import check
from convspec.disk import Disk
from convspec.repairing.files import CannotRepair, repair
from convspec.repairing.outcome import Repair
from convspec.repairing.steps import KINDS
from convspec.sources import Source
from inputs import history, user
from test_repair_steps import HEADER, SAFE, TORN, UNSAFE, A, said

SECRET = "marzipan"
TORN_LOG = HEADER + A + TORN
ORPHANED = HEADER + A + said("c", "gone") + TORN
NEWER = HEADER.replace(b'"version":2', b'"version":3')

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the installed command in an empty folder."""

    def _run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "convspec", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONWARNINGS": "error", **environment},
        )

    return _run


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


class TestExitCodes:
    def test_zero_where_the_copy_is_valid(self, run: Run, tmp_path: Path) -> None:
        put(tmp_path / "log.jsonl", TORN_LOG)
        done = run("repair", "log.jsonl", "-o", "mended.jsonl")
        assert done.returncode == 0
        assert done.stdout == (
            "log.jsonl:3: safe[drop-tail] line-torn: the rest of a record is dropped: 35 bytes\n"
        )
        assert done.stderr == (
            "1 step: mended.jsonl is valid; what was dropped or changed is in mended.jsonl.rejected\n"
        )
        assert listing(tmp_path) == {
            "log.jsonl": TORN_LOG,
            "mended.jsonl": HEADER + A,
            "mended.jsonl.rejected": TORN + b"\n",
        }

    def test_zero_and_a_copy_where_there_is_nothing_to_do(self, run: Run, tmp_path: Path) -> None:
        put(tmp_path / "log.jsonl", HEADER + A)
        done = run("repair", "log.jsonl", "-o", "mended.jsonl", "--unsafe")
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr == "0 steps: mended.jsonl is valid\n"
        assert listing(tmp_path) == {"log.jsonl": HEADER + A, "mended.jsonl": HEADER + A}

    def test_one_where_errors_are_left(self, run: Run, tmp_path: Path) -> None:
        put(tmp_path / "log.jsonl", ORPHANED)
        done = run("repair", "log.jsonl", "-o", "mended.jsonl")
        assert done.returncode == 1
        assert 'mended.jsonl:3:74: error[parent-missing] no record has the id "gone"' in done.stdout
        assert "1 error left; --unsafe does more" in done.stderr
        assert run("repair", "log.jsonl", "-o", "other.jsonl", "--unsafe").returncode == 0

    def test_one_and_nothing_written_where_nothing_can_be_done(self, run: Run, tmp_path: Path) -> None:
        put(tmp_path / "log.jsonl", HEADER + said("c", "gone"))
        done = run("repair", "log.jsonl", "-o", "mended.jsonl")
        assert done.returncode == 1
        assert "and nothing is written" in done.stderr
        assert [*listing(tmp_path)] == ["log.jsonl"]

    def test_one_and_nothing_written_where_nothing_can_be_kept(self, run: Run, tmp_path: Path) -> None:
        put(tmp_path / "log.jsonl", TORN)
        assert run("repair", "log.jsonl", "-o", "mended.jsonl", "--unsafe").returncode == 1
        assert [*listing(tmp_path)] == ["log.jsonl"]

    @pytest.mark.parametrize("unsafe", [[], ["--unsafe"]])
    def test_three_for_a_newer_version_which_is_left_alone(
        self, run: Run, tmp_path: Path, unsafe: list[str]
    ) -> None:
        put(tmp_path / "log.jsonl", NEWER + TORN)
        done = run("repair", "log.jsonl", "-o", "mended.jsonl", *unsafe)
        assert (done.returncode, done.stdout) == (3, "")
        assert "newer version" in done.stderr
        put(tmp_path / "history.json", b'{"version": 2, "messages": []}')
        assert run("repair", "history.json", "-o", "mended", *unsafe).returncode == 3
        assert sorted(listing(tmp_path)) == ["history.json", "log.jsonl"]

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["log.jsonl"],
            ["log.jsonl", "-o"],
            ["gone.jsonl", "-o", "mended.jsonl"],
            ["log.jsonl", "-o", "gone/mended.jsonl"],
            ["log.jsonl", "--dry-run", "--manifest", "steps.json"],
            ["log.jsonl", "-o", "mended.jsonl", "--manifest", "log.jsonl"],
            ["log.jsonl", "-o", "mended.jsonl", "--manifest", "mended.jsonl"],
            ["log.jsonl", "-o", "mended.jsonl", "--manifest", "mended.jsonl.rejected"],
            ["log.jsonl", "-o", "log.jsonl"],
            ["text.md", "-o", "mended.md"],
            [".", "-o", "mended"],
            ["pipe", "-o", "mended"],
            ["/dev/null", "-o", "mended"],
        ],
    )
    def test_two_and_one_line_where_it_cannot_be_done(
        self, run: Run, tmp_path: Path, arguments: list[str]
    ) -> None:
        put(tmp_path / "log.jsonl", TORN_LOG)
        put(tmp_path / "text.md", b"# Notes\n")
        os.mkfifo(tmp_path / "pipe")
        done = run("repair", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr
        assert sorted(listing(tmp_path)) == ["log.jsonl", "text.md"]


class TestNothingIsWrittenOver:
    @pytest.mark.parametrize("name", ["mended.jsonl", "mended.jsonl.rejected", "steps.json"])
    @pytest.mark.parametrize("kind", ["file", "link", "dangling", "folder"])
    def test_by_any_name(self, tmp_path: Path, name: str, kind: str) -> None:
        source = put(tmp_path / "log.jsonl", TORN_LOG)
        target = tmp_path / name
        if kind == "file":
            target.write_bytes(b"mine")
        elif kind == "folder":
            target.mkdir()
        else:
            target.symlink_to(source if kind == "link" else tmp_path / "gone")
        before = sorted(path.name for path in tmp_path.iterdir())
        with pytest.raises(CannotRepair, match="there already"):
            repair(source, tmp_path / "mended.jsonl", manifest=tmp_path / "steps.json")
        with pytest.raises(CannotRepair, match="there already"):
            repair(source, tmp_path / "mended.jsonl", manifest=tmp_path / "steps.json", format="session")
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        assert source.read_bytes() == TORN_LOG

    @pytest.mark.parametrize("late", ["mended.jsonl", "mended.jsonl.rejected", "steps.json"])
    def test_that_comes_while_it_works(self, tmp_path: Path, late: str) -> None:
        class Late(Disk):
            def put(self, path: str, new: str) -> bool:
                if path.endswith(late):
                    Path(path).write_bytes(b"theirs")
                return super().put(path, new)

        source = put(tmp_path / "log.jsonl", TORN_LOG)
        with pytest.raises(FileExistsError):
            repair(source, tmp_path / "mended.jsonl", manifest=tmp_path / "steps.json", disk=Late())
        assert listing(tmp_path) == {"log.jsonl": TORN_LOG, late: b"theirs"}

    def test_a_link_to_the_log_is_followed_and_the_log_left_alone(self, tmp_path: Path) -> None:
        source = put(tmp_path / "log.jsonl", TORN_LOG)
        (tmp_path / "link.jsonl").symlink_to("log.jsonl")
        repair(tmp_path / "link.jsonl", tmp_path / "mended.jsonl")
        assert (tmp_path / "mended.jsonl").read_bytes() == HEADER + A
        assert (tmp_path / "link.jsonl").is_symlink()
        assert source.read_bytes() == TORN_LOG


def test_a_stop_at_any_moment_leaves_no_repaired_file_without_what_was_dropped(tmp_path: Path) -> None:
    class Stop(BaseException):
        pass

    class Stopping(Disk):
        left = 0

        def _count(self) -> None:
            if self.left == 0:
                raise Stop
            self.left -= 1

        def put(self, path: str, new: str) -> bool:
            self._count()
            return super().put(path, new)

        def sync_folder(self, path: str) -> None:
            self._count()
            super().sync_folder(path)

    finished = 0
    for moment in range(12):
        folder = tmp_path / str(moment)
        folder.mkdir()
        source = put(folder / "log.jsonl", ORPHANED)
        disk = Stopping()
        disk.left = moment
        try:
            repair(source, folder / "mended.jsonl", unsafe=True, manifest=folder / "steps.json", disk=disk)
            finished += 1
        except Stop:
            pass
        there = listing(folder)
        assert there["log.jsonl"] == ORPHANED
        assert not [name for name in there if name.endswith(".tmp")]
        if "mended.jsonl" in there:
            assert {"mended.jsonl.rejected", "steps.json"} <= there.keys()
            assert check(folder / "mended.jsonl").valid
    assert finished == 6


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o400])
def test_the_copy_is_as_private_as_the_file(tmp_path: Path, mode: int) -> None:
    source = put(tmp_path / "log.jsonl", TORN_LOG)
    source.chmod(mode)
    repair(source, tmp_path / "mended.jsonl", manifest=tmp_path / "steps.json")
    for name in ("mended.jsonl", "mended.jsonl.rejected", "steps.json"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode | 0o600
    folder = tmp_path / "damaged"
    folder.mkdir()
    put(folder / "history.json", b"\xef\xbb\xbf" + history(user("m1"))).chmod(mode)
    repair(folder, tmp_path / "mended")
    assert stat.S_IMODE((tmp_path / "mended").stat().st_mode) & 0o077 == (mode | (mode & 0o444) >> 2) & 0o077
    assert stat.S_IMODE((tmp_path / "mended/history.json").stat().st_mode) == mode | 0o600


@pytest.mark.parametrize("golden", SAFE + UNSAFE, ids=lambda golden: golden.name)
def test_a_dry_run_writes_nothing_and_foretells_everything(tmp_path: Path, golden: Any) -> None:
    name = "2026-02-11T08-15-30.120Z_3f1c9a52-7d0e-4b61-9a0e-6c2f4d8b17aa.jsonl"
    source, target = put(tmp_path / name, golden.before), tmp_path / "out" / name
    foretold = repair(source, target, unsafe=golden.unsafe, format="session", dry_run=True)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    target.parent.mkdir()
    done = repair(source, target, unsafe=golden.unsafe, format="session")
    assert [(s.name, s.rule, s.line, s.rejected) for s in foretold.steps] == [
        (s.name, s.rule, s.line, s.rejected) for s in done.steps
    ]
    assert _placed(foretold) == _placed(done)
    assert (foretold.output, foretold.rejected, foretold.dry_run) == (None, None, True)


def _placed(done: Repair) -> list[tuple[Any, ...]]:
    return [(one.rule, one.line, one.column, one.offset, one.pointer) for one in done.after.findings]


SCHEMAS: Registry[Any] = Registry().with_resources(
    (document["$id"], Resource.from_contents(document))
    for document in (
        json.loads((ROOT / "schema" / "report" / "1.0" / f"{name}.schema.json").read_bytes())
        for name in ("repair", "report")
    )
)
REPAIR = json.loads((ROOT / "schema/report/1.0/repair.schema.json").read_bytes())
FINDING = {"$ref": "https://w3id.org/convspec/schema/report/1.0/report.schema.json#/$defs/finding"}


@pytest.mark.parametrize("golden", SAFE + UNSAFE, ids=lambda golden: golden.name)
@pytest.mark.parametrize("unsafe", [False, True])
def test_the_manifest_fits_its_schema(tmp_path: Path, golden: Any, unsafe: bool) -> None:
    source = put(tmp_path / "log.jsonl", golden.before)
    manifest = tmp_path / "steps.json"
    done = repair(source, tmp_path / "mended.jsonl", unsafe=unsafe, format="session", manifest=manifest)
    value = json.loads(manifest.read_bytes())
    Draft202012Validator(REPAIR, registry=SCHEMAS).validate(value)
    for error in value["errors"]:
        Draft202012Validator(FINDING, registry=SCHEMAS).validate(error)
    assert value == done.value("0.1.0")
    assert {step["step"] for step in value["steps"]} <= KINDS.keys()
    assert (tmp_path / "mended.jsonl").exists() == (value["output"] is not None)
    assert (tmp_path / "mended.jsonl.rejected").exists() == (value["rejected"] is not None)


def test_the_json_is_the_manifest(run: Run, tmp_path: Path) -> None:
    put(tmp_path / "log.jsonl", ORPHANED)
    done = run(
        "repair", "log.jsonl", "-o", "m.jsonl", "--unsafe", "--format", "json", "--manifest", "steps.json"
    )
    assert json.loads(done.stdout) == json.loads((tmp_path / "steps.json").read_bytes())


class TestNoText:
    @pytest.mark.parametrize("golden", SAFE + UNSAFE, ids=lambda golden: golden.name)
    def test_of_a_log_is_shown(self, tmp_path: Path, golden: Any) -> None:
        data = golden.before.replace(b"look", SECRET.encode()).replace(b"You help.", SECRET.encode())
        source = put(tmp_path / "log.jsonl", data)
        for unsafe in (False, True):
            done = repair(source, unsafe=unsafe, format="session")
            assert SECRET not in json.dumps(done.value("0"))

    @pytest.mark.parametrize("form", ["text", "json"])
    def test_of_anything_is_printed(self, run: Run, tmp_path: Path, form: str) -> None:
        torn = TORN + SECRET.encode()
        put(tmp_path / "log.jsonl", (ORPHANED + b"\n" + b'["%s"]\n' % SECRET.encode() + torn))
        put(tmp_path / "cut.json", history(user("m1", content=SECRET), user("m2", content=SECRET))[:-9])
        keys = b'{"type":"leaf","%s":1,"%s":2,"targetId":"%s and more"}\n' % ((SECRET.encode(),) * 3)
        put(tmp_path / "keys.jsonl", HEADER + A + keys)
        for name in ("log.jsonl", "cut.json", "keys.jsonl"):
            done = run("repair", name, "--dry-run", "--unsafe", "--format", form)
            shown = done.stdout + done.stderr
            assert "unsafe" in shown
            if form == "text" or name != "keys.jsonl":  # ids stand in the JSON, as in that of a check
                assert SECRET not in shown

    def test_terminal_controls_in_names_are_escaped(self, run: Run, tmp_path: Path) -> None:
        put(tmp_path / "log\x1b[31m.jsonl", TORN_LOG)
        done = run("repair", "log\x1b[31m.jsonl", "--dry-run")
        assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("opening", range(1, 9))
@pytest.mark.parametrize(
    "other",
    [
        lambda log: log + TORN,
        lambda log: b"",
        lambda log: log[:-7],
        lambda log: log[3:],
        lambda log: b"[" * len(log),
        lambda log: HEADER + said("b", "a") * 3,
        lambda log: NEWER,
    ],
    ids=["appended", "emptied", "cut", "moved", "brackets", "shortened", "newer"],
)
def test_a_log_that_changes_while_it_is_read_is_refused(
    opening: int, other: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = put(tmp_path / "log.jsonl", b" " * 1_000_000 + b"\n" + ORPHANED + A * 500 + said("x", "y"))
    opened, times = Source.open, itertools.count(1)

    def open(self: Source) -> IO[bytes]:
        if self.path == str(source) and next(times) == opening:
            source.write_bytes(other(source.read_bytes()))
            os.utime(source, (1, 1))
        return opened(self)

    monkeypatch.setattr(Source, "open", open)
    with pytest.raises(CannotRepair):
        repair(source, tmp_path / "mended.jsonl", unsafe=True)
    assert sorted(listing(tmp_path)) == ["log.jsonl"]


def test_many_steps_are_cut_for_people_and_never_in_json(run: Run, tmp_path: Path) -> None:
    put(tmp_path / "log.jsonl", HEADER + b"[]\n" * 70 + A)
    done = run("repair", "log.jsonl", "--dry-run")
    assert len(done.stdout.splitlines()) == 51
    assert done.stdout.endswith("20 further steps; --format json lists all\n")
    told = json.loads(run("repair", "log.jsonl", "--dry-run", "--format", "json").stdout)
    assert len(told["steps"]) == 70
