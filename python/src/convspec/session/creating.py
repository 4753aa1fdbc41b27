"""Make the log of a new session: whole, under its name at once, and readable by its owner alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from convspec.disk import make_folders, put_new
from convspec.session import records_to_write as records
from convspec.session.errors import SessionError, refused
from convspec.session.judged import judge
from convspec.session.log_disk import LogDisk
from convspec.session.records import LONGEST_ID
from convspec.session.records_to_write import Record
from convspec.session.standing import Standing
from convspec.session.writable import encoded
from convspec.sources import Source

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def publish(path: str, lines: Iterable[Record], disk: LogDisk) -> Standing:
    """Write a new log, and return what is known of it. Its folders are made where they are missing.

    It has its name only once it is whole, so nobody ever sees one without a header. Raises SessionError for
    what readers would refuse, and where the name is taken; OSError where the system refuses.
    """
    data = b"".join(encoded(record) + b"\n" for record in lines)
    outcome, report = judge(Source("<new session>", data), path)
    if not report.valid or outcome.log is None:
        raise refused(report)
    folder = os.path.dirname(path)
    make_folders(folder, disk, FOLDER_MODE)
    if not put_new(path, data, FILE_MODE, disk):
        raise SessionError(f"{path}: there is a file of this name already")
    disk.sync_folder(folder)
    identity = disk.identity(path)
    if identity is None:
        raise SessionError(f"{path}: it was removed while it was made")
    standing = Standing(identity)
    standing.take(outcome.log)
    standing.advance(data)
    standing.leaf = None if outcome.reading is None else outcome.reading.leaf
    return standing


def chained(messages: Iterable[Mapping[str, Any]], timestamp: str, ids: Iterator[str]) -> Iterator[Record]:
    """Yield a message record for each message, each following the one before."""
    parent: str | None = None
    for message in messages:
        if not isinstance(message, Mapping):
            raise SessionError("a message is an object")
        if message.get("role") == "system":
            raise SessionError("a system prompt is no message: use append_system_prompt_snapshot")
        id = message.get("id") or next(ids)
        if isinstance(id, str) and len(id) > LONGEST_ID:
            raise SessionError(f"an id has at most {LONGEST_ID} characters")
        yield records.entry("message", id, parent, timestamp, message)
        parent = id


def with_own_ids(messages: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield messages of another log, without an id where an earlier one has it already."""
    seen: set[object] = set()
    for message in messages:
        id = message.get("id")
        usable = isinstance(id, str) and id not in seen and len(id) <= LONGEST_ID
        seen.add(id if isinstance(id, str) else None)
        yield message if usable else {key: value for key, value in message.items() if key != "id"}
