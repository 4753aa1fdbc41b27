"""When a log was last used, found from its end: a list of many logs reads a few lines of each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO

from convspec.instants import instant, moment
from convspec.regular import open_regular
from convspec.session.records import NON_ACTIVITY
from convspec.text.lines import read_line

_CHUNK = 1 << 13
# What writers put first; a line of another form, or without an end, is read whole.
_BEGIN = re.compile(
    rb'\{"type":"([a-z_]+)",(?:"(?:id|parentId)":"[^"\\]*",)*"timestamp":"([0-9TZtz:.+-]+)"[,}]'
)


def last_activity(path: str) -> datetime:
    """Return the time of the last record that is more than housekeeping; else the header's, or the file's.

    A log is looked at from behind, so its length does not matter. Raises OSError.
    """
    with os.fdopen(open_regular(path), "rb") as stream:
        changed = datetime.fromtimestamp(os.fstat(stream.fileno()).st_mtime, UTC)
        created = None
        for line in lines_backwards(stream):
            for type, stamp in _stamps(line):
                if type not in NON_ACTIVITY:
                    return moment(stamp, changed)
                created = stamp if type == "session" else created
        return moment(created, changed)


def _stamps(line: bytes) -> Iterator[tuple[str, str]]:
    """Yield type and timestamp of each record of a line, the last one first."""
    begin = _BEGIN.match(line)
    if begin is not None and line.endswith(b"}\n"):
        if instant(begin[2].decode()) is not None:
            yield begin[1].decode(), begin[2].decode()
        return
    for value in reversed(read_line(line).values):
        record = value.value if isinstance(value.value, dict) else {}
        type, stamp = record.get("type"), record.get("timestamp")
        if isinstance(type, str) and isinstance(stamp, str) and instant(stamp) is not None:
            yield type, stamp


def lines_backwards(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file, the last one first, each with its line feed if it has one."""
    at = stream.seek(0, os.SEEK_END)
    pieces: list[bytes] = []  # of the line that is not whole yet, from its end to its beginning
    step = _CHUNK
    while at > 0:
        begin = max(0, at - step)
        stream.seek(begin)
        chunk = stream.read(at - begin)
        at, step = begin, min(step * 2, 1 << 20)
        parts = chunk.split(b"\n")
        if len(parts) == 1:
            pieces.append(chunk)
            continue
        last = parts[-1] + b"".join(reversed(pieces))
        if last:
            yield last
        for part in reversed(parts[1:-1]):
            yield part + b"\n"
        pieces = [parts[0] + b"\n"]
    if pieces:
        yield b"".join(reversed(pieces))
