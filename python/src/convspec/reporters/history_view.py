"""A history as people and programs see it: the text and the value that `convspec show` gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from convspec.history.canonical import digest
from convspec.history.encoding import message_value
from convspec.history.history import History
from convspec.history.model import Attachment, Message
from convspec.reporters.session_view import SHOW_VERSION
from convspec.reporters.values import clean
from convspec.reporters.words import number, printable


def lines(history: History, *, text: bool) -> Iterator[str]:
    """Yield counts, then a line per message; what was said only where asked for."""
    items = [item for message in history.messages for item in message.attachments]
    size = sum(len(item.bytes) for item in items)
    yield f"version      {history.version}"
    yield f"messages     {len(history.messages):,}"
    if items:
        yield f"attachments  {len(items):,} ({number(size, 'byte')})"
    hanging = len(history.repair_interrupted_tool_calls().messages) - len(history.messages)
    if hanging:
        yield f"interrupted  {number(hanging, 'tool call')} without a result"
    yield ""
    for place, message in enumerate(history.messages, 1):
        yield _line(place, message)
        if text:
            yield from (f"      {printable(line)}" for line in message.content.split("\n") if message.content)


def _line(place: int, message: Message) -> str:
    role = message.role if message.kind == "user" else f"{message.role} ({message.kind})"
    parts = [f"{place:4} {role:9} {printable(message.id)}"]
    parts += [f"-> {printable(call.name)} [{printable(call.id)}]" for call in message.tool_calls]
    parts += [f"answers [{printable(message.tool_call_id)}]"] if message.tool_call_id else []
    parts += [_attachment(item) for item in message.attachments]
    return "  ".join(parts)


def _attachment(item: Attachment) -> str:
    return f"+ {printable(item.filename)} ({printable(item.mime)}, {number(len(item.bytes), 'byte')})"


def value(history: History, path: str, *, text: bool) -> dict[str, Any]:
    """Return the same as a JSON value (schema/report/1.0/show.schema.json)."""
    listed = [message_value(message, digest, extra=False) for message in history.messages]
    if not text:
        listed = [_without_text(message) for message in listed]
    items = [item for message in history.messages for item in message.attachments]
    return {
        "show_version": SHOW_VERSION,
        "path": clean(path),
        "format": "history",
        "format_version": history.version,
        "tally": {
            "messages": len(history.messages),
            "attachments": len(items),
            "attachment_bytes": sum(len(item.bytes) for item in items),
        },
        "messages": listed,
    }


def _without_text(message: dict[str, Any]) -> dict[str, Any]:
    """Take what was said out: content, arguments, thinking."""
    kept = {key: item for key, item in message.items() if key not in ("content", "thinking")}
    if "tool_calls" in kept:
        kept["tool_calls"] = [{"id": call["id"], "name": call["name"]} for call in kept["tool_calls"]]
    return kept
