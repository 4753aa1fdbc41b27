"""The manifest holds the whole corpus, byte for byte, and is made from it."""

from __future__ import annotations

import hashlib
import json
import runpy
from pathlib import Path

import pytest

from conftest import CASES, ROOT
from convspec import engines

MANIFEST = ROOT / "conformance" / "manifest.json"
outputs = runpy.run_path(str(ROOT / "python" / "scripts" / "gen_corpus.py"))["outputs"]


def test_the_manifest_fits_its_schema() -> None:
    path = "conformance/1.0/manifest.schema.json"
    assert engines.violations(path, json.loads(MANIFEST.read_bytes())) == []


def test_the_manifest_lists_every_file_of_every_case_with_its_digest() -> None:
    listed = {
        entry["id"]: {file["path"]: (file["size"], file["sha256"]) for file in entry["files"]}
        for entry in json.loads(MANIFEST.read_bytes())["cases"]
    }
    assert list(listed) == sorted(listed)
    assert listed == {
        case.id: {
            path: (len(data), hashlib.sha256(data).hexdigest()) for path, data in case.tree.files.items()
        }
        for case in CASES
    }


def test_the_manifest_is_up_to_date() -> None:
    assert outputs(ROOT) == ({"conformance/manifest.json": MANIFEST.read_text(encoding="utf-8")}, [])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of one case."""
    case = tmp_path / "conformance" / "history" / "bytes" / "one"
    case.mkdir(parents=True)
    document = {
        "id": "history/bytes/one",
        "kind": "check",
        "format": "history",
        "format_version": 1,
        "level": "must",
        "clause": "history.md#root",
        "input": "history.json",
    }
    (case / "case.json").write_text(json.dumps(document))
    (case / "history.json").write_bytes(b"\xff\r\n")
    (tmp_path / "conformance" / "retired.json").write_text("[]")
    return tmp_path


def test_files_are_taken_as_bytes(corpus: Path) -> None:
    (case,) = json.loads(outputs(corpus)[0]["conformance/manifest.json"])["cases"]
    sha256 = hashlib.sha256(b"\xff\r\n").hexdigest()
    assert case["files"] == [{"path": "history.json", "size": 3, "sha256": sha256}]
    assert (case["folder"], case["requires"]) == ("history/bytes/one", [])


@pytest.mark.parametrize(
    "stray", ["history/stray.json", "history/bytes/case.json", "history/bytes/two/x", "session/a/b/x"]
)
def test_a_file_of_no_case_is_refused(corpus: Path, stray: str) -> None:
    path = corpus / "conformance" / stray
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    with pytest.raises(SystemExit, match=rf"\A{stray} belongs to no case\Z"):
        outputs(corpus)


def test_a_link_in_a_case_is_refused(corpus: Path) -> None:
    (corpus / "conformance" / "history" / "bytes" / "one" / "link").symlink_to("history.json")
    with pytest.raises(SystemExit, match="link is no regular file"):
        outputs(corpus)


def test_a_retired_id_cannot_come_back(corpus: Path) -> None:
    retired = [{"id": "history/bytes/one", "reason": "said elsewhere", "since": "1.1"}]
    (corpus / "conformance" / "retired.json").write_text(json.dumps(retired))
    with pytest.raises(SystemExit, match=r"\Ahistory/bytes/one is retired"):
        outputs(corpus)


def test_files_beside_the_cases_are_left_alone(corpus: Path) -> None:
    (corpus / "conformance" / "README.md").write_text("")
    outputs(corpus)
