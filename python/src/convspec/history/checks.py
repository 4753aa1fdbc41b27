"""The rules of the document layer on one history. Each is a generator of faults."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from convspec.blank import is_blank, is_filled
from convspec.findings import Fault, Mention, Path
from convspec.history.sound import MESSAGES, Call, Sound
from convspec.pairing import Judgement, Results, Unanswered
from convspec.pointers import quoted

_CONTROL = re.compile("[\x1b\x80-\x9f]")
_UNSIGNED = re.compile("[^!-~]")
_BLANK_ASIDE = frozenset(
    ("content", "id", "role", "kind", "name", "provider", "model", "model_id", "usage", "tokens", "timestamp")
)


def message_ids(history: Sound) -> Iterator[Fault]:
    """No two messages have one id (history.md#message-ids)."""
    first: dict[str, Path] = {}
    for index, message in history.messages():
        id = history.text(message, "id", MESSAGES, index)
        if id is None:
            continue
        path = (MESSAGES, index, "id")
        known = first.setdefault(id, path)
        if known is not path:
            number = int(known[1]) + 1
            yield Fault(
                "message-id-duplicate",
                f"this id is already the id of message {number}",
                path,
                related=(Mention(known, "first used here"),),
            )


def results(history: Sound) -> Iterator[Fault]:
    """A result answers an earlier call, once, right behind it (history.md#pairing)."""
    judge: Results[Path] = Results()
    unread = False
    for turn in history.turns:
        if turn.calls:
            for place, earlier in judge.calls((call.id, call.path) for call in turn.calls):
                yield Fault(
                    "tool-call-id-reused",
                    f"message {int(earlier[1]) + 1} used this call id before",
                    (*place, "id"),
                    related=(Mention((*earlier, "id"), "used here before"),),
                )
        elif turn.result is not None:
            judged = judge.result(turn.result, turn.path)
            if judged is not None and not (unread and judged[0] is Judgement.UNMATCHED):
                name = quoted(turn.result, "that id")
                yield _result_fault(*judged, (*turn.path, "tool_call_id"), name)
        elif turn.ends_run:
            judge.other()
        unread = unread or turn.calls_unread


def _result_fault(judgement: Judgement, other: Path | None, path: Path, name: str) -> Fault:
    if judgement is Judgement.UNMATCHED or other is None:
        return Fault("tool-result-unmatched", f"no earlier message made a call {name}", path)
    number = int(other[1]) + 1
    if judgement is Judgement.DUPLICATE:
        return Fault(
            "tool-result-duplicate",
            f"message {number} has answered {name} already",
            path,
            related=(Mention(other, "first answer here"),),
        )
    return Fault(
        "tool-result-misplaced",
        f"{name} is a call of message {number}, but this does not follow it directly",
        path,
        related=(Mention(other, "the call is here"),),
    )


def unanswered_calls(history: Sound) -> Iterator[Fault]:
    """Every call is answered by a later message (history.md#unanswered)."""
    judge: Unanswered[Call] = Unanswered()
    found: list[Call] = []
    for turn in history.turns:
        if turn.result_unread:
            judge.unsure()
        if turn.calls:
            found += judge.calls((call.id, call) for call in turn.calls)
        if turn.result is not None:
            judge.result(turn.result)
    for call in [*found, *judge.left()]:
        name = quoted(call.id, "this call")
        yield Fault("tool-call-unanswered", f"no later message answers {name}", call.path)


def call_ids(history: Sound) -> Iterator[Fault]:
    """The calls of one message have different ids (history.md#call-ids)."""
    for turn in history.turns:
        first: dict[str, Path] = {}
        for call in turn.calls:
            known = first.setdefault(call.id, call.path)
            if known is not call.path:
                yield Fault(
                    "tool-call-id-duplicate",
                    f"call {int(known[-1]) + 1} of this message has the same id",
                    (*call.path, "id"),
                    related=(Mention((*known, "id"), "first used here"),),
                )


def kinds(history: Sound) -> Iterator[Fault]:
    """Only a user's message is a reference (history.md#kind)."""
    for index, message in history.messages():
        if message.get("kind") == "reference" and message.get("role") in ("assistant", "tool"):
            path = (MESSAGES, index, "kind")
            yield Fault("kind-misplaced", 'kind "reference" means nothing on this role', path)


def blank_messages(history: Sound) -> Iterator[Fault]:
    """A user's or assistant's message says something (history.md#blank)."""
    for index, message in history.messages():
        if message.get("role") not in ("user", "assistant"):
            continue
        content = history.text(message, "content", MESSAGES, index)
        if content is None or not is_blank(content):
            continue
        if not any(is_filled(value) for key, value in message.items() if key not in _BLANK_ASIDE):
            path = (MESSAGES, index, "content")
            yield Fault("message-blank", "the message is blank and carries nothing else", path)


def thinking(history: Sound) -> Iterator[Fault]:
    """A thinking block can be replayed (history.md#thinking)."""
    for index, message in history.messages():
        block = message.get("thinking")
        if not isinstance(block, dict):
            continue
        path: Path = (MESSAGES, index, "thinking")
        unread = history.is_bad(*path, "text") or history.is_bad(*path, "signature")
        if not unread and not block.get("text") and not block.get("signature"):
            yield Fault("thinking-empty", "the block has neither text nor signature", path)
        signature = history.text(block, "signature", *path)
        if signature and _UNSIGNED.search(signature):
            yield Fault(
                "thinking-signature",
                "the signature holds a character that no signature has",
                (*path, "signature"),
            )


def controls(history: Sound) -> Iterator[Fault]:
    """Ids and names hold no terminal controls (history.md#controls)."""
    for index, message in history.messages():
        yield from _controls(message, (MESSAGES, index), ("id", "tool_call_id", "model_id"))
    for path, call in history.calls():
        yield from _controls(call, path, ("id", "name"))


def _controls(holder: dict[str, Any], path: Path, keys: tuple[str, ...]) -> Iterator[Fault]:
    for key in keys:
        value = holder.get(key)
        if isinstance(value, str) and _CONTROL.search(value):
            yield Fault("text-control", f'"{key}" holds a terminal control', (*path, key))


RULES: tuple[Callable[[Sound], Iterator[Fault]], ...] = (
    message_ids,
    results,
    unanswered_calls,
    call_ids,
    kinds,
    blank_messages,
    thinking,
    controls,
)
