"""The active branch of a session as a history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from convspec.blank import is_filled
from convspec.converting.around import around
from convspec.converting.calls import Calls
from convspec.converting.items import Items, items
from convspec.converting.losses import Loss, Losses
from convspec.converting.parts import Content, content, first_filled, whole
from convspec.converting.usage import tokens
from convspec.history.history import History
from convspec.history.minting import mint_id
from convspec.history.model import Message, Thinking
from convspec.providers.leaving import REASONING_ID
from convspec.session.view import SessionReading

_RESULTS = ("tool", "toolResult")
_SUMMARIES = ("compactionSummary", "branchSummary")
_CALLS = ("tool_calls", "toolCalls")
_CALL_ID = ("tool_call_id", "toolCallId")
_TOOL = ("name", "toolName", "tool_name")
_ERROR = ("isError", "is_error")
_SUMMARY = ("reasoning_summary", "reasoningSummary")
_ITEMS = ("response_items", "responseItems")

_EVERY = frozenset(("role", "id", "content", "timestamp", "model", "usage", *_SUMMARY))
_OF_RESULT = _EVERY | {*_CALL_ID, *_TOOL, *_ERROR}
_OF_ASSISTANT = _EVERY | {*_CALLS, *_ITEMS}
_OF_SUMMARY = _EVERY | {"summary"}


@dataclass(frozen=True, slots=True)
class Converted:
    """A history, and what of the session is not in it."""

    history: History
    losses: tuple[Loss, ...]


def to_history(session: SessionReading) -> Converted:
    """Return the conversation that a session goes on with: its active branch, compactions applied.

    Summaries become user messages of kind `reference`. The result is always a valid history. Raises OSError
    where the log cannot be read again.
    """
    writer = _Writer()
    for message in session.messages():
        writer.take(message)
    return Converted(History(messages=tuple(writer.messages)), (*around(session), *writer.losses.found))


@dataclass(slots=True)
class _Writer:
    losses: Losses = field(default_factory=Losses)
    messages: list[Message] = field(default_factory=list)
    _calls: Calls = field(init=False)
    _ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._calls = Calls(self.losses)

    def take(self, message: Mapping[str, Any]) -> None:
        """Take the next message of the conversation."""
        id, role = message.get("id"), message.get("role")
        self.losses.at = id if isinstance(id, str) and id else None
        said = content(message.get("content"), self.losses)
        if role in _RESULTS:
            self._result(message, said)
        elif role == "assistant":
            self._assistant(message, said)
        else:
            self._user(message, said, role)

    def _add(
        self, role: str, message: Mapping[str, Any], said: Content, beside: Items, **members: Any
    ) -> None:
        if said.calls and role != "assistant":
            self.losses.add("calls of a message that is not the assistant's")
        model = message.get("model")
        if is_filled(model) and not isinstance(model, str):
            self.losses.add("the model, which is no text")
        self.messages.append(
            Message(
                self._id(),
                role,
                said.text,
                attachments=tuple(said.images),
                model_id=whole(model, self.losses) if isinstance(model, str) and model else None,
                thinking=self._thinking(message, said, beside),
                tokens=tokens(message.get("usage"), self.losses),
                **members,
            )
        )

    def _id(self) -> str:
        """Return the message's own id, or a new one where it has none or one that is used already."""
        id = self.losses.at
        if id is None or id in self._ids or whole(id, Losses()) != id:
            if id is not None:
                self.losses.add("the id, which an earlier message has or no history can hold; it is new")
            id = mint_id()
        self._ids.add(id)
        return id

    def _left(self, message: Mapping[str, Any], taken: Iterable[str]) -> None:
        """Note members that were not taken and say something."""
        names = message.keys() - taken
        self.losses.members(name for name in names if is_filled(message[name]) and message[name] is not False)

    def _user(self, message: Mapping[str, Any], said: Content, role: Any) -> None:
        kind, taken = "reference", _EVERY
        if role == "user":
            kind = "user"
        elif role in _SUMMARIES:
            taken = _OF_SUMMARY
            summary = message.get("summary")
            if isinstance(summary, str):
                if said.text:
                    self.losses.add("the content of a message that has a summary")
                said.text = whole(summary, self.losses)
        else:
            self.losses.add("the role, which a history does not have; the message is a reference now")
        self._left(message, taken)
        self._add("user", message, said, Items(), kind=kind)

    def _result(self, message: Mapping[str, Any], said: Content) -> None:
        call = self._calls.answered_by(first_filled(message, *_CALL_ID) or "")
        if call is None:
            self.losses.add("a tool result whose call is not in the conversation")
            return
        name = first_filled(message, *_TOOL)
        if name is not None and name != call.name:
            self.losses.add("the name of the tool of a result, which is not that of its call")
        failed = any(message.get(key) is True for key in _ERROR)
        self._left(message, _OF_RESULT)
        extra = {"is_error": True} if failed else {}
        self._add("tool", message, said, Items(), tool_call_id=call.id, extra=extra)

    def _assistant(self, message: Mapping[str, Any], said: Content) -> None:
        beside = items(first_filled(message, *_ITEMS), self.losses)
        extra = {}
        if not said.text and any(beside.texts):
            said.text = "\n\n".join(filter(None, beside.texts))
            phase = beside.phase()
            extra = {} if phase is None else {"phase": phase}
        elif "".join(beside.texts) not in ("", said.text):
            self.losses.add("what response items say beside the content")
        self._left(message, _OF_ASSISTANT)
        calls = self._calls.made(self._listed(message, said), beside.calls)
        self._add("assistant", message, said, beside, tool_calls=calls, extra=extra)

    def _listed(self, message: Mapping[str, Any], said: Content) -> list[Any]:
        """Return the calls of a message (session.md#calls)."""
        for name in _CALLS:
            listed = message.get(name)
            if isinstance(listed, list) and listed:
                ids = {call.get("id") for call in listed if isinstance(call, dict) and _is_id(call)}
                if any(not _is_id(call) or call["id"] not in ids for call in said.calls):
                    self.losses.add("calls in the content beside those that are listed")
                return listed
            if is_filled(listed):
                self.losses.add("calls that are no list")
                return []
        return list(said.calls)

    def _thinking(self, message: Mapping[str, Any], said: Content, beside: Items) -> Thinking | None:
        """Return the one block that a message can have: the content's, else the summary, else the items'."""
        seal, found = beside.seal(self.losses), list(filter(None, said.thinking))
        summary = first_filled(message, *_SUMMARY)
        told = whole(summary, self.losses) if isinstance(summary, str) else ""
        texts = ["\n\n".join(found), told, beside.thinking(self.losses)]
        text = next(filter(None, texts), None)
        if any(other not in ("", text) for other in texts):
            self.losses.add("a second text of the reasoning")
        signature, extra = None, {}
        if len(said.signatures) == 1 and len(found) <= 1:
            signature = said.signatures[0]
        elif said.signatures:
            self.losses.add("the signatures of several thinking blocks")
        elif seal is not None:
            signature, extra = seal[0], {REASONING_ID: seal[1]}
        if text is None and signature is None:
            return None
        return Thinking(text, signature, extra=extra)


def _is_id(call: Mapping[str, Any]) -> bool:
    return isinstance(call.get("id"), str)
