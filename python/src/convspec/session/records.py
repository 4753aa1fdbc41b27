"""What is kept of each record of a log: ids, parents and a few facts, never the text of a message."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from convspec.findings import Path, Spot
from convspec.instants import Instant

TREE = frozenset(("message", "compaction", "branch_summary"))
"""Records that are entries of the tree."""

NON_ACTIVITY = frozenset(("session", "session_info", "system_prompt"))
"""Records that do not count for when a session was last used."""

HOUSEKEEPING = NON_ACTIVITY | {"memory_state", "leaf"}
"""Records that a log may hold in which nothing was said yet."""

PARTS = {
    "session": "session",
    "message": "message",
    "compaction": "compaction",
    "branch_summary": "branch-summary",
    "leaf": "leaf",
    "label": "label",
    "session_info": "session-info",
    "system_prompt": "system-prompt",
    "memory_state": "memory-state",
    "tool_execution_end": "tool-execution-end",
}
"""The known types, and the schema of each."""

LONGEST_ID = 1024
"""Code points of an id that is kept as it is; a longer one is kept by its digest."""


def text_of(id: Any) -> str | None:
    """Return an id as text: a non-empty string, or an integer as its decimals, else None."""
    if isinstance(id, str):
        return id or None
    return str(id) if type(id) is int else None


def key_of(id: Any) -> str | None:
    """Return what stands for an id in tables: itself, or its digest where it is long."""
    text = text_of(id)
    if text is None or len(text) <= LONGEST_ID:
        return text
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call or result: its id ("" where it has none), and where it stands in the record.

    `id_path` is where its id stands; where it has none, the call itself.
    """

    id: str
    path: Path
    id_path: Path = ()


@dataclass(slots=True, eq=False)
class Entry:
    """A tree record.

    `number` counts tree records from 0, `order` all events of the log. `parent` is None on a root.
    `virtual`: it has no usable id of its own, but one by its number (session.md#mixed).
    `said` holds what the message is to calls and results, `kept` what a compaction keeps.
    """

    type: str
    id: str
    parent: str | None
    spot: Spot
    number: int
    order: int
    first: bool = True
    virtual: bool = False
    parent_path: Path | None = None
    parent_sound: bool = True
    role: str | None = None
    message_id: str | None = None
    time: Instant | None = None
    said: Said | None = None
    kept: Kept | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What a message is to calls and results. `also` are ids of calls that only match."""

    calls: tuple[Call, ...] = ()
    also: tuple[str, ...] = ()
    result: Call | None = None
    calls_unread: bool = False
    result_unread: bool = False


NOTHING_SAID = Said()


@dataclass(frozen=True, slots=True)
class Kept:
    """What a compaction keeps: the value as it stands, None for nothing; and where it is said."""

    value: str | None
    path: Path
    readable: bool = True


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf record; `target` is None for a null leaf."""

    target: str | None
    sound: bool
    spot: Spot
    order: int


@dataclass(frozen=True, slots=True)
class Label:
    """A label record."""

    target: str
    text: str | None
    spot: Spot
    sound: bool


@dataclass(slots=True)
class Names:
    """Every id that a record of the file has, by what the record is."""

    known: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
