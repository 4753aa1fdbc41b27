"""Generate conformance/manifest.json: every case with the size and digest of each of its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CASE_FILE = "case.json"
FORMATS = ("history", "session")
_COPIED = ("id", "kind", "format", "format_version", "level", "clause")


def outputs(root: Path) -> tuple[dict[str, str], list[str]]:
    """Return the generated files by path, and the folders that hold nothing else."""
    corpus = root / "conformance"
    folders = sorted(path.parent for path in corpus.glob(f"*/*/*/{CASE_FILE}"))
    cases = [_case(corpus, folder) for folder in folders]
    retired = sorted(json.loads((corpus / "retired.json").read_bytes()), key=_by_id)
    _refuse_strays(corpus, set(folders))
    _refuse_returned({case["id"] for case in cases}, retired)
    text = _dump(sorted(cases, key=_by_id), retired)
    return {"conformance/manifest.json": text}, []


def _case(corpus: Path, folder: Path) -> dict[str, Any]:
    document = json.loads((folder / CASE_FILE).read_bytes())
    return {
        **{key: document[key] for key in _COPIED},
        "folder": folder.relative_to(corpus).as_posix(),
        "input": document["input"],
        **{key: document[key] for key in ("other",) if key in document},
        "requires": document.get("requires", []),
        "files": [_file(folder, path) for path in _files(folder) if path != folder / CASE_FILE],
    }


def _file(folder: Path, path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {
        "path": path.relative_to(folder).as_posix(),
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _files(folder: Path) -> Iterator[Path]:
    """Yield every file below a folder, in the order of their paths as the manifest writes them."""
    for path in sorted(folder.rglob("*"), key=Path.as_posix):
        if path.is_symlink() or not path.is_dir():
            if path.is_symlink() or not path.is_file():
                raise SystemExit(f"{path} is no regular file; a case makes it by a setup step")
            yield path


def _refuse_strays(corpus: Path, folders: set[Path]) -> None:
    for name in FORMATS:
        for path in _files(corpus / name):
            if folders.isdisjoint(path.parents):
                raise SystemExit(f"{path.relative_to(corpus).as_posix()} belongs to no case")


def _refuse_returned(ids: set[str], retired: list[dict[str, str]]) -> None:
    for entry in retired:
        if entry["id"] in ids:
            raise SystemExit(f"{entry['id']} is retired and cannot be used again")


def _by_id(entry: dict[str, Any]) -> str:
    return str(entry["id"])


def _dump(cases: list[dict[str, Any]], retired: list[dict[str, str]]) -> str:
    """Write one case per line, so that a change to the corpus reads well in a diff."""
    return f'{{\n"manifest_version": 1,\n"cases": {_lines(cases)},\n"retired": {_lines(retired)}\n}}\n'


def _lines(entries: list[dict[str, Any]]) -> str:
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f"[\n{lines}\n]" if lines else "[]"
