"""The items of OpenAI's responses: what goes in as `input`, and what comes out as `output`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from convspec.history.history import History
from convspec.history.model import Message, Thinking, Tokens, ToolCall
from convspec.providers import arriving, files
from convspec.providers.arriving import AssistantTurn, ToolResult, UserTurn
from convspec.providers.leaving import REASONING_ID, Leaving, arguments_text
from convspec.providers.results import Loss, Received, Sent
from convspec.providers.shapes import Shape, ShapeError, shapes

_PHASES = ("commentary", "final_answer")
_SAID = ("function_call", "reasoning", "image_generation_call")


def to_messages(
    history: History | Iterable[Message], *, keep_thinking: bool = True, model: str | None = None
) -> Sent:
    """Return the history as the items of an `input`.

    Thinking becomes a reasoning item where it has a signature, which is OpenAI's encrypted content, and the
    id of the item, which `from_response` keeps as an extra member. With `model`, thinking of other models
    is withheld. Calls without a result are sent as they are, and refused by the provider: see
    `History.repair_interrupted_tool_calls`. Raises ShapeError for a message that no history may hold.
    """
    leaving = Leaving(keep_thinking, model)
    items: list[dict[str, Any]] = []
    for place, message in leaving.messages(history):
        if message.role == "assistant":
            items += _assistant(leaving, place, message)
            continue
        content: Any = message.content
        parts = list(_files(leaving, place, message))
        if parts:
            text = [{"type": "input_text", "text": message.content}] if message.content else []
            content = [*text, *parts]
        if message.role == "user":
            items.append({"type": "message", "role": "user", "content": content})
        else:
            call_id = message.tool_call_id
            items.append({"type": "function_call_output", "call_id": call_id, "output": content})
    return Sent(items, tuple(leaving.lost))


def _assistant(leaving: Leaving, place: str, message: Message) -> Iterator[dict[str, Any]]:
    leaving.unattached(place, message)
    block = leaving.signed(place, message)
    id = None if block is None else block.extra.get(REASONING_ID)
    if block is not None and not (isinstance(id, str) and id):
        leaving.lose(f"{place}.thinking", "not a reasoning item of OpenAI, or its id was not kept")
        block = None
    if block is not None:
        summary = [{"type": "summary_text", "text": block.text}] if block.text else []
        yield {"type": "reasoning", "id": id, "summary": summary, "encrypted_content": block.signature}
    if message.content or not (block or message.tool_calls):
        phase = message.extra.get("phase")
        yield {
            "type": "message",
            "role": "assistant",
            "content": message.content,
            **({"phase": phase} if phase in _PHASES else {}),
        }
    for call in message.tool_calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": arguments_text(call),
        }


def _files(leaving: Leaving, place: str, message: Message) -> Iterator[dict[str, Any]]:
    for below, attachment in leaving.attachments(place, message):
        if files.media_type(attachment) in files.IMAGES:
            yield {"type": "input_image", "image_url": files.data_url(attachment), "detail": "auto"}
        elif files.is_document(attachment):
            name = attachment.filename or "attachment"
            yield {"type": "input_file", "filename": name, "file_data": files.data_url(attachment)}
        else:
            leaving.lose(below, "an input takes no files of this kind")


def from_messages(items: Iterable[Any], *, model: str | None = None) -> Received:
    """Return the messages of a list of items, of inputs and outputs, SDK objects included.

    Each gets a new id; those of the assistant get `model`. What the assistant said between two items of
    others is one message, or several if it has several reasoning items or texts. System and developer
    messages are left out, and named in `lost`. Raises ShapeError.
    """
    lost: list[Loss] = []
    return Received(tuple(_read(shapes(items, "items", lost), model)), tuple(lost))


def from_response(response: Any) -> Received:
    """Return the messages of a response, with its model and, on the last, its tokens. Raises ShapeError."""
    lost: list[Loss] = []
    whole = Shape(response, "response", lost)
    if whole.get("output") is None:
        raise ShapeError(whole.at("output"), "missing")
    model, tokens = whole.text("model"), _tokens(whole.child("usage"))
    found = list(_read(whole.children("output"), model))
    last = max((index for index, one in enumerate(found) if one.role == "assistant"), default=None)
    if last is None:
        found += AssistantTurn(model).messages(tokens)
    else:
        found[last] = replace(found[last], tokens=tokens)
    return Received(tuple(found), tuple(lost))


def _tokens(usage: Shape | None) -> Tokens | None:
    return arriving.openai_tokens(
        usage,
        prompt="input_tokens",
        reply="output_tokens",
        prompt_details="input_tokens_details",
        reply_details="output_tokens_details",
    )


def _read(items: Iterator[Shape], model: str | None) -> Iterator[Message]:
    turn: AssistantTurn | None = None
    for item in items:
        kind, role = item.word("type"), item.word("role")
        if kind in _SAID or (kind in ("", "message") and role == "assistant"):
            turn = turn or AssistantTurn(model)
            _say(item, kind, turn)
            continue
        others = list(_heard(item, kind, role))
        if others and turn is not None:
            yield from turn.messages()
            turn = None
        yield from others
    if turn is not None:
        yield from turn.messages()


def _say(item: Shape, kind: str, turn: AssistantTurn) -> None:
    if kind == "function_call":
        arguments = arriving.parsed_arguments(item, "arguments")
        turn.call(ToolCall(item.filled("call_id"), item.filled("name"), arguments))
        arriving.called(item)
        item.close("id", "status")
    elif kind == "reasoning":
        turn.think(_thinking(item), item)
        item.close("status")
    elif kind == "image_generation_call":
        if item.has("result"):
            mime = f"image/{item.word('output_format') or 'png'}"
            turn.attach(files.named(mime, files.decoded(item, "result")))
        else:
            item.lose("there is no picture in it")
        item.close("id", "status")
    else:
        _message(item, turn)


def _thinking(item: Shape) -> Thinking:
    summary = [part.text("text") or "" for part in item.children("summary")]
    content = [part.text("text") or "" for part in item.children("content")]
    if summary and content:
        item.lose("there is a summary; that is kept", "content")
    text = "\n\n".join(summary or content)
    id = item.text("id")
    extra = {REASONING_ID: id} if id else {}
    return Thinking(text or None, item.text("encrypted_content"), extra=extra)


def _message(item: Shape, turn: AssistantTurn) -> None:
    texts: list[str] = []
    arriving.contents(
        item, "content", texts.append, lambda part: arriving.written(part, texts.append, "output_text")
    )
    phase = item.word("phase")
    turn.say("".join(texts), apart=True, extra={"phase": phase} if phase else None)
    item.close("id", "status")


def _heard(item: Shape, kind: str, role: str) -> Iterator[Message]:
    if kind == "function_call_output":
        yield _result(item)
    elif kind in ("", "message") and role == "user":
        turn = UserTurn()
        if not arriving.contents(item, "content", turn.say, lambda part: _part(part, turn)):
            turn.say("")
        turn.cut()
        item.close("id", "status")
        yield from turn.messages
    elif kind in ("", "message") and role in ("system", "developer"):
        item.lose(arriving.NO_PROMPT)
    elif kind or role:
        arriving.unknown(item)
    else:
        raise ShapeError(item.place, "it has neither a type nor a role")


def _result(item: Shape) -> Message:
    id, result = item.filled("call_id"), ToolResult()
    arriving.contents(item, "output", result.say, lambda part: _part(part, result))
    item.close("id", "status", "name")
    return result.message(id)


def _part(shape: Shape, turn: UserTurn | ToolResult) -> None:
    kind = shape.word("type")
    if kind == "input_text":
        turn.say(shape.text("text") or "")
    elif kind == "input_image" and shape.has("image_url"):
        turn.attach(files.from_url(shape, "image_url"))
    elif kind == "input_file" and not shape.has("file_url"):
        turn.attach(files.from_file(shape))
    elif kind == "input_audio" and (sound := shape.child("input_audio")) is not None:
        turn.attach(files.spoken(sound))
    elif kind in ("input_image", "input_file"):
        shape.lose("its bytes are not here")
        return
    else:
        arriving.unknown(shape)
        return
    shape.close("detail", "prompt_cache_breakpoint", "file_id")
