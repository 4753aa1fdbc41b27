"""A history as the messages of a session, to start a log from."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from convspec.converting.losses import Loss, Losses
from convspec.converting.usage import usage
from convspec.frozen import thaw
from convspec.history.encoding import dumped
from convspec.history.history import History
from convspec.history.model import Attachment, Message, ToolCall
from convspec.providers import openai_responses
from convspec.providers.leaving import REASONING_ID
from convspec.session.records import LONGEST_ID

_IMAGES = ("image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp")
_ERROR = "is_error"
_PHASE = "phase"


def to_session_messages(history: History) -> tuple[list[dict[str, Any]], tuple[Loss, ...]]:
    """Return the messages in the form in which logs keep them, each with its id, and what is not in them.

    For `SessionStore.create_from_messages`.
    """
    losses = Losses()
    names: dict[str, str] = {}
    found = []
    for message in history.messages:
        losses.at = message.id
        names |= {call.id: call.name for call in message.tool_calls}
        found.append(_message(message, names, losses))
    if history.extra:
        losses.at = None
        losses.members(history.extra)
    return found, tuple(losses.found)


def _message(message: Message, names: dict[str, str], losses: Losses) -> dict[str, Any]:
    value: dict[str, Any] = {"role": message.role}
    if message.tool_call_id is not None:
        value |= {"tool_call_id": message.tool_call_id, "name": names.get(message.tool_call_id, "")}
    value["content"] = _content(message, losses)
    if message.tool_calls:
        value["tool_calls"] = [_call(call, losses) for call in message.tool_calls]
    taken = {_ERROR} if message.role == "tool" and message.extra.get(_ERROR) is True else set()
    if taken:
        value["isError"] = True
    value |= _thinking(message, losses)
    if "response_items" in value:
        taken.add(_PHASE)
    if message.tokens is not None:
        value["usage"] = usage(message.tokens)
        losses.members(message.tokens.extra)
    if message.model_id:
        value["model"] = message.model_id
    if message.kind != "user":
        losses.add("that the program put the message in, not the user")
    losses.members(message.extra.keys() - taken)
    if len(message.id) > LONGEST_ID:
        losses.add("the id, which is too long for a log; it is new")
        return value
    return {**value, "id": message.id}


def _call(call: ToolCall, losses: Losses) -> dict[str, Any]:
    losses.members(call.extra)
    text = dumped(thaw(call.arguments), ensure_ascii=False, separators=(",", ":"))
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": text}}


def _thinking(message: Message, losses: Losses) -> dict[str, Any]:
    """Return the reasoning: its text, and sealed by OpenAI all that was said, as its API wants it back."""
    block = message.thinking
    if block is None:
        return {}
    losses.members(block.extra.keys() - {REASONING_ID})
    value = {"reasoning_summary": block.text} if block.text else {}
    if not block.signature:
        return value
    if not isinstance(block.extra.get(REASONING_ID), str) or message.role != "assistant":
        losses.add("the signature of a thinking block")
        return value
    return {**value, "response_items": openai_responses.to_messages([message]).messages}


def _content(message: Message, losses: Losses) -> Any:
    images = list(_images(message, losses))
    if not images:
        return message.content
    text = [{"type": "text", "text": message.content}] if message.content else []
    return [*text, *images]


def _images(message: Message, losses: Losses) -> Iterator[dict[str, Any]]:
    """Yield the images of a user's message; a provider takes none from a tool or the assistant."""
    for item in message.attachments:
        if message.role != "user":
            losses.add("an attachment of a message that is not the user's")
        elif item.mime.lower() not in _IMAGES:
            losses.add("an attachment that is no image a session can hold")
        else:
            losses.members(item.extra)
            yield _image(item)


def _image(item: Attachment) -> dict[str, Any]:
    data = base64.b64encode(item.bytes).decode("ascii")
    name = {"alt": item.filename} if item.filename else {}
    return {"type": "image", "data": data, "mimeType": item.mime, **name}
