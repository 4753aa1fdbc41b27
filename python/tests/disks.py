"""Disks that fail: at the n-th operation, for good, or by forgetting what was not made lasting."""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from convspec.disk import Disk


class PowerCut(BaseException):
    """The machine stops. No clean-up comes after it."""


class QuickDisk(Disk):
    """A real disk that makes nothing last: for tests of what is written, not of when."""

    def write(self, path: str, data: bytes, mode: int | None) -> None:
        Path(path).write_bytes(data)

    def sync_folder(self, path: str) -> None:
        pass


class FailingDisk(Disk):
    """A disk of which one operation fails: before it does anything, or halfway through a write.

    With a `PowerCut` it fails from then on. `steps` counts what was asked of it. `on` does the work.
    """

    def __init__(
        self, at: int, error: Callable[[], BaseException] = PowerCut, on: Disk | None = None
    ) -> None:
        self.steps = 0
        self._at = at
        self._error = error
        self._on = on or QuickDisk()
        self._dead = False

    def _step(self) -> None:
        self.steps += 1
        if self._dead or self.steps == self._at:
            error = self._error()
            self._dead = isinstance(error, PowerCut)
            raise error

    def make_folder(self, *args: Any, **options: Any) -> bool:
        self._step()
        return self._on.make_folder(*args, **options)

    def is_folder(self, path: str) -> bool:
        self._step()
        return self._on.is_folder(path)

    def is_link(self, path: str) -> bool:
        self._step()
        return self._on.is_link(path)

    def mode(self, path: str) -> int | None:
        self._step()
        return self._on.mode(path)

    def write(self, path: str, data: bytes, mode: int | None) -> None:
        self._step()
        try:
            self._step()
        except BaseException:
            self._on.write(path, data[: len(data) // 2], mode)
            raise
        self._on.write(path, data, mode)

    def holds(self, path: str, data: bytes) -> bool:
        self._step()
        return self._on.holds(path, data)

    def replace(self, path: str, by: str) -> None:
        self._step()
        self._on.replace(path, by)

    def put(self, path: str, new: str) -> bool:
        self._step()
        return self._on.put(path, new)

    def remove(self, path: str) -> None:
        self._step()
        self._on.remove(path)

    def sync_folder(self, path: str) -> None:
        self._step()
        self._on.sync_folder(path)


# A disk that forgets. What the real one asks of the system is recorded, and played again up to a cut.


Left = tuple[tuple[str, bytes | None], ...]
"""Files with their bytes, and folders with None, each folder before what is in it."""

Choose = Callable[[int, str], int]
"""Picks one of n ways in which a name, or its file, may be left by a cut; 0 is what was lasting."""


@dataclass
class Event:
    """What was asked of the system: `create`, `fsync`, `mkdir`, `rename`, `link` or `unlink`."""

    what: str
    path: str
    to: str = ""
    data: bytes = b""


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Event]]:
    """Record what changes a file system, and what makes changes last, which is not carried out."""
    events: list[Event] = []
    open_files: dict[int, str] = {}
    real = {name: getattr(os, name) for name in ("open", "mkdir", "replace", "rename", "link", "unlink")}

    def open_(path: Any, flags: int, *args: Any, **options: Any) -> int:
        descriptor: int = real["open"](path, flags, *args, **options)
        if "dir_fd" not in options:
            open_files[descriptor] = os.fspath(path)
            if flags & os.O_CREAT:
                events.append(Event("create", os.fspath(path)))
        return descriptor

    def fsync(descriptor: int) -> None:
        path = open_files[descriptor]
        events.append(Event("fsync", path, data=b"" if os.path.isdir(path) else Path(path).read_bytes()))

    def two_names(name: str, what: str) -> Callable[..., None]:
        def call(source: str, target: str) -> None:
            real[name](source, target)
            events.append(Event(what, source, target))

        return call

    def one_name(name: str) -> Callable[..., None]:
        def call(path: str, *args: Any) -> None:
            real[name](path, *args)
            events.append(Event(name, path))

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", open_)
        patch.setattr(os, "fsync", fsync)
        patch.setattr(os, "mkdir", one_name("mkdir"))
        patch.setattr(os, "unlink", one_name("unlink"))
        patch.setattr(os, "replace", two_names("replace", "rename"))
        patch.setattr(os, "rename", two_names("rename", "rename"))
        patch.setattr(os, "link", two_names("link", "link"))
        yield events


@dataclass(eq=False)
class _File:
    """What a file holds now, and what it will hold after a cut; None where that is anybody's guess."""

    now: bytes
    lasting: bytes | None = None


@dataclass(eq=False)
class _Folder:
    """What names a folder holds now, and what each may hold after a cut: the lasting one first."""

    now: dict[str, Any] = field(default_factory=dict)
    after: dict[str, list[Any]] = field(default_factory=dict)

    def set(self, name: str, node: Any) -> None:
        self.after.setdefault(name, [self.now.get(name)]).append(node)
        self.now[name] = node

    def last(self) -> None:
        self.after.clear()


class ForgetfulDisk:
    """A file system in memory that keeps after a cut what was made lasting, and of the rest what it likes.

    It is stricter than any real one: each name in a folder that was not synced since may be there or not,
    apart from all others; a file that was not synced may hold any beginning of its bytes, or zeros.
    """

    def __init__(self, top: Path) -> None:
        """Begin with what lies below a folder, all of it lasting."""
        self._top = str(top)
        self._root = _loaded(top)

    def play(self, events: list[Event]) -> None:
        """Do what was recorded."""
        for event in events:
            getattr(self, f"_{event.what}")(event)

    def after_a_cut(self, choose: Choose) -> Left:
        """Return what is left."""
        return tuple(_left_of(self._root, "", choose))

    def _at(self, path: str) -> tuple[_Folder, str]:
        inside = os.path.relpath(path, self._top).split(os.sep)
        assert ".." not in inside, f"{path} is outside"
        folder = self._root
        for name in inside[:-1]:
            folder = folder.now[name]
        return folder, inside[-1]

    def _node(self, path: str) -> Any:
        folder, name = self._at(path)
        return folder if name == "." else folder.now[name]

    def _create(self, event: Event) -> None:
        folder, name = self._at(event.path)
        folder.set(name, _File(b"x" * 40))

    def _mkdir(self, event: Event) -> None:
        folder, name = self._at(event.path)
        folder.set(name, _Folder())

    def _fsync(self, event: Event) -> None:
        if not event.path.startswith(self._top):
            return  # a folder above: nothing of ours changes in it
        node = self._node(event.path)
        if isinstance(node, _Folder):
            node.last()
        else:
            node.now = node.lasting = event.data

    def _rename(self, event: Event) -> None:
        folder, name = self._at(event.path)
        other, new = self._at(event.to)
        other.set(new, folder.now[name])
        folder.set(name, None)

    def _link(self, event: Event) -> None:
        folder, name = self._at(event.path)
        other, new = self._at(event.to)
        other.set(new, folder.now[name])

    def _unlink(self, event: Event) -> None:
        folder, name = self._at(event.path)
        folder.set(name, None)


def _loaded(path: Path) -> _Folder:
    folder = _Folder()
    for entry in path.iterdir():
        if entry.is_dir():
            folder.now[entry.name] = _loaded(entry)
        else:
            data = entry.read_bytes()
            folder.now[entry.name] = _File(data, data)
    return folder


def _left_of(folder: _Folder, path: str, choose: Choose) -> Iterator[tuple[str, bytes | None]]:
    for name in sorted({*folder.now, *folder.after}):
        ways = folder.after.get(name) or [folder.now.get(name)]
        node = ways[choose(len(ways), name)]
        below = os.path.join(path, name)
        if isinstance(node, _Folder):
            yield below, None
            yield from _left_of(node, below, choose)
        elif isinstance(node, _File):
            yield below, _left(node, name, choose)


def written(left: Left, folder: Path) -> None:
    """Write what is left of a disk into a new folder."""
    folder.mkdir()
    for path, data in left:
        if data is None:
            (folder / path).mkdir()
        else:
            (folder / path).write_bytes(data)


def _left(file: _File, name: str, choose: Choose) -> bytes:
    if file.lasting is not None:
        return file.lasting
    ways = (b"", file.now[: len(file.now) // 2], bytes(len(file.now)), file.now)
    return ways[choose(len(ways), name)]


def most_forgetful(ways: int, name: str) -> int:
    return 0


def least_forgetful(ways: int, name: str) -> int:
    return ways - 1


def keeps_documents_alone(ways: int, name: str) -> int:
    return ways - 1 if name == "history.json" else 0


def by_chance(seed: int) -> Choose:
    """Return a way in which everything may be left or not."""
    chance = random.Random(seed)
    return lambda ways, name: chance.randrange(ways)


def tree(path: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {
        entry.relative_to(path).as_posix(): entry.read_bytes() for entry in path.rglob("*") if entry.is_file()
    }


ERRORS = (errno.ENOSPC, errno.EACCES, errno.EIO)


def refusal(code: int) -> Callable[[], OSError]:
    """Return what makes the error that the system gives."""
    return lambda: OSError(code, os.strerror(code))
