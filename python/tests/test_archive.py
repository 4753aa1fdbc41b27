"""The release archive holds the schemas and the corpus whole, and comes out the same each time."""

from __future__ import annotations

import hashlib
import runpy
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from conftest import CASES, ROOT
from convspec import schemas
from convspec.conformance.corpus import FolderCorpus

build = runpy.run_path(str(ROOT / "python" / "scripts" / "build_archive.py"))["build"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = build(ROOT, tmp_path_factory.mktemp("dist"))
    return path


@pytest.fixture(scope="module")
def unpacked(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as tar:
        tar.extractall(place, filter="data")
    (top,) = place.iterdir()
    return top


def test_the_checksum_beside_the_archive_is_the_archive_s(archive: Path) -> None:
    digest, name = Path(f"{archive}.sha256").read_text().split()
    assert name == archive.name
    assert digest == hashlib.sha256(archive.read_bytes()).hexdigest()


def test_the_same_sources_give_the_same_bytes(archive: Path, tmp_path: Path) -> None:
    assert build(ROOT, tmp_path).read_bytes() == archive.read_bytes()


def test_every_file_is_listed_with_its_checksum(unpacked: Path) -> None:
    listed = dict(
        reversed(line.split("  ", 1)) for line in (unpacked / "SHA256SUMS").read_text().splitlines()
    )
    there = {
        path.relative_to(unpacked).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in unpacked.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }
    assert listed == there


def test_the_corpus_in_it_is_whole(unpacked: Path) -> None:
    corpus = FolderCorpus(str(unpacked / "conformance"))
    corpus.verify(corpus.ids())
    assert corpus.ids() == [case.id for case in CASES]


def test_the_schemas_and_the_specification_are_in_it(unpacked: Path) -> None:
    for path in schemas.documents():
        assert (unpacked / "schema" / path).is_file()
    for page in (ROOT / "docs" / "spec").iterdir():
        assert (unpacked / "docs" / "spec" / page.name).is_file()


def test_nothing_that_was_installed_is_in_it(unpacked: Path) -> None:
    assert not [path for path in unpacked.rglob("*") if path.name in ("node_modules", "__pycache__")]


def test_the_corpus_can_be_run_from_it(unpacked: Path) -> None:
    command = [sys.executable, "-m", "convspec", "conformance", "run", "--case", "history/version/*"]
    run = subprocess.run(
        [*command, "--corpus", str(unpacked / "conformance")],
        capture_output=True,
        cwd=unpacked,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr.decode()
