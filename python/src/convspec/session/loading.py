"""What is known of a log that is there already, and whether it may be written to."""

from __future__ import annotations

import contextlib
import os

from convspec.regular import open_regular
from convspec.session.errors import SessionError
from convspec.session.log_disk import LogDisk
from convspec.session.opening import read_session
from convspec.session.records import text_of
from convspec.session.records_to_write import VERSION
from convspec.session.standing import TAIL, Standing
from convspec.session.view import SessionReading

_CHUNK = 1 << 16


def known_of(path: str, disk: LogDisk) -> tuple[Standing, SessionReading]:
    """Read a log, and return what is known of it for writing. Raises SessionError.

    The end is taken before the reading: what is added in between is read twice, which does no harm.
    """
    standing = _end_of(path, disk)
    reading = read_session(path)
    if standing is None:
        raise SessionError(f"{path}: it was removed while it was read")
    standing.take(reading.log)
    standing.runtime = {key: reading.runtime()[key] for key in ("provider", "model", "reasoningEffort")}
    standing.leaf = reading.leaf
    if reading.leaf is not None and reading.entry(reading.leaf) is not None:
        with contextlib.suppress(OSError):  # a very long id, of which the reading holds the digest
            standing.leaf = text_of(reading.record(reading.leaf).get("id")) or reading.leaf
    return standing, reading


def _end_of(path: str, disk: LogDisk) -> Standing | None:
    """Return a standing that knows only where the last whole line ends."""
    try:
        descriptor = open_regular(path)
    except (OSError, ValueError):
        return None
    try:
        identity, size = disk.look(descriptor)
        while size:
            begin = max(0, size - _CHUNK)
            os.lseek(descriptor, begin, os.SEEK_SET)
            chunk = os.read(descriptor, size - begin)
            at = chunk.rfind(b"\n") + 1
            if at or not chunk:
                size = begin + at
                break
            size = begin
        begin = max(0, size - TAIL)
        os.lseek(descriptor, begin, os.SEEK_SET)
        return Standing(identity, size, os.read(descriptor, size - begin))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def refusal_of(reading: SessionReading) -> str | None:
    """Say why a log is not written to, None where it may be (session.md#header-recovery)."""
    if reading.header is None or reading.header["recovered"]:
        return "it has no header; repair it, or copy it by clone()"
    version = reading.report.format_version
    if version == VERSION:
        return None
    if version is None:
        return "its header states no version; repair it, or copy it by clone()"
    return f"it is of version {version}, which has no tree; copy it by clone()"
