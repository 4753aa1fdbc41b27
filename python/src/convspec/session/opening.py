"""Open a log for reading. Anything that is a log at all can be read, however damaged it is."""

from __future__ import annotations

import os
import time

from convspec.findings import Fault
from convspec.session.errors import SessionError, refused
from convspec.session.judged import judge
from convspec.session.log import FORMAT
from convspec.session.view import SessionReading
from convspec.sources import Source, read_source, reason
from convspec.text.recognise import recognise
from convspec.weigh import report, weighed


def read_session(source: str | os.PathLike[str] | bytes, *, name: str | None = None) -> SessionReading:
    """Return what a reader makes of a log, given by path or as bytes (session.md, section 7).

    `name` is the file's name where bytes are given: a lost header is recovered from it. The log is read
    once; bodies are read again when they are asked for. Raises SessionError where the file cannot be read,
    holds nothing, is a history or no log at all, or is of a newer version.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        return _read(Source(name or "<bytes>", bytes(source)), name, time.time())
    path = os.fsdecode(source)
    try:
        changed = os.stat(path).st_mtime
        read = read_source(path, FORMAT)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    return _read(read, name or path, changed)


def _read(source: Source, name: str | None, changed: float) -> SessionReading:
    try:
        outcome, told = judge(source, name)
    except OSError as error:
        raise _unreadable(source.label, error) from error
    if outcome.log is None or outcome.reading is None:
        raise refused(told)
    if source.data is not None:
        known = recognise(source.data, name)
        if known not in (FORMAT, None):
            raise SessionError(f"{source.label}: it is a {known}, not a session log", told)
        if known is None and not outcome.log.records:
            raise SessionError(
                f"{source.label}: neither content nor name says that it is a session log", told
            )
    return SessionReading(source.open, outcome, told, changed)


def _unreadable(path: str, error: OSError | ValueError) -> SessionError:
    findings = weighed([Fault("file-unreadable", reason(error))], format=None)
    return refused(report(path, findings, format=None, version=None, tally=None))
