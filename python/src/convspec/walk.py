"""From the paths a person names to the files that are checked, in a fixed order.

A folder that holds history.json is one input. Any other folder is walked for such folders and for
*.jsonl files, leaving out what .gitignore files or the caller exclude. Links are not followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from convspec.sources import HISTORY_FILE

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LOG_SUFFIX = ".jsonl"
STDIN = "-"
_IGNORE_FILE = ".gitignore"


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns that hold below one folder."""

    folder: str
    spec: GitIgnoreSpec

    def decision(self, path: str) -> bool | None:
        relative = os.path.relpath(path, self.folder).replace(os.sep, "/")
        return self.spec.check_file(relative + "/" if path.endswith(os.sep) else relative).include


def inputs(paths: Iterable[str], exclude: Iterable[str] = ()) -> Iterator[str]:
    """Yield the files to check, each once. A file that is named is always among them."""
    seen: set[str] = set()
    for path in paths:
        for found in expanded(path, tuple(exclude)):
            same = found if found == STDIN else os.path.abspath(found)
            if same not in seen:
                seen.add(same)
                yield found


def expanded(path: str, exclude: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that one path stands for."""
    if path == STDIN or not os.path.isdir(path):
        yield path
    elif os.path.lexists(os.path.join(path, HISTORY_FILE)):
        yield os.path.join(path, HISTORY_FILE)
    else:
        patterns = (*_above(path), _Patterns(path, _spec(exclude)))
        yield from _walked(path, patterns)


def _walked(top: str, patterns: tuple[_Patterns, ...]) -> Iterator[str]:
    """Walk without recursion, so that no depth of folders is too deep."""
    work = [(top, patterns)]
    while work:
        folder, known = work.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            yield folder  # the check says why it cannot be read
            continue
        names = {entry.name for entry in entries}
        if HISTORY_FILE in names:
            yield os.path.join(folder, HISTORY_FILE)
            continue
        if _IGNORE_FILE in names:
            known = (*known, *_read(folder))
        below = []
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != ".git" and not _ignored(entry.path + os.sep, known):
                    below.append((entry.path, known))
            elif _is_log(entry) and not _ignored(entry.path, known):
                yield entry.path
        work.extend(reversed(below))


def _is_log(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(LOG_SUFFIX) and entry.is_file(follow_symlinks=False)


def _ignored(path: str, patterns: tuple[_Patterns, ...]) -> bool:
    """The nearest file with an opinion decides."""
    for one in reversed(patterns):
        decision = one.decision(path)
        if decision is not None:
            return decision
    return False


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # not needed where files are named

    return GitIgnoreSpec.from_lines(lines)


def _read(folder: str) -> list[_Patterns]:
    try:
        with open(os.path.join(folder, _IGNORE_FILE), encoding="utf-8", errors="replace") as file:
            return [_Patterns(folder, _spec(file))]
    except (OSError, ValueError):
        return []


def _above(path: str) -> list[_Patterns]:
    """Read the .gitignore files between `path` and the top of its repository."""
    found: list[_Patterns] = []
    folder = os.path.abspath(path)
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return []
        folder = above
        found[:0] = _read(folder)
    return found
