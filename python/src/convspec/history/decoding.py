"""From a document that was judged valid to messages."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from convspec.findings import Span
from convspec.frozen import freeze
from convspec.history.model import (
    ATTACHMENT_MEMBERS,
    CALL_MEMBERS,
    MESSAGE_MEMBERS,
    THINKING_MEMBERS,
    TOKEN_MEMBERS,
    Attachment,
    Message,
    Thinking,
    Tokens,
    ToolCall,
)
from convspec.text.scanner import ALWAYS_READ, EXACT
from convspec.text.strict_json import Parsed


def messages(document: Mapping[str, Any], stored: Mapping[str, bytes]) -> tuple[Message, ...]:
    """Return the messages of a valid document; `stored` holds the bytes of its stored attachments by `file`.

    Absent and null members get their defaults (history.md#optional-members).
    """
    return tuple(_message(value, stored) for value in document["messages"])


def with_long_integers(parsed: Parsed, data: bytes) -> Any:
    """Return the document with each integer of very many digits whole, as a `Decimal`; the parser cuts it."""
    spans = [fault.span for fault in parsed.faults if fault.rule == "json-number-precision" and fault.span]
    if all(span.end - span.start <= ALWAYS_READ for span in spans):
        return parsed.value
    return _with_digits(parsed.value, data, iter(spans))


def _with_digits(value: Any, data: bytes, spans: Iterator[Span]) -> Any:
    """Give the inexact integers their digits again. They are met in the order in which they were told."""
    if isinstance(value, dict):
        return {key: _with_digits(item, data, spans) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_digits(item, data, spans) for item in value]
    if isinstance(value, int) and not -EXACT <= value <= EXACT:
        span = next(spans)
        if span.end - span.start > ALWAYS_READ:
            return Decimal(data[span.start : span.end].decode("ascii"))
    return value


def extra(value: Mapping[str, Any], known: Iterable[str]) -> Mapping[str, Any]:
    """Return the members that the specification does not know, frozen."""
    names = frozenset(known)
    frozen: Mapping[str, Any] = freeze({key: item for key, item in value.items() if key not in names})
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
        extra=extra(value, MESSAGE_MEMBERS),
    )


def _attachment(value: Mapping[str, Any], stored: Mapping[str, bytes]) -> Attachment:
    data = value.get("data")
    return Attachment(
        mime=value["mime"],
        filename=value["filename"],
        bytes=stored[value["file"]] if data is None else base64.b64decode(data),
        extra=extra(value, ATTACHMENT_MEMBERS),
    )


def _tool_call(value: Mapping[str, Any]) -> ToolCall:
    return ToolCall(value["id"], value["name"], freeze(value["arguments"]), extra=extra(value, CALL_MEMBERS))


def _thinking(value: Mapping[str, Any]) -> Thinking:
    return Thinking(value.get("text"), value.get("signature"), extra=extra(value, THINKING_MEMBERS))


def _tokens(value: Mapping[str, Any]) -> Tokens:
    counts = {name: _count(value.get(name)) for name in TOKEN_MEMBERS}
    return Tokens(**counts, extra=extra(value, TOKEN_MEMBERS))


def _count(value: Any) -> int | None:
    """Return a count; `3.0` is 3. A double too large to be exact stays what it is."""
    return int(value) if isinstance(value, float) and value <= EXACT else value
