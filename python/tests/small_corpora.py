"""Small corpora and small adapters for tests of the conformance command, and what its output must be."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conftest import ROOT
from convspec import engines

REAL = ROOT / "conformance"
VALID = "history/document/two-messages"
INVALID = "history/document/message-id-duplicate"
SHOULD = "history/attachments/unreferenced"
LOG = "session/tree/parent-missing"
NEWER = "session/version/newer"
CHAIN = "session/tree/three-entry-chain"
LINK = "history/attachments/link-to-nothing"
UNREADABLE = "session/bytes/unrecognised-first-line"
ALL = (VALID, INVALID, SHOULD, LOG, NEWER, LINK, UNREADABLE)

YES = "say(seq=r['seq'], verdict='valid', findings=[])"
"""What an adapter does with a case that takes everything for valid."""
EVIL = "\x1b]0;owned\x07\x9b31m\u202e\ud800\r\n\x08"
"""What a terminal or a file must not be given."""

Done = subprocess.CompletedProcess[str]


def make_corpus(folder: Path, ids: Iterable[str]) -> Path:
    """Make a corpus of some cases of the real one; return its folder."""
    entries = {entry["id"]: entry for entry in json.loads((REAL / "manifest.json").read_bytes())["cases"]}
    for id in ids:
        shutil.copytree(REAL / id, folder / id)
    write_manifest(folder, [entries[id] for id in ids])
    return folder


def write_manifest(folder: Path, entries: list[dict[str, Any]]) -> None:
    """Write the manifest of a corpus."""
    folder.mkdir(exist_ok=True)
    manifest = {"manifest_version": 1, "cases": entries, "retired": []}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def change_case(corpus: Path, id: str, /, **members: Any) -> None:
    """Change members of a case.json."""
    path = corpus / id / "case.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **members}))


def write_adapter(path: Path, case: str, **introduction: Any) -> str:
    """Return the command of an adapter; `case` is what it does with a request `r`, saying `say(...)`."""
    told = {"name": "fake", "language": "Python", "version": "7", "protocol": 1, "spec": "1.0",
            "formats": ["history", "session"], "kinds": ["check"], "levels": ["verdict", "findings"],
            "abilities": ["folder", "symlinks"], **introduction}  # fmt: skip
    path.write_text(
        "import json, os, sys, time\n"
        "def say(**members): print(json.dumps(members), flush=True)\n"
        "for line in sys.stdin:\n"
        "    r = json.loads(line)\n"
        "    if r['cmd'] == 'stop': break\n"
        f"    if r['cmd'] == 'start': say(**json.loads({json.dumps(told)!r}))\n"
        f"    else: {case}\n"
    )
    return shlex.join([sys.executable, "-S", str(path)])


def document(text: str) -> dict[str, Any]:
    """Return results as JSON, held against their schema."""
    value: dict[str, Any] = json.loads(text)
    assert engines.violations("conformance/1.0/results.schema.json", value) == []
    return value


def one_line(done: Done, text: str) -> None:
    """Hold a run to be bad usage: one line on stderr that says `text`, and exit code 2."""
    assert done.returncode == 2, done
    assert done.stderr.startswith("convspec")
    assert done.stderr.count("\n") == 1
    assert text in done.stderr
