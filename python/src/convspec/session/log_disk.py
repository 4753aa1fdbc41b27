"""The file operations that appending is made of. A test puts another disk in their place."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from convspec.disk import Disk
from convspec.regular import NotRegular
from convspec.session import locking

_APPEND = os.O_RDWR | os.O_APPEND
for _name in ("O_CLOEXEC", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY"):
    _APPEND |= getattr(os, _name, 0)

Identity = tuple[int, int]
"""Device and number of a file: what tells it from another one of the same name."""


class LogDisk(Disk):
    """The real one. Each method is one step, after any of which the machine may stop."""

    def open_log(self, path: str) -> int:
        """Open a log that is there, for reading and for writing at its end. Raises NotRegular for a link."""
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise _irregular(path)
        try:
            descriptor = os.open(path, _APPEND)
        except OSError as error:
            raise _irregular(path) if error.errno == errno.ELOOP else error from None
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise _irregular(path)

    @contextmanager
    def locked(self, descriptor: int) -> Iterator[None]:
        """Hold the advisory lock of an open file; wait for it as long as it takes."""
        locking.lock(descriptor)
        try:
            yield
        finally:
            locking.unlock(descriptor)

    def identity(self, path: str) -> Identity | None:
        """Return which file has a name, None where there is none."""
        try:
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found.st_dev, found.st_ino

    def look(self, descriptor: int) -> tuple[Identity, int]:
        """Return which file is open, and its size."""
        found = os.fstat(descriptor)
        return (found.st_dev, found.st_ino), found.st_size

    def read_at(self, descriptor: int, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from an offset on; fewer, or none, at the end."""
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, count)

    def append(self, descriptor: int, data: bytes | memoryview) -> int:
        """Write at the end, in one call; return how many bytes the system took."""
        return os.write(descriptor, data)

    def position(self, descriptor: int) -> int:
        """Return where the last bytes that were written end."""
        return os.lseek(descriptor, 0, os.SEEK_CUR)

    def sync(self, descriptor: int) -> None:
        """Make what was written last."""
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Let go of an open file."""
        os.close(descriptor)


def _irregular(path: str) -> NotRegular:
    return NotRegular(errno.EINVAL, "a link, or no regular file, is not written to", path)
