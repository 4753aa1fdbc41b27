"""From messages to a document and its text, in the one form that writers use.

Members that have their default are left out, so that absent, null and default come to the same, and a
line changes only where the conversation does.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from convspec.frozen import thaw
from convspec.history.model import ATTACHMENTS_DIR, THINKING_MEMBERS, TOKEN_MEMBERS, Attachment, Message

_LONG = 2000  # bits; Python writes integers of at least 640 digits whatever limit is set

Bytes = Callable[[Attachment], dict[str, Any]]
"""Returns the members that stand for the bytes of an attachment."""


def inline(attachment: Attachment) -> dict[str, Any]:
    """Give the bytes in base64 (history.md#inline)."""
    return {"data": base64.b64encode(attachment.bytes).decode("ascii")}


def stored(attachment: Attachment) -> dict[str, Any]:
    """Name the file that keeps the bytes, and their digest (history.md#stored)."""
    return {"file": f"{ATTACHMENTS_DIR}/{attachment.stored_name}", "sha256": attachment.sha256}


def document(
    version: int, messages: Iterable[Message], as_bytes: Bytes, extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the document as dicts and lists that belong to the caller."""
    return {
        "version": version,
        "messages": [message_value(message, as_bytes) for message in messages],
        **thaw(extra or {}),
    }


def message_value(message: Message, as_bytes: Bytes, *, extra: bool = True) -> dict[str, Any]:
    """Return one message; without `extra`, only the members that the specification knows."""

    def beside(value: Any) -> dict[str, Any]:
        return thaw(value.extra) if extra else {}

    value: dict[str, Any] = {"id": message.id, "role": message.role}
    if message.kind != "user":
        value["kind"] = message.kind
    value["content"] = message.content
    if message.attachments:
        value["attachments"] = [
            {"mime": item.mime, "filename": item.filename, **as_bytes(item), **beside(item)}
            for item in message.attachments
        ]
    if message.tool_calls:
        value["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": thaw(call.arguments), **beside(call)}
            for call in message.tool_calls
        ]
    for name in ("tool_call_id", "model_id"):
        if getattr(message, name) is not None:
            value[name] = getattr(message, name)
    for name, members in _BLOCKS.items():
        block = getattr(message, name)
        if block is not None:
            given = {member: getattr(block, member) for member in members}
            value[name] = {**{key: item for key, item in given.items() if item is not None}, **beside(block)}
    return {**value, **beside(message)}


_BLOCKS = {"thinking": THINKING_MEMBERS, "tokens": TOKEN_MEMBERS}


def text(value: object) -> str:
    """Write a document over many lines, so that versions of it differ a turn at a time.

    There is no newline at the end.
    """
    return dumped(value, indent=2, ensure_ascii=False)


def dumped(value: object, **options: Any) -> str:
    """Write JSON with the options of `json.dumps`, integers of any length included."""
    long: list[str] = []
    mark = secrets.token_hex(16)

    def marked(item: Any) -> Any:
        if isinstance(item, Mapping):
            return {key: marked(below) for key, below in item.items()}
        if isinstance(item, list | tuple):
            return [marked(below) for below in item]
        if isinstance(item, Decimal) or (isinstance(item, int) and item.bit_length() > _LONG):
            long.append(format(Decimal(item), "f"))
            return f"{mark}:{len(long) - 1}"
        return item

    written = json.dumps(marked(value), allow_nan=False, **options)
    return re.sub(f'"{mark}:([0-9]+)"', lambda found: long[int(found[1])], written) if long else written
