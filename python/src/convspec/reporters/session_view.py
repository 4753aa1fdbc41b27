"""A session log as people and programs see it: the text and the value that `convspec show` gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from convspec.reporters.columns import member
from convspec.reporters.message_text import message
from convspec.reporters.session_tree import tree_lines, tree_parents
from convspec.reporters.show_values import SHOW_VERSION
from convspec.reporters.words import number, weights
from convspec.session.placement import stamp
from convspec.session.view import SessionReading


def lines(session: SessionReading, *, tree: bool, text: bool, width: int) -> Iterator[str]:
    """Yield header, name and counts; the tree and the messages where they are asked for."""
    for name, told in _facts(session):
        yield from member(name, told, width)
    if tree:
        yield ""
        yield from tree_lines(session, width)
    if text:
        for one in session.messages():
            yield ""
            yield from message(one)


def _facts(session: SessionReading) -> Iterator[tuple[str, str]]:
    header = session.header or {}
    if not header:
        yield "session", "(no header)"
    elif header["recovered"]:
        yield "session", f"{header['id']} (there is no header; this is from the file's name)"
    else:
        yield "session", header["id"] or "(no id)"
    yield "name", session.name or "(none)"
    yield from ((told, header[key]) for key, told in _TOLD.items() if header.get(key))
    runtime = [value for value in session.runtime().values() if value]
    if runtime:
        yield "model", ", ".join(runtime)
    yield "version", str(session.version)
    tally = session.tally
    yield (
        "entries",
        f"{tally['branch']:,} of {number(tally['entries'], 'entry', 'entries')} reachable, "
        f"{number(tally['messages'], 'message')} restored",
    )
    if session.version > 1 or session.log.mixed:
        yield "leaf", _leaf(session)
    yield from (("label", f"{label} -> {id}") for id, label in session.labels.items())
    if tally["skipped"]:
        yield "skipped", f"{number(tally['skipped'], 'place')} that could not be read"
    counts = session.report.counts
    if counts.errors or counts.warnings:
        yield "findings", f"{weights(counts)}; convspec check names them"


_TOLD = {"timestamp": "begun", "cwd": "folder", "parentId": "copied from", "parentPath": "its log"}


def _leaf(session: SessionReading) -> str:
    if session.leaf is None:
        return "none: the next entry begins a new root"
    return session.leaf if session.entry(session.leaf) else f"{session.leaf} (not in the log)"


def value(session: SessionReading, path: str, *, text: bool) -> dict[str, Any]:
    """Return the same as a JSON value (schema/report/1.0/show.schema.json)."""
    tree = session.version > 1 or session.log.mixed
    branch = [entry.id for entry in session.branch()]
    active, parents, times = set(branch), tree_parents(session), session.label_times()
    found: dict[str, Any] = {
        "show_version": SHOW_VERSION,
        "path": path,
        "format": "session",
        "format_version": session.report.format_version,
        "verdict": session.report.verdict.value,
        "tally": dict(session.tally),
        "header": session.header,
        "name": session.name,
        "runtime": session.runtime(),
        "created_at": stamp(session.created_at),
        "modified_at": stamp(session.modified_at),
        "leaf": session.leaf if tree else next(reversed(branch), None),
        "branch": branch,
        "labels": [
            {"target": id, "label": label, "timestamp": times.get(id)} for id, label in session.labels.items()
        ],
        "entries": [
            {
                "id": entry.id,
                "type": entry.type,
                "role": entry.role,
                "parent": parents.get(entry.id),
                "parent_id": entry.parent_id,
                "active": entry.id in active,
                "label": entry.label,
                "timestamp": _time(entry.time),
                "line": entry.line,
            }
            for entry in session.entries
        ],
    }
    return {**found, "messages": list(session.messages())} if text else found


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else stamp(moment)
