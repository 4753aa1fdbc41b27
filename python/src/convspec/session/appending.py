"""Append records to a log so that no other writer, no crash and no full disk costs more than these records.

Each append opens the file, takes its lock, reads what others have added, and writes all its records at
once. Nothing is truncated or written over, whatever happens.
"""

from __future__ import annotations

import errno
import io
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from convspec.regular import NotRegular
from convspec.session.errors import SessionError
from convspec.session.log_disk import LogDisk
from convspec.session.log_reader import Reader
from convspec.session.records_to_write import VERSION, Record
from convspec.session.standing import Standing, numbered
from convspec.session.writable import line_of

_CHUNK = 1 << 20

Build = Callable[[Standing], Sequence[Record]]
"""Returns the records to append, made from what the log holds at that moment."""


class Appender:
    """Appends to one log. Safe between threads, and between processes where the system has locks."""

    def __init__(self, path: str, standing: Standing, disk: LogDisk, *, fsync: bool) -> None:
        self.path = path
        self.standing = standing
        self._disk = disk
        self._fsync = fsync
        self._mutex = threading.RLock()

    def append(self, build: Build) -> None:
        """Write the records that `build` returns, in one call, each with its line feed.

        Raises SessionError for a record that readers would refuse and for a file that is gone, was written
        anew or is not written to; OSError where the system refuses. What is known of the log, the leaf
        included, changes only when all is written.
        """
        with self._held() as descriptor:
            ended = self._catch_up(descriptor)
            lines = [line_of(record) for record in build(self.standing)]
            if not lines:
                return
            data = b"".join([b"" if ended else b"\n", *(line.data for line in lines)])
            self._write(descriptor, data, ended=ended)
            self.standing.wrote(lines)

    def remove_if(self, condition: Callable[[], bool]) -> bool:
        """Remove the log if the condition holds while nobody else writes; return whether it was removed."""
        with self._held() as descriptor:
            self._catch_up(descriptor)
            if not condition():
                return False
            self._disk.remove(self.path)
            self.standing.refusal = "it was removed"
            return True

    @contextmanager
    def _held(self) -> Iterator[int]:
        """Open and lock the log that this handle knows."""
        if self.standing.refusal is not None:
            raise self._refused(self.standing.refusal)
        with self._mutex:
            try:
                descriptor = self._disk.open_log(self.path)
            except (FileNotFoundError, NotADirectoryError):
                raise self._refused("it is gone, and is not made anew") from None
            except NotRegular as error:
                raise self._refused(str(error.strerror)) from error
            try:
                with self._disk.locked(descriptor):
                    opened, _ = self._disk.look(descriptor)
                    if not opened == self.standing.identity == self._disk.identity(self.path):
                        raise self._refused("another file has its name now, or none has: load it again")
                    yield descriptor
            finally:
                self._disk.close(descriptor)

    def _catch_up(self, descriptor: int) -> bool:
        """Read what was added since; return whether the file ends in a line feed."""
        standing = self.standing
        known = len(standing.tail)
        _, size = self._disk.look(descriptor)
        if self._disk.read_at(descriptor, standing.end - known, known) != standing.tail:
            raise self._refused("it was written anew, and not by adding to it: load it again")
        if size == standing.end:
            return True
        added = b"".join(self._chunks(descriptor, standing.end))
        standing.take(Reader(VERSION).read(numbered(io.BytesIO(added)), 0))
        standing.advance(added[: added.rfind(b"\n") + 1])
        return added.endswith(b"\n")

    def _chunks(self, descriptor: int, offset: int) -> Iterator[bytes]:
        while chunk := self._disk.read_at(descriptor, offset, _CHUNK):
            yield chunk
            offset += len(chunk)

    def _write(self, descriptor: int, data: bytes, *, ended: bool) -> None:
        """Write it all. One call is the rule; where the system takes only a part, the rest follows at once.

        If that fails, a torn line stays, which the next append ends. It is not cut off: a writer that knows
        no locks may have added something behind it.
        """
        _, before = self._disk.look(descriptor)
        view = memoryview(data)
        while view:
            taken = self._disk.append(descriptor, view)
            if taken <= 0:
                raise OSError(errno.EIO, os.strerror(errno.EIO), self.path)
            view = view[taken:]
        alone = self._disk.position(descriptor) == before + len(data)
        if self._fsync:
            self._disk.sync(descriptor)
        if alone and ended:
            self.standing.advance(data)

    def _refused(self, why: str) -> SessionError:
        return SessionError(f"{self.path}: not written to: {why}")
