"""Inputs: bytes in memory, or a file that is read again for each pass over it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from convspec.regular import NotRegular, open_regular
from convspec.text.recognise import recognise_head

HISTORY_FILE = "history.json"
_HEAD = 1 << 20


class NoHistory(OSError):
    """A folder was named that holds no history.json."""


@dataclass(frozen=True, slots=True)
class Source:
    """An input: what to call it, its bytes or the path they stay at, and the folder it came with.

    `data` is None for a log that is read line by line.
    """

    label: str
    data: bytes | None
    folder: str | None = None
    path: str | None = None

    def open(self) -> IO[bytes]:
        """Return the input from its beginning. Raises OSError."""
        if self.data is not None or self.path is None:
            return io.BytesIO(self.data or b"")
        return os.fdopen(open_regular(self.path), "rb")

    def window(self, offset: int, before: int, after: int) -> tuple[bytes, int]:
        """Return bytes around an offset, and where they begin. Raises OSError."""
        begin = max(0, offset - before)
        with self.open() as stream:
            stream.seek(begin)
            return stream.read(offset - begin + after), begin


def read_source(path: str, format: str | None = None) -> Source:
    """Look at a file that a person named, with its folder (history.md#attachment-folder).

    A folder stands for the history.json in it. All but long logs is read at once. Raises OSError, or
    ValueError for a name that no file can have.
    """
    if os.path.isdir(path):
        path = os.path.join(path, HISTORY_FILE)
        if not os.path.lexists(path) or os.path.isdir(path):
            raise NoHistory(path)
    folder = (os.path.dirname(path) or ".") if os.path.basename(path) == HISTORY_FILE else None
    with os.fdopen(open_regular(path), "rb") as file:
        head = file.read(_HEAD)
        if len(head) == _HEAD and (format or recognise_head(head, path)) == "session":
            return Source(path, None, folder, path)
        return Source(path, head + file.read(), folder, path)


def reason(error: OSError | ValueError) -> str:
    """Say in words why a file cannot be read."""
    if isinstance(error, NotRegular):
        return "it is no regular file; to read from a pipe, give - and feed it to standard input"
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, NoHistory):
        return f"it is a folder without a file {HISTORY_FILE}"
    return getattr(error, "strerror", None) or "its name cannot be used"


def line_reader(stream: IO[bytes]) -> Callable[[int], bytes]:
    """Return what reads the line at an offset of a stream."""

    def line_at(offset: int) -> bytes:
        stream.seek(offset)
        return stream.readline()

    return line_at
