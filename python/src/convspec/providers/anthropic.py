"""The messages of Anthropic: blocks of content, and roles that take turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from convspec.blank import is_blank
from convspec.frozen import thaw
from convspec.history.history import History
from convspec.history.model import Attachment, Message, Thinking, Tokens, ToolCall
from convspec.providers import arriving, files
from convspec.providers.arriving import AssistantTurn, ToolResult, UserTurn
from convspec.providers.leaving import REASONING_ID, Leaving
from convspec.providers.results import Loss, Received, Sent
from convspec.providers.shapes import Shape, ShapeError, shapes

REDACTED = "redacted"
"""An extra member of a thinking block, true where the signature is the data of `redacted_thinking`."""
IS_ERROR = "is_error"
"""An extra member of a result, true where the tool failed."""
_BLANK = "white space alone is refused: left out"


def to_messages(
    history: History | Iterable[Message], *, keep_thinking: bool = True, model: str | None = None
) -> Sent:
    """Return the history as `messages`, with alternating roles.

    Neighbours of one role become one message; in a user message results come first, as they must. Thinking
    is played back where it has a signature. With `model`, thinking of other models is withheld. Blank text
    is left out, and so is a message of which nothing remains. Calls without a result are sent as they are,
    and refused by the provider: see `History.repair_interrupted_tool_calls`. Raises ShapeError for a
    message that no history may hold.
    """
    leaving = Leaving(keep_thinking, model)
    messages: list[dict[str, Any]] = []
    for place, message in leaving.messages(history):
        blocks = list(_blocks(leaving, place, message))
        role = "assistant" if message.role == "assistant" else "user"
        if not blocks:
            leaving.lose(place, "nothing in it can be sent: left out")
        elif messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    for message_value in messages:
        message_value["content"].sort(key=lambda block: block["type"] != "tool_result")
    return Sent(messages, tuple(leaving.lost))


def _blocks(leaving: Leaving, place: str, message: Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        yield _tool_result(leaving, place, message)
        return
    if message.role == "assistant":
        yield from _thought(leaving, place, message)
        leaving.unattached(place, message)
    yield from _text(leaving, place, message)
    if message.role == "assistant":
        for call in message.tool_calls:
            yield {"type": "tool_use", "id": call.id, "name": call.name, "input": thaw(call.arguments)}
    else:
        yield from _files(leaving, place, message)


def _text(leaving: Leaving, place: str, message: Message) -> Iterator[dict[str, Any]]:
    if not is_blank(message.content):
        yield {"type": "text", "text": message.content}
    elif message.content:
        leaving.lose(f"{place}.content", _BLANK)


def _thought(leaving: Leaving, place: str, message: Message) -> Iterator[dict[str, Any]]:
    block = leaving.signed(place, message)
    if block is None:
        return
    if REASONING_ID in block.extra:
        leaving.lose(f"{place}.thinking", "sealed by another provider: withheld")
    elif block.extra.get(REDACTED) is True:
        yield {"type": "redacted_thinking", "data": block.signature}
    else:
        yield {"type": "thinking", "thinking": block.text or "", "signature": block.signature}


def _tool_result(leaving: Leaving, place: str, message: Message) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.tool_call_id}
    text, parts = list(_text(leaving, place, message)), list(_files(leaving, place, message))
    if parts:
        value["content"] = [*text, *parts]
    elif text:
        value["content"] = message.content
    if message.extra.get(IS_ERROR) is True:
        if text and not parts:
            value["is_error"] = True
        else:
            leaving.lose(f"{place}.{IS_ERROR}", "a failure is told by text alone: the mark is left out")
    return value


def _files(leaving: Leaving, place: str, message: Message) -> Iterator[dict[str, Any]]:
    for below, attachment in leaving.attachments(place, message):
        kind, text = files.media_type(attachment), files.written(attachment)
        title = {"title": attachment.filename} if attachment.filename else {}
        if kind in files.IMAGES:
            source = {"type": "base64", "media_type": kind, "data": files.encoded(attachment)}
            yield {"type": "image", "source": source}
        elif kind == files.PDF:
            source = {"type": "base64", "media_type": kind, "data": files.encoded(attachment)}
            yield {"type": "document", "source": source, **title}
        elif text is not None:
            source = {"type": "text", "media_type": "text/plain", "data": text}
            yield {"type": "document", "source": source, **title}
        else:
            leaving.lose(below, "a message takes no files of this kind")


def from_messages(messages: Iterable[Any], *, model: str | None = None) -> Received:
    """Return the messages of a list in Anthropic's shape, SDK objects included.

    Each gets a new id; those of the assistant get `model`. System messages are left out, and named in
    `lost`. Raises ShapeError.
    """
    lost: list[Loss] = []
    found: list[Message] = []
    for item in shapes(messages, "messages", lost):
        role = item.word("role")
        if role == "user":
            found += _user(item)
        elif role == "assistant":
            found += _said(item, AssistantTurn(model)).messages()
            item.close(*_ANSWER)
        else:
            arriving.not_said(item, role, ("system",))
    return Received(tuple(found), tuple(lost))


def from_response(response: Any) -> Received:
    """Return the messages of an answer, with its model and, on the last, its tokens. Raises ShapeError.

    It is one message, or several if it has several thinking blocks.
    """
    lost: list[Loss] = []
    whole = Shape(response, "response", lost)
    if whole.get("content") is None:
        raise ShapeError(whole.at("content"), "missing")
    turn = _said(whole, AssistantTurn(whole.text("model")))
    return Received(tuple(turn.messages(_tokens(whole.child("usage")))), tuple(lost))


_ANSWER = (
    "id",
    "type",
    "model",
    "usage",
    "stop_reason",
    "stop_sequence",
    "stop_details",
    "container",
    "diagnostics",
)
"""What an answer has more than a message: it may be passed back as one."""


def _tokens(usage: Shape | None) -> Tokens | None:
    if usage is None:
        return None
    return Tokens(
        input=arriving.count(usage, "input_tokens"),
        output=arriving.count(usage, "output_tokens"),
        cached=arriving.count(usage, "cache_read_input_tokens"),
        cache_creation=arriving.count(usage, "cache_creation_input_tokens"),
        thinking=arriving.count(usage.child("output_tokens_details"), "thinking_tokens"),
    )


def _said(item: Shape, turn: AssistantTurn) -> AssistantTurn:
    def part(shape: Shape) -> None:
        kind = shape.word("type")
        if kind == "text":
            turn.say(shape.text("text") or "")
        elif kind == "thinking":
            turn.think(Thinking(shape.text("thinking"), shape.text("signature")), shape)
        elif kind == "redacted_thinking":
            turn.think(Thinking(None, shape.filled("data"), extra={REDACTED: True}), shape)
        elif kind == "tool_use":
            turn.call(ToolCall(shape.filled("id"), shape.filled("name"), shape.object("input")))
            arriving.called(shape)
        else:
            arriving.unknown(shape)
            return
        shape.close("cache_control")

    arriving.contents(item, "content", turn.say, part)
    return turn


def _user(item: Shape) -> list[Message]:
    turn = UserTurn()

    def part(shape: Shape) -> None:
        if shape.word("type") == "tool_result":
            turn.cut()
            turn.messages.append(_result(shape))
        else:
            _part(shape, turn)

    if not arriving.contents(item, "content", turn.say, part):
        turn.say("")
    turn.cut()
    item.close()
    return turn.messages


def _result(shape: Shape) -> Message:
    id, result = shape.filled("tool_use_id"), ToolResult()
    arriving.contents(shape, "content", result.say, lambda part: _part(part, result))
    failed = {IS_ERROR: True} if shape.get("is_error") is True else {}
    shape.close("cache_control")
    return result.message(id, **failed)


def _part(shape: Shape, turn: UserTurn | ToolResult) -> None:
    kind = shape.word("type")
    if kind == "text":
        turn.say(shape.text("text") or "")
        shape.close("cache_control")
    elif kind in ("image", "document") and (source := shape.child("source")) is not None:
        turn.attach(_file(source, shape.text("title") if kind == "document" else None))
        shape.close("cache_control", "citations")
    else:
        arriving.unknown(shape)


def _file(source: Shape, filename: str | None) -> Attachment | None:
    kind, mime = source.word("type"), (source.text("media_type") or "").strip().lower()
    if kind == "base64":
        return files.named(mime, files.decoded(source, "data"), filename)
    if kind == "text":
        return files.named(mime or "text/plain", files.in_utf8(source, "data"), filename)
    source.lose("its bytes are not here")
    return None
