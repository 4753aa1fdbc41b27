"""From a document that was judged valid to messages."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from convspec.frozen import freeze
from convspec.history.model import Attachment, Message, Thinking, Tokens, ToolCall
from convspec.schema_faults import value_at
from convspec.text.scanner import ALWAYS_READ, EXACT
from convspec.text.strict_json import Parsed

_COUNTS = ("input", "output", "cached", "cache_creation", "thinking")


def messages(document: Mapping[str, Any], stored: Mapping[str, bytes]) -> tuple[Message, ...]:
    """Return the messages of a valid document; `stored` holds the bytes of its stored attachments by `file`.

    Absent and null members get their defaults (history.md#optional-members).
    """
    return tuple(_message(value, stored) for value in document["messages"])


def with_long_integers(parsed: Parsed, data: bytes) -> Any:
    """Return the document with each integer of very many digits whole, as a `Decimal`; the parser cuts it."""
    document = parsed.value
    for fault in parsed.faults:
        span = fault.span
        if fault.rule == "json-number-precision" and span and span.end - span.start > ALWAYS_READ:
            path = fault.path or ()
            holder = value_at(document, path[:-1])
            holder[path[-1]] = Decimal(data[span.start : span.end].decode("ascii"))
    return document


def extra(value: Mapping[str, Any], known: Iterable[str]) -> Mapping[str, Any]:
    """Return the members that the specification does not know, frozen."""
    frozen: Mapping[str, Any] = freeze({key: item for key, item in value.items() if key not in set(known)})
    return frozen


def _message(value: Mapping[str, Any], stored: Mapping[str, bytes]) -> Message:
    thinking, tokens = value.get("thinking"), value.get("tokens")
    return Message(
        id=value["id"],
        role=value["role"],
        content=value["content"],
        kind=value.get("kind") or "user",
        attachments=tuple(_attachment(item, stored) for item in value.get("attachments") or ()),
        tool_calls=tuple(_tool_call(item) for item in value.get("tool_calls") or ()),
        tool_call_id=value.get("tool_call_id"),
        model_id=value.get("model_id"),
        thinking=None if thinking is None else _thinking(thinking),
        tokens=None if tokens is None else _tokens(tokens),
        extra=extra(value, Message.__dataclass_fields__),
    )


def _attachment(value: Mapping[str, Any], stored: Mapping[str, bytes]) -> Attachment:
    data = value.get("data")
    return Attachment(
        mime=value["mime"],
        filename=value["filename"],
        bytes=stored[value["file"]] if data is None else base64.b64decode(data),
        extra=extra(value, ("mime", "filename", "data", "file", "sha256")),
    )


def _tool_call(value: Mapping[str, Any]) -> ToolCall:
    members = ("id", "name", "arguments")
    return ToolCall(value["id"], value["name"], freeze(value["arguments"]), extra=extra(value, members))


def _thinking(value: Mapping[str, Any]) -> Thinking:
    return Thinking(value.get("text"), value.get("signature"), extra=extra(value, ("text", "signature")))


def _tokens(value: Mapping[str, Any]) -> Tokens:
    counts = {name: _count(value.get(name)) for name in _COUNTS}
    return Tokens(**counts, extra=extra(value, _COUNTS))


def _count(value: Any) -> int | None:
    """Return a count; `3.0` is 3. A double too large to be exact stays what it is."""
    return int(value) if isinstance(value, float) and value <= EXACT else value
