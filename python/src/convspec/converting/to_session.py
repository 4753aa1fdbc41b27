"""A history as the messages of a session, to start a log from."""

from __future__ import annotations

import base64
import json
from typing import Any

from convspec.converting.losses import Loss, Losses
from convspec.frozen import thaw
from convspec.history.history import History
from convspec.history.model import Attachment, Message

_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def to_session_messages(history: History) -> tuple[list[dict[str, Any]], tuple[Loss, ...]]:
    """Return the messages in the form in which logs keep them, each with its id, and what is not in them."""
    losses = Losses()
    names: dict[str, str] = {}
    found = []
    for message in history.messages:
        losses.at = message.id
        names |= {call.id: call.name for call in message.tool_calls}
        found.append(_message(message, names, losses))
    return found, tuple(losses.found)


def _message(message: Message, names: dict[str, str], losses: Losses) -> dict[str, Any]:
    value: dict[str, Any] = {"role": message.role}
    if message.role == "tool":
        value |= {"tool_call_id": message.tool_call_id, "name": names.get(message.tool_call_id or "", "")}
    value["content"] = _content(message, losses)
    if message.tool_calls:
        value["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.dumps(thaw(call.arguments), ensure_ascii=False, separators=(",", ":")),
                },
            }
            for call in message.tool_calls
        ]
    if message.thinking is not None:
        if message.thinking.text:
            value["reasoning_summary"] = message.thinking.text
        if message.thinking.signature:
            losses.add("the signature of a thinking block")
    if message.tokens is not None:
        value["usage"] = _usage(message)
        if message.tokens.thinking is not None:
            losses.add("the number of tokens of reasoning")
    if message.model_id is not None:
        value["model"] = message.model_id
    if message.kind != "user":
        losses.add("that the host put the message in")
    losses.members(list(message.extra))
    return {**value, "id": message.id}


def _content(message: Message, losses: Losses) -> Any:
    images = [item for item in message.attachments if item.mime.lower() in _IMAGES]
    if len(images) < len(message.attachments):
        losses.add("attachments that are no image a session can hold")
    if images and message.role != "user":
        losses.add("images of a message that is not the user's")
        images = []
    if not images:
        return message.content
    losses.add("the names of attachments")
    text = [{"type": "text", "text": message.content}] if message.content else []
    return [*text, *(_image(item) for item in images)]


def _image(item: Attachment) -> dict[str, Any]:
    data = base64.b64encode(item.bytes).decode("ascii")
    return {"type": "image", "media_type": item.mime.lower(), "data": data}


def _usage(message: Message) -> dict[str, Any]:
    tokens = message.tokens
    assert tokens is not None
    counts = {
        "input_tokens": tokens.input or 0,
        "output_tokens": tokens.output or 0,
        "cache_read_tokens": tokens.cached or 0,
        "cache_write_tokens": tokens.cache_creation or 0,
    }
    return {**counts, "total_tokens": sum(counts.values()), "estimated": False}
