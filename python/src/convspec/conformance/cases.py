"""The cases of a corpus: finding them, reading them, and laying out their inputs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convspec.conformance.edits import Tree

CASE_FILE = "case.json"


@dataclass(frozen=True)
class Case:
    """One case: its folder and what its case.json says (schema/conformance/1.0)."""

    folder: Path
    document: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The case's id, which is its folder's path below the corpus."""
        return str(self.document["id"])

    @property
    def tree(self) -> Tree:
        """The input with everything beside it, as it is committed."""
        files = {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and path != self.folder / CASE_FILE
        }
        return Tree(self.document["input"], files, tuple(self.document.get("setup", ())))

    def laid_out(self, scratch: Path) -> Path:
        """Return the path of the input; where the case has setup steps, in a copy below `scratch`."""
        if not self.document.get("setup"):
            return self.folder / str(self.document["input"])
        copy = scratch / self.id
        shutil.copytree(self.folder, copy)
        for step in self.document["setup"]:
            _set_up(copy, step)
        return copy / str(self.document["input"])


def _set_up(folder: Path, step: Mapping[str, str]) -> None:
    path = folder / step["path"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if step["action"] == "symlink":
        path.symlink_to(step["to"])
    else:
        os.mkfifo(path)


def cases(corpus: Path) -> Iterator[Case]:
    """Yield every case below a corpus, in the order of their ids."""
    for path in sorted(corpus.glob(f"*/*/*/{CASE_FILE}")):
        yield Case(path.parent, json.loads(path.read_bytes()))
