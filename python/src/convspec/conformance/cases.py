"""The cases of a corpus: finding them, reading them, and laying out their inputs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
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
        """Return the path of the input; in a copy below `scratch` where steps or a writer change it."""
        if not self.document.get("setup") and self.document["kind"] not in ("write", "recover"):
            return self.folder / str(self.document["input"])
        return self.copied(scratch / self.id)

    def copied(self, to: Path) -> Path:
        """Copy the case to the folder `to`, but not what it expects; carry out the setup.

        Return the input's path.

        Raises ValueError for a setup step that cannot be carried out, OSError where the disk refuses.
        """
        left_out = {CASE_FILE, self.document["expect"].get("output")}
        shutil.copytree(self.folder, to, ignore=_but(self.folder, left_out))
        opened_up(str(to))
        for step in self.document.get("setup", ()):
            _set_up(to, step)
        return to / str(self.document["input"])


def _but(top: Path, left_out: set[str | None]) -> Callable[[str, list[str]], list[str]]:
    return lambda folder, names: [one for one in names if Path(folder) == top and one in left_out]


def opened_up(top: str) -> None:
    """Let everything below a folder be changed and removed, whatever modes the folders have got."""
    os.chmod(top, 0o700)
    for path, folders, _ in os.walk(top):
        for name in folders:
            if not os.path.islink(os.path.join(path, name)):
                os.chmod(os.path.join(path, name), 0o700)


def _set_up(folder: Path, step: Mapping[str, str]) -> None:
    """Make a link, a FIFO or a folder. Raises ValueError for a step that is not sound."""
    parts = PurePosixPath(step["path"])
    path = folder / parts
    holders = [holder for holder in path.parents if folder in holder.parents]
    # A step before this one may have made a link of a folder: nothing is done behind it.
    if parts.is_absolute() or not parts.name or ".." in parts.parts or any(map(os.path.islink, holders)):
        raise ValueError(f"the setup path {step['path']!r} leaves the case's folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if step["action"] == "fifo":
        os.mkfifo(path)
    elif step["action"] == "folder":
        path.mkdir()
    elif "to" in step:
        path.symlink_to(step["to"])
    else:
        raise ValueError(f"the setup link {step['path']!r} leads nowhere: it has no 'to'")


def cases(corpus: Path) -> Iterator[Case]:
    """Yield every case below a corpus, in the order of their ids."""
    for path in sorted(corpus.glob(f"*/*/*/{CASE_FILE}")):
        yield Case(path.parent, json.loads(path.read_bytes()))
