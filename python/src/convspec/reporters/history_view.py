"""A history as people and programs see it: the text and the value that `convspec show` gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from convspec.history.canonical import digest
from convspec.history.encoding import message_value
from convspec.history.history import History
from convspec.history.model import Attachment, Message
from convspec.reporters.columns import cut, member
from convspec.reporters.show_values import SHOW_VERSION
from convspec.reporters.words import number, printable

_INDENT = " " * 5


def lines(history: History, *, text: bool, width: int) -> Iterator[str]:
    """Yield counts, then a line per message; what was said only where asked for."""
    tally = _tally(history)
    yield from member("version", str(history.version), width)
    yield from member("messages", f"{tally['messages']:,}", width)
    if tally["attachments"]:
        told = f"{tally['attachments']:,} ({number(tally['attachment_bytes'], 'byte')})"
        yield from member("attachments", told, width)
    hanging = len(history.repair_interrupted_tool_calls().messages) - len(history.messages)
    if hanging:
        yield from member("interrupted", f"{number(hanging, 'tool call')} without a result", width)
    if history.messages:
        yield ""
    for place, message in enumerate(history.messages, 1):
        yield from (cut(line, width) for line in _head(place, message))
        if text and message.content:
            yield from (_INDENT + printable(line) for line in message.content.split("\n"))


def _head(place: int, message: Message) -> Iterator[str]:
    role = message.role if message.kind == "user" else f"{message.role} ({message.kind})"
    answers = f"  answers [{printable(message.tool_call_id)}]" if message.tool_call_id else ""
    yield f"{place:4} {role:9}  {printable(message.id)}{answers}"
    for item in message.attachments:
        yield f"{_INDENT}+ {_attachment(item)}"
    for call in message.tool_calls:
        yield f"{_INDENT}-> {printable(call.name)} [{printable(call.id)}]"


def _attachment(item: Attachment) -> str:
    return f"{printable(item.filename)} ({printable(item.mime)}, {number(len(item.bytes), 'byte')})"


def value(history: History, path: str, *, text: bool) -> dict[str, Any]:
    """Return the same as a JSON value (schema/report/1.0/show.schema.json)."""
    listed = [message_value(message, digest, extra=False) for message in history.messages]
    return {
        "show_version": SHOW_VERSION,
        "path": path,
        "format": "history",
        "format_version": history.version,
        "verdict": "valid",
        "tally": _tally(history),
        "messages": listed if text else [_without_text(message) for message in listed],
    }


def _tally(history: History) -> dict[str, int]:
    items = [item for message in history.messages for item in message.attachments]
    return {
        "messages": len(history.messages),
        "attachments": len(items),
        "attachment_bytes": sum(len(item.bytes) for item in items),
    }


def _without_text(message: dict[str, Any]) -> dict[str, Any]:
    """Take what was said out: content, arguments, thinking."""
    kept = {key: item for key, item in message.items() if key not in ("content", "thinking")}
    if "tool_calls" in kept:
        kept["tool_calls"] = [{"id": call["id"], "name": call["name"]} for call in kept["tool_calls"]]
    return kept
