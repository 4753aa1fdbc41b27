"""A session log as people and programs see it: the text and the value that `convspec show` gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convspec.reporters.values import clean
from convspec.reporters.words import number, printable
from convspec.session.view import SessionEntry, SessionReading, TreeNode

SHOW_VERSION = 1
_FACTS = ("id", "timestamp", "cwd", "provider", "model", "reasoningEffort", "parentId", "parentPath")
_LONGEST = 60


def lines(session: SessionReading, *, tree: bool, text: bool) -> Iterator[str]:
    """Yield header, name and counts; the tree and the messages where they are asked for."""
    yield from _head(session)
    if tree:
        yield ""
        yield from _tree(session)
    if text:
        for message in session.messages():
            yield ""
            yield from _message(message)


def _head(session: SessionReading) -> Iterator[str]:
    header = session.header
    if header is None:
        yield "session   no header"
    else:
        recovered = "  (recovered from the file's name)" if header.get("recovered") else ""
        yield f"session   {printable(str(header.get('id')))}{recovered}"
    if session.name is not None:
        yield f"name      {printable(session.name)}"
    for key in _FACTS[1:]:
        value = (header or {}).get(key) if key not in ("provider", "model", "reasoningEffort") else None
        if value:
            yield f"{key:9} {printable(str(value))}"
    runtime = [printable(value) for value in session.runtime().values() if value]
    if runtime:
        yield f"runtime   {', '.join(runtime)}"
    yield f"version   {session.version}"
    tally = session.tally
    yield f"messages  {tally['branch']:,} of {number(tally['entries'], 'entry', 'entries')} reachable, " + (
        f"{number(tally['messages'], 'message')} restored"
    )
    if tally["skipped"]:
        yield f"skipped   {number(tally['skipped'], 'place')} that could not be read; see convspec check"
    if session.version > 1:
        yield f"leaf      {'none' if session.leaf is None else printable(session.leaf)}"
    for id, label in session.labels.items():
        yield f"label     {printable(label)} -> {printable(id)}"


def _tree(session: SessionReading) -> Iterator[str]:
    """Draw the tree. A straight row of entries is not moved to the right, however long it is."""
    active = {entry.id for entry in session.branch()}
    work: list[tuple[TreeNode, str, str]] = [(root, "", "") for root in reversed(session.tree())]
    while work:
        node, lead, below = work.pop()
        yield lead + _entry(node.entry, node.entry.id in active, node.entry.id == session.leaf)
        children = node.children
        if len(children) == 1:
            work.append((children[0], below, below))
        else:
            for place, child in reversed(list(enumerate(children))):
                last = place == len(children) - 1
                work.append((child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))


def _entry(entry: SessionEntry, active: bool, leaf: bool) -> str:
    id = printable(entry.id)
    id = id if len(id) <= _LONGEST else id[:_LONGEST] + "…"
    marks = [f"[{printable(entry.label)}]"] if entry.label else []
    marks += ["<- leaf"] if leaf else []
    return " ".join(["*" if active else "o", id, printable(entry.role or entry.type), *marks])


def _message(message: Mapping[str, Any]) -> Iterator[str]:
    yield f"--- {printable(str(message.get('role')))} {printable(str(message.get('id') or ''))}".rstrip()
    content = message.get("content")
    if content is None:
        content = message.get("summary")
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and not isinstance(part.get("text"), str):
            yield f"({printable(str(part.get('type')))})"
            continue
        text = part.get("text") if isinstance(part, dict) else part
        if text is not None:
            yield from map(printable, str(text).split("\n"))
    calls = message.get("tool_calls") or message.get("toolCalls") or ()
    for call in calls if isinstance(calls, list) else ():
        inner = call.get("function") if isinstance(call, dict) else None
        if isinstance(inner, dict):
            yield f"-> {printable(str(inner.get('name')))}({printable(str(inner.get('arguments')))})"


def value(session: SessionReading, path: str, *, text: bool) -> dict[str, Any]:
    """Return the same as a JSON value (schema/report/1.0/show.schema.json)."""
    found: dict[str, Any] = {
        "show_version": SHOW_VERSION,
        "path": clean(path),
        "format": "session",
        "format_version": session.version,
        "header": session.header,
        "name": session.name,
        "runtime": session.runtime(),
        "created_at": session.created_at.isoformat(),
        "modified_at": session.modified_at.isoformat(),
        "leaf": session.leaf,
        "branch": [entry.id for entry in session.branch()],
        "labels": dict(session.labels),
        "tally": dict(session.tally),
        "entries": [
            {
                "id": entry.id,
                "type": entry.type,
                "parent": entry.parent_id or None,
                "role": entry.role,
                "line": entry.line,
            }
            for entry in session.entries
        ],
    }
    if text:
        found["messages"] = list(session.messages())
    return found
