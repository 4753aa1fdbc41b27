"""The messages of OpenAI's chat completions, which many other servers take as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Any

from convspec.history.history import History
from convspec.history.model import Attachment, Message, Thinking, Tokens, ToolCall
from convspec.providers import arriving, files
from convspec.providers.arriving import AssistantTurn, ToolResult, UserTurn
from convspec.providers.leaving import Leaving, arguments_text
from convspec.providers.results import Loss, Received, Sent
from convspec.providers.shapes import Shape, ShapeError, shapes

_REASONING = ("reasoning_content", "reasoning")


def to_messages(
    history: History | Iterable[Message],
    *,
    keep_thinking: bool = True,
    model: str | None = None,
    thinking_key: str | None = None,
) -> Sent:
    """Return the history as `messages` for a chat completion.

    OpenAI has no place for thinking here. Some compatible servers do: `thinking_key` names the member that
    holds its text, such as `reasoning_content`. With `model`, thinking of other models is withheld.
    Attachments of results go into user messages behind the run of results. Calls without a result are sent
    as they are, and refused by the provider: see `History.repair_interrupted_tool_calls`.
    Raises ShapeError for a message that no history may hold.
    """
    leaving = Leaving(keep_thinking, model)
    messages: list[dict[str, Any]] = []
    behind: list[dict[str, Any]] = []  # what follows the results that are being read
    for place, message in leaving.messages(history):
        if message.role == "tool":
            messages.append(
                {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
            )
            parts = list(_files(leaving, place, message))
            if parts:
                leaving.lose(
                    f"{place}.attachments", "a result holds text only: sent in a user message behind it"
                )
                behind.append({"role": "user", "content": parts})
            continue
        messages += behind
        behind = []
        if message.role == "user":
            parts = list(_files(leaving, place, message))
            text = [{"type": "text", "text": message.content}] if message.content else []
            messages.append({"role": "user", "content": [*text, *parts] if parts else message.content})
        else:
            messages.append(_assistant(leaving, place, message, thinking_key))
    return Sent(messages + behind, tuple(leaving.lost))


def _assistant(leaving: Leaving, place: str, message: Message, thinking_key: str | None) -> dict[str, Any]:
    leaving.unattached(place, message)
    value: dict[str, Any] = {"role": "assistant", "content": message.content or None}
    if message.tool_calls:
        value["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text(call)},
            }
            for call in message.tool_calls
        ]
    else:
        value["content"] = message.content
    block = leaving.thinking(place, message)
    if block is not None:
        if thinking_key is not None and block.text:
            value[thinking_key] = block.text
        if thinking_key is None or not block.text:
            leaving.lose(f"{place}.thinking", "a chat message has no place for it")
        elif block.signature:
            leaving.lose(f"{place}.thinking.signature", "a chat message has no place for it")
    return value


def _files(leaving: Leaving, place: str, message: Message) -> Iterator[dict[str, Any]]:
    for below, attachment in leaving.attachments(place, message):
        sound, text = files.audio_format(attachment), files.written(attachment)
        if files.media_type(attachment) in files.IMAGES:
            yield {"type": "image_url", "image_url": {"url": files.data_url(attachment)}}
        elif files.media_type(attachment) == files.PDF:
            name = attachment.filename or "attachment.pdf"
            yield {"type": "file", "file": {"filename": name, "file_data": files.data_url(attachment)}}
        elif sound is not None:
            yield {
                "type": "input_audio",
                "input_audio": {"data": files.encoded(attachment), "format": sound},
            }
        elif text is not None:
            leaving.lose(below, "a chat message takes no text files: its text is sent")
            yield {"type": "text", "text": _as_text(attachment, text)}
        else:
            leaving.lose(below, "a chat message takes no files of this kind")


def _as_text(attachment: Attachment, text: str) -> str:
    return f'<file name="{escape(attachment.filename)}">\n{text}\n</file>'


def from_messages(messages: Iterable[Any], *, model: str | None = None) -> Received:
    """Return the messages of a list in the shape of chat completions, SDK objects included.

    Each gets a new id; those of the assistant get `model`. System and developer messages are left out, and
    named in `lost`. Raises ShapeError.
    """
    lost: list[Loss] = []
    found: list[Message] = []
    elsewhere: set[str] = set()  # ids of calls that are not carried; their results are not either
    for item in shapes(messages, "messages", lost):
        role = item.word("role")
        if role == "user":
            found += _user(item)
        elif role == "assistant":
            found += _said(item, AssistantTurn(model), elsewhere)
        elif role == "tool":
            found += _result(item, elsewhere)
        else:
            arriving.not_said(item, role, ("system", "developer"))
    return Received(tuple(found), tuple(lost))


def from_response(response: Any) -> Received:
    """Return the message of a chat completion, with its model and tokens. Raises ShapeError.

    Of several choices the first is taken.
    """
    lost: list[Loss] = []
    whole = Shape(response, "response", lost)
    choices = list(whole.children("choices"))
    if not choices:
        raise ShapeError(whole.at("choices"), "there is none")
    for other in choices[1:]:
        other.lose("only the first choice is taken")
    message = choices[0].child("message")
    if message is None:
        raise ShapeError(choices[0].at("message"), "missing")
    message.get("role")
    turn = AssistantTurn(whole.text("model"))
    return Received(tuple(_said(message, turn, set(), _tokens(whole.child("usage")))), tuple(lost))


def _tokens(usage: Shape | None) -> Tokens | None:
    return arriving.openai_tokens(
        usage,
        prompt="prompt_tokens",
        reply="completion_tokens",
        prompt_details="prompt_tokens_details",
        reply_details="completion_tokens_details",
    )


def _user(item: Shape) -> list[Message]:
    turn = UserTurn()
    if not arriving.contents(item, "content", turn.say, lambda part: _part(part, turn)):
        turn.say("")
    turn.cut()
    item.close()
    return turn.messages


def _part(shape: Shape, turn: UserTurn) -> None:
    kind = shape.word("type")
    if kind == "text":
        turn.say(shape.text("text") or "")
    elif kind in _FILES and (below := shape.child(kind)) is not None:
        turn.attach(_FILES[kind](below))
        below.close("detail", "file_id")
    else:
        arriving.unknown(shape)
        return
    shape.close("prompt_cache_breakpoint", "cache_control")


_FILES: dict[str, Callable[[Shape], Attachment | None]] = {
    "image_url": lambda below: files.from_url(below, "url"),
    "input_audio": files.spoken,
    "file": files.from_file,
}


def _said(
    item: Shape, turn: AssistantTurn, elsewhere: set[str], tokens: Tokens | None = None
) -> list[Message]:
    texts: list[str] = []
    arriving.contents(item, "content", texts.append, lambda part: arriving.written(part, texts.append))
    refusal = item.text("refusal")
    if refusal:
        item.lose(arriving.REFUSED, "refusal")
        texts.append(refusal)
    sound = item.child("audio")
    if sound is not None:
        item.lose("the sound is not carried, only what was said", "audio")
        texts += [] if any(texts) else [sound.text("transcript") or ""]
    reasoning = [item.text(name) for name in _REASONING]
    if any(reasoning):
        turn.think(Thinking(text=reasoning[0] or reasoning[1]), item)
    turn.say("".join(texts))
    for call in item.children("tool_calls"):
        _call(call, turn, elsewhere)
    item.close()
    return turn.messages(tokens)


def _call(call: Shape, turn: AssistantTurn, elsewhere: set[str]) -> None:
    function = call.child("function")
    id = call.filled("id")
    if function is None:
        elsewhere.add(id)
        call.lose("a call without arguments in JSON has no place in a history; its result neither")
        return
    elsewhere.discard(id)
    turn.call(ToolCall(id, function.filled("name"), arriving.parsed_arguments(function, "arguments")))
    function.close()
    call.close("type", "index")


def _result(item: Shape, elsewhere: set[str]) -> list[Message]:
    id, result = item.filled("tool_call_id"), ToolResult()
    if id in elsewhere:
        item.lose("the result of a call that is not carried")
        return []
    arriving.contents(item, "content", result.say, lambda part: arriving.written(part, result.say))
    item.close("name")
    return [result.message(id)]
