"""The active branch of a session as a history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from convspec.converting.losses import Loss, Losses
from convspec.converting.parts import Content, content, whole
from convspec.frozen import Foreign, freeze
from convspec.history.history import History
from convspec.history.minting import mint_id
from convspec.history.model import Message, Thinking, Tokens, ToolCall
from convspec.session.view import SessionReading

_RESULTS = ("tool", "toolResult")
_SUMMARIES = ("compactionSummary", "branchSummary")
_USAGE = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cached": "cache_read_tokens",
    "cache_creation": "cache_write_tokens",
}
_CARRIED = frozenset(
    (
        "role", "id", "content", "tool_calls", "toolCalls", "tool_call_id", "toolCallId", "name", "toolName",
        "model", "usage", "reasoning_summary", "summary", "timestamp",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Converted:
    """A history, and what of the session is not in it."""

    history: History
    losses: tuple[Loss, ...]


def to_history(session: SessionReading) -> Converted:
    """Return the conversation that a session goes on with: its active branch, compactions applied.

    Summaries become user messages of kind `reference`. Raises OSError where the log cannot be read again.
    """
    writer = _Writer()
    for message in session.messages():
        writer.take(message)
    return Converted(History(messages=tuple(writer.messages)), tuple(writer.losses.found))


@dataclass(slots=True)
class _Writer:
    losses: Losses = field(default_factory=Losses)
    messages: list[Message] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)
    _open: dict[str, str] = field(default_factory=dict)
    """The call ids made so far, by the id that the session has for them."""
    _calls: int = 0

    def take(self, message: Mapping[str, Any]) -> None:
        """Take the next message of the conversation."""
        id, role = message.get("id"), message.get("role")
        self.losses.at = id if isinstance(id, str) else None
        if role == "system":
            self.losses.add("a system message: a history holds none")
            return
        if role in _RESULTS:
            self._result(message)
        elif role == "assistant":
            self._assistant(message)
        else:
            self._user(message, str(role))
        self.losses.members([key for key in message if key not in _CARRIED])

    def _id(self) -> str:
        """Return the message's own id, or a new one where it has none or one that is used already."""
        id = self.losses.at
        if not id or id in self._ids or whole(id, Losses()) != id:
            if id:
                self.losses.add("the id, which an earlier message has; it got a new one")
            id = mint_id()
        self._ids.add(id)
        return id

    def _user(self, message: Mapping[str, Any], role: str) -> None:
        said = content(message.get("content") or message.get("summary"), self.losses)
        self._no_calls(said)
        kind = "user" if role == "user" else "reference"
        if role != "user" and role not in _SUMMARIES:
            self.losses.add("the role, which a history does not have; it is a reference now")
        self.messages.append(Message(self._id(), "user", said.text, kind, attachments=tuple(said.images)))

    def _result(self, message: Mapping[str, Any]) -> None:
        said = content(message.get("content"), self.losses)
        self._no_calls(said)
        given = message.get("tool_call_id") or message.get("toolCallId") or ""
        call_id = self._open.get(given) if isinstance(given, str) else None
        if call_id is None:
            self.losses.add("a tool result whose call is not in the conversation")
            return
        self.messages.append(
            Message(self._id(), "tool", said.text, attachments=tuple(said.images), tool_call_id=call_id)
        )

    def _no_calls(self, said: Content) -> None:
        if said.calls:
            self.losses.add("calls of a message that is not the assistant's")
        if said.thinking:
            self.losses.add("thinking of a message that is not the assistant's")

    def _assistant(self, message: Mapping[str, Any]) -> None:
        said = content(message.get("content"), self.losses)
        listed = message.get("tool_calls") or message.get("toolCalls") or said.calls
        thinking = said.thinking
        summary = message.get("reasoning_summary")
        if thinking is None and isinstance(summary, str) and summary:
            thinking = whole(summary, self.losses)
        model = message.get("model")
        self.messages.append(
            Message(
                self._id(),
                "assistant",
                said.text,
                attachments=tuple(said.images),
                tool_calls=tuple(self._tool_calls(listed if isinstance(listed, list) else [])),
                model_id=whole(model, self.losses) if isinstance(model, str) and model else None,
                thinking=None if thinking is None else Thinking(thinking),
                tokens=self._tokens(message.get("usage")),
            )
        )

    def _tool_calls(self, listed: Sequence[Any]) -> Iterable[ToolCall]:
        seen: set[str] = set()
        for call in listed:
            if not isinstance(call, dict):
                self.losses.add("a call that is no object")
                continue
            inner = call if call.get("type") == "toolCall" else call.get("function")
            inner = inner if isinstance(inner, dict) else {}
            given, name = call.get("id"), inner.get("name")
            given = given if isinstance(given, str) else ""
            if given in seen:
                self.losses.add("a second call with the id of another in its message")
                continue
            seen.add(given)
            id = whole(given, self.losses)
            if not id:
                self._calls += 1
                id = f"call-{self._calls}"
            self._open[given] = id
            if not isinstance(name, str) or not name:
                self.losses.add("a call without the name of its tool")
                name = "unknown"
            yield ToolCall(id, whole(name, self.losses), self._arguments(inner.get("arguments")))

    def _arguments(self, value: Any) -> Mapping[str, Any]:
        if isinstance(value, str) and value:
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = None
        elif value in (None, ""):
            value = {}
        try:
            if isinstance(value, dict) and _is_whole(value):
                frozen: Mapping[str, Any] = freeze(value, ("",) * 6)  # as deep as arguments stand
                return frozen
        except Foreign:
            pass
        self.losses.add("arguments that are no JSON object a history can hold")
        return {}

    def _tokens(self, usage: Any) -> Tokens | None:
        if not isinstance(usage, dict) or not usage:
            return None
        if usage.get("estimated") is True:
            self.losses.add("a usage that is only an estimate")
            return None
        counts = {name: usage.get(key) for name, key in _USAGE.items()}
        sound = {name: n for name, n in counts.items() if type(n) is int and n >= 0}
        if not sound:
            return None
        return Tokens(
            sound.get("input"), sound.get("output"), sound.get("cached"), sound.get("cache_creation")
        )


def _is_whole(value: Any) -> bool:
    """Say whether no string in arguments holds half a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True
