"""What the ways back from the three providers share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from convspec.frozen import FrozenMap
from convspec.history.minting import mint_id
from convspec.history.model import Attachment, Message, Thinking, Tokens, ToolCall
from convspec.providers.shapes import Shape, ShapeError, json_object

NO_PROMPT = "a history holds no system prompt"
REFUSED = "the text is kept, not that it was a refusal"


class UserTurn:
    """Gathers the parts of a user message. A text behind a text begins a message of its own.

    So texts are never glued together, and what `to_messages` merged comes apart again.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._text: str | None = None
        self._attachments: list[Attachment] = []

    def say(self, text: str) -> None:
        """Take a text."""
        if self._text is not None:
            self.cut()
        self._text = text

    def attach(self, attachment: Attachment | None) -> None:
        """Take a file, if it is one."""
        if attachment is not None:
            self._attachments.append(attachment)

    def cut(self) -> None:
        """End the message that has begun, if one has."""
        if self._text is not None or self._attachments:
            text, attachments = self._text or "", tuple(self._attachments)
            self.messages.append(Message(mint_id(), "user", text, attachments=attachments))
        self._text, self._attachments = None, []


class AssistantTurn:
    """Gathers what the assistant said in one turn, and cuts it into messages of one thinking block each.

    Calls stay in one message, or a repair would take the first of them for interrupted.
    """

    def __init__(self, model: str | None) -> None:
        self.model = model
        self._done: list[dict[str, Any]] = []
        self._begin()

    def _begin(self) -> None:
        self._thinking: Thinking | None = None
        self._texts: list[str] = []
        self._calls: list[ToolCall] = []
        self._attachments: list[Attachment] = []
        self._extra: dict[str, Any] = {}

    def think(self, block: Thinking, shape: Shape) -> None:
        """Take a thinking block."""
        if self._calls:
            shape.lose("reasoning behind a call: a message has one block, in front of its calls")
            return
        self._cut()
        self._thinking = block

    def say(self, text: str, *, apart: bool = False, extra: Mapping[str, Any] | None = None) -> None:
        """Take a text; `apart` tells one that was a message by itself."""
        if apart and self._texts and self._calls:
            self._texts.append("\n\n")
        elif apart and self._texts:
            self._cut()
        self._texts.append(text)
        self._extra.update(extra or {})

    def call(self, call: ToolCall) -> None:
        """Take a tool call."""
        self._calls.append(call)

    def attach(self, attachment: Attachment) -> None:
        """Take a file that the model made."""
        self._attachments.append(attachment)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was taken since the last message ended."""
        return not (self._thinking or self._texts or self._calls or self._attachments)

    def _cut(self) -> None:
        if not self.is_empty:
            self._end()

    def _end(self) -> None:
        self._done.append(
            {
                "content": "".join(self._texts),
                "thinking": self._thinking,
                "tool_calls": tuple(self._calls),
                "attachments": tuple(self._attachments),
                "extra": self._extra,
            }
        )
        self._begin()

    def messages(self, tokens: Tokens | None = None) -> list[Message]:
        """Return the messages, at least one. The last one has the tokens of the whole turn."""
        if not self.is_empty or not self._done:
            self._end()
        counts = [None] * (len(self._done) - 1) + [tokens]
        return [
            Message(mint_id(), "assistant", model_id=self.model, tokens=count, **members)
            for members, count in zip(self._done, counts, strict=True)
        ]


class ToolResult:
    """Gathers the parts of a result. Its texts are joined by line feeds."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._attachments: list[Attachment] = []

    def say(self, text: str) -> None:
        """Take a text."""
        self._texts.append(text)

    def attach(self, attachment: Attachment | None) -> None:
        """Take a file, if it is one."""
        if attachment is not None:
            self._attachments.append(attachment)

    def message(self, call_id: str, **extra: Any) -> Message:
        """Return the message."""
        text, files = "\n".join(self._texts), tuple(self._attachments)
        return Message(mint_id(), "tool", text, tool_call_id=call_id, attachments=files, extra=extra)


def contents(item: Shape, name: str, say: Callable[[str], object], part: Callable[[Shape], object]) -> bool:
    """Read text, or a list of parts, of which `part` takes each; say whether anything was there."""
    value = item.get(name)
    if value is None or isinstance(value, str):
        if value is not None:
            say(value)
        return value is not None
    found = False
    for shape in item.children(name):
        part(shape)
        found = True
    return found


def written(shape: Shape, say: Callable[[str], object], kind: str = "text") -> None:
    """Read a part that is text of this kind, or the text of a refusal."""
    found = shape.word("type")
    if found not in (kind, "refusal"):
        unknown(shape)
        return
    if found == "refusal":
        shape.lose(REFUSED)
    say(shape.text("refusal" if found == "refusal" else "text") or "")
    shape.close("logprobs", "prompt_cache_breakpoint", "cache_control")


def called(shape: Shape) -> None:
    """Read how a call was made: by the model itself, or by a program of its own, which is noted as lost."""
    caller = shape.child("caller")
    if caller is not None and caller.word("type") != "direct":
        shape.lose("a history has no place for it", "caller")


def unknown(shape: Shape) -> None:
    """Note a part of a kind that is not known as lost."""
    kind = shape.word("type") or shape.word("role")
    shape.lose(f"a history has no place for {kind}" if kind else "it is of no known kind")


def not_said(shape: Shape, role: str | None, prompts: tuple[str, ...]) -> None:
    """Note a message that is nobody's in a history as lost: a prompt, or one of no known role.

    Raises ShapeError where there is no role.
    """
    if role in prompts:
        shape.lose(NO_PROMPT)
    elif role:
        unknown(shape)
    else:
        raise ShapeError(shape.at("role"), "missing, or no role")


def parsed_arguments(shape: Shape, name: str) -> FrozenMap:
    """Return the arguments that stand in a string of JSON; "" are none. Raises ShapeError."""
    text = shape.text(name) or ""
    if not text.strip():
        return FrozenMap()
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise ShapeError(shape.at(name), "the arguments are not valid JSON") from None
    return json_object(value, shape.at(name))


def _no_number(_: str) -> None:
    raise ValueError("no JSON")


def count(usage: Shape | None, name: str) -> int | None:
    """Return a count of tokens, or None where it is not given."""
    value = None if usage is None else usage.get(name)
    if usage is None or value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    usage.lose("not a count", name)
    return None


def openai_tokens(
    usage: Shape | None, *, prompt: str, reply: str, prompt_details: str, reply_details: str
) -> Tokens | None:
    """Return the tokens of a turn as OpenAI counts them.

    There the prompt holds what the cache gave and what it took, here the three are apart. The reply holds
    the reasoning, here as there.
    """
    if usage is None:
        return None
    details = usage.child(prompt_details)
    cached, written = count(details, "cached_tokens"), count(details, "cache_write_tokens")
    whole = count(usage, prompt)
    return Tokens(
        input=None if whole is None else max(0, whole - (cached or 0) - (written or 0)),
        output=count(usage, reply),
        cached=cached,
        cache_creation=written,
        thinking=count(usage.child(reply_details), "reasoning_tokens"),
    )
