"""What a list of sessions says of each: read from its log, and never more than read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from convspec.findings import Severity
from convspec.session.compaction import SUMMARY
from convspec.session.errors import SessionError
from convspec.session.handle import Runtime
from convspec.session.opening import read_session
from convspec.session.reading import store_name
from convspec.session.view import SessionReading

LONGEST_PREVIEW = 120
"""Code points of the first message that a list holds."""

_COUNTED = frozenset(("user", "assistant", "tool", "toolResult", SUMMARY))


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One session of a list.

    `message_count` and `first_message` are of the conversation as it goes on. `problem` says what is wrong
    with the log, if anything is; the rest is then what can be read. `is_unused` says that nothing was ever
    said in it. `depth`, `is_last` and `ancestor_continues` are its place in a tree of copies: how many
    ancestors are listed, whether no other copy of the same session follows, and for each ancestor that is
    itself a copy, oldest first, whether another one follows that.
    """

    id: str | None
    path: str
    cwd: str
    created_at: datetime
    modified_at: datetime
    name: str | None = None
    first_message: str = field(default="", repr=False)
    message_count: int = 0
    runtime: Runtime = field(default_factory=Runtime)
    parent_id: str | None = None
    parent_path: str | None = None
    depth: int = 0
    is_last: bool = True
    ancestor_continues: tuple[bool, ...] = ()
    is_unused: bool = False
    problem: str | None = None


def summary_of(path: str) -> SessionInfo:
    """Return what a list says of a log, however damaged it is. Never raises for what is in the file."""
    try:
        reading = read_session(path)
    except SessionError as error:
        return unreadable(path, str(error))
    try:
        first = _first_message(reading)
    except OSError as error:
        return unreadable(path, error.strerror or str(error))
    header: Mapping[str, Any] = reading.header or {}
    told = reading.runtime()
    messages = (reading.report.reading or {}).get("messages", ())
    return SessionInfo(
        id=header.get("id") or _named_id(path),
        path=path,
        cwd=header.get("cwd") or "",
        created_at=reading.created_at,
        modified_at=reading.modified_at,
        name=reading.name,
        first_message=first,
        message_count=sum(one["role"] in _COUNTED for one in messages),
        runtime=Runtime(told["provider"], told["model"], told["reasoningEffort"]),
        parent_id=header.get("parentId"),
        parent_path=header.get("parentPath"),
        is_unused=reading.is_unused,
        problem=_problem(reading),
    )


def unreadable(path: str, problem: str) -> SessionInfo:
    """Return what is said of a log that cannot be read: its name, its time, and why."""
    changed = changed_at(path)
    return SessionInfo(_named_id(path), path, "", changed, changed, problem=problem)


def changed_at(path: str) -> datetime:
    """Return when a file, or a link, was changed; long ago where it is gone."""
    try:
        return datetime.fromtimestamp(os.lstat(path).st_mtime, UTC)
    except OSError:
        return datetime.fromtimestamp(0, UTC)


def _named_id(path: str) -> str | None:
    known = store_name(os.path.basename(path))
    return known[0] if known else None


def _problem(reading: SessionReading) -> str | None:
    errors = (one for one in reading.report.findings if one.severity is Severity.ERROR)
    first = next(errors, None)
    if first is None:
        return None
    line = "" if first.line is None else f"line {first.line}: "
    return f"{line}{first.message} [{first.rule}]"


def _first_message(reading: SessionReading) -> str:
    for message in reading.messages():
        if message.get("role") in ("user", SUMMARY):
            return _preview(message)
    return ""


def _preview(message: Mapping[str, Any]) -> str:
    """Return what the user saw of a message, on one line."""
    shown = next((message[key] for key in ("display_content", "displayContent") if message.get(key)), None)
    said = shown or message.get("summary") or message.get("content")
    parts = said if isinstance(said, list) else [said]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    whole = " ".join(text for text in texts if isinstance(text, str))
    return " ".join(whole[: LONGEST_PREVIEW * 16].split())[:LONGEST_PREVIEW]


def as_tree(sessions: Sequence[SessionInfo]) -> list[SessionInfo]:
    """Return the sessions with each copy below what it was copied from; else in the order they came.

    A session whose parent is not listed is a root. Of sessions that name each other in a circle, the one
    that comes first is.
    """
    first: dict[str, SessionInfo] = {}
    for one in sessions:
        if one.id is not None:
            first.setdefault(one.id, one)
    below: dict[str, list[SessionInfo]] = {}
    roots: list[SessionInfo] = []
    for one in sessions:
        parent = first.get(one.parent_id) if one.parent_id else None
        if parent is None or parent.path == one.path:
            roots.append(one)
        else:
            below.setdefault(parent.path, []).append(one)
    placed = _placed(roots, below)
    done = {one.path for one in placed}
    for one in sessions:
        if one.path not in done:  # in a circle, or below one
            circle = _placed([one], below)
            placed += circle
            done.update(member.path for member in circle)
    return placed


def _placed(roots: Sequence[SessionInfo], below: Mapping[str, Sequence[SessionInfo]]) -> list[SessionInfo]:
    placed: list[SessionInfo] = []
    seen = {one.path for one in roots}
    work: list[tuple[SessionInfo, int, bool, tuple[bool, ...]]]
    work = [(one, 0, one is roots[-1], ()) for one in reversed(roots)]
    while work:
        one, depth, is_last, continues = work.pop()
        placed.append(replace(one, depth=depth, is_last=is_last, ancestor_continues=continues))
        children = [child for child in below.get(one.path, ()) if child.path not in seen]
        seen.update(child.path for child in children)
        inherited: tuple[bool, ...] = (*continues, not is_last) if depth else ()
        work += [(child, depth + 1, child is children[-1], inherited) for child in reversed(children)]
    return placed
