"""A log of version 1 as one of version 2: the same records, with ids and parents (session.md#version-1).

Members are put in where the records stand; all other bytes of a record stay.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

from convspec.converting.losses import Loss, Losses
from convspec.session import records_to_write as records
from convspec.session.log import Log
from convspec.session.records import TREE, text_of
from convspec.session.records_to_write import VERSION
from convspec.session.view import SessionReading
from convspec.session.writable import encoded
from convspec.text.edits import REMOVED, Edit, edited
from convspec.text.lines import read_line

_REFERENCES = ("targetId", "fromId")


def upgraded(
    session: SessionReading, mint: Callable[[], str] = lambda: secrets.token_hex(16)
) -> tuple[bytes, tuple[Loss, ...]]:
    """Return a log of version 2 that reads as this one of version 1, and what of it means nothing there.

    The log must be without errors. A record without an id follows the one before it. In a mixed log it gets
    the id that others call it by, `message:N` (session.md#mixed); else that of its message, or a new one.
    Raises OSError.
    """
    step = _Step(session.log, mint)
    lines = list(_begun(session))
    with session.open() as stream:
        for line in stream:
            for value in read_line(line).values:
                if isinstance(value.value, dict):
                    lines += step.taken(value.value, line[value.start : value.end])
    return b"".join(line + b"\n" for line in lines), tuple(step.losses.found)


def _begun(session: SessionReading) -> Iterator[bytes]:
    """Yield the header where it is only in the file's name: the new file has another."""
    header = session.header
    if header is not None and header["recovered"]:
        yield encoded(records.header(header["id"], header["timestamp"], ""))


class _Step:
    """Takes the records of a log one by one."""

    def __init__(self, log: Log, mint: Callable[[], str]) -> None:
        self.losses = Losses()
        self._mixed = log.mixed
        self._ids = _ids(log, mint)
        self._count = 0
        self._before: str | None = None

    def taken(self, record: dict[str, Any], data: bytes) -> Iterator[bytes]:
        """Yield the bytes of a record as they are in version 2."""
        type = record.get("type")
        if type == "session":
            yield edited(data, [Edit(("version",), VERSION)])
        elif type in TREE:
            yield self._entry(record, data)
        elif type == "leaf" and not self._mixed:
            self.losses.add("a leaf record, which means nothing in version 1")
        else:
            yield edited(data, self._renamed(record))

    def _renamed(self, record: dict[str, Any]) -> list[Edit]:
        """Return the edits for a record that names another by its number."""
        named = {key: record[key] for key in _REFERENCES if isinstance(record.get(key), str)}
        return [Edit((key,), self._ids[name]) for key, name in named.items() if name in self._ids]

    def _entry(self, record: dict[str, Any], data: bytes) -> bytes:
        called, before = f"message:{self._count}", self._before
        self._count += 1
        id = text_of(record.get("id"))
        if id is not None:  # a mixed log
            self._before = id
            return data
        self._before = self._ids.get(called, called)
        edits = [Edit(("id",), self._before), *self._renamed(record)]
        if before is not None:
            edits.append(Edit(("parentId",), before))
        elif "parentId" in record:
            edits.append(Edit(("parentId",), REMOVED))
        return edited(data, edits)


def _ids(log: Log, mint: Callable[[], str]) -> dict[str, str]:
    """Return new ids for the records, by what newer programs call them. A mixed log keeps to these names."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for entry in () if log.mixed else log.entries():
        own = entry.message_id
        long = own is not None and own.startswith("sha256:")  # it stands for an id that was not kept
        id = mint() if own is None or own in used or long else own
        used.add(id)
        found[f"message:{entry.number}"] = id
    return found
