"""Open files without being led astray: no links, no FIFOs, no devices, no way out of a folder.

What a name is, is asked before it is opened, and asked again of what was opened, so that a file
swapped in between is noticed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_AT = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd


class NotRegular(OSError):
    """The name is a link, a folder, a FIFO or a device."""


def open_regular(path: str) -> int:
    """Open a regular file that a person named; a link to one is followed. Raises OSError."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise NotRegular(path)
    return _checked(os.open(path, _FLAGS | _NONBLOCK), stat.S_ISREG, path)


class Inside:
    """A folder that is held open, below which names are looked up one level at a time.

    Where the system can (`dir_fd`), nothing is looked up by a path that could change meanwhile.
    """

    def __init__(self, path: str, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def folder(cls, path: str) -> Inside:
        """Hold the folder at `path`. Raises OSError."""
        if not _AT:
            return cls(path, None)
        return cls(path, os.open(path, _FLAGS | getattr(os, "O_DIRECTORY", 0)))

    def below(self, name: str) -> Inside:
        """Hold the folder `name` in this one. Raises OSError, NotRegular where it is none."""
        self._refuse_unless(stat.S_ISDIR, name)
        if self._descriptor is None:
            return Inside(os.path.join(self._path, name), None)
        flags = _FLAGS | _NOFOLLOW | getattr(os, "O_DIRECTORY", 0)
        return Inside(os.path.join(self._path, name), os.open(name, flags, dir_fd=self._descriptor))

    def open(self, name: str) -> int:
        """Open the regular file `name` in this folder. Raises OSError, NotRegular where it is none."""
        self._refuse_unless(stat.S_ISREG, name)
        flags = _FLAGS | _NOFOLLOW | _NONBLOCK
        if self._descriptor is None:
            return _checked(os.open(os.path.join(self._path, name), flags), stat.S_ISREG, name)
        return _checked(os.open(name, flags, dir_fd=self._descriptor), stat.S_ISREG, name)

    def names(self) -> list[str]:
        """Return the names of the regular files in this folder, sorted. Raises OSError."""
        place = self._path if self._descriptor is None else self._descriptor
        with os.scandir(place) as entries:
            return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))

    def close(self) -> None:
        """Let go of the folder."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _refuse_unless(self, kind: Callable[[int], bool], name: str) -> None:
        if self._descriptor is None:
            mode = os.lstat(os.path.join(self._path, name)).st_mode
        else:
            mode = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False).st_mode
        if not kind(mode):
            raise NotRegular(name)


def _checked(descriptor: int, kind: Callable[[int], bool], name: str) -> int:
    if kind(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise NotRegular(name)
