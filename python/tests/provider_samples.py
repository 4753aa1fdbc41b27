"""Conversations for the tests of the providers, and what is written down of the providers' shapes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from convspec import Attachment, History, Message, Thinking, Tokens, ToolCall, mint_id
from convspec.providers import Loss, openai_chat, openai_responses
from convspec.providers import anthropic as claude

PROVIDERS: dict[str, Any] = {
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "anthropic": claude,
}

PNG = Attachment("image/png", "attachment.png", b"\x89PNG\r\n\x1a\nrest")
JPEG = Attachment("image/jpeg", "attachment.jpg", b"\xff\xd8\xffrest")
PDF = Attachment("application/pdf", "c.pdf", b"%PDF-1.7")
NOTE = Attachment("text/plain", "d.txt", b"hello\n")
SOUND = Attachment("audio/wav", "attachment.wav", b"RIFFxxxxWAVE")
FILM = Attachment("video/mp4", "f.mp4", b"film")
NOTHING = Attachment("image/png", "a.png", b"")

_DATA = Path(__file__).parent / "data" / "providers"


def wire(name: str) -> Any:
    """Return what is written down in tests/data/providers.

    `sent` is what `turns` look like on the way out, `response` an answer, `foreign` a list that holds
    things a history has no place for.
    """
    return json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))


def user(content: str = "look", **members: Any) -> Message:
    return Message(mint_id(), "user", content, **members)


def said(content: str = "", *calls: str, **members: Any) -> Message:
    made = tuple(ToolCall(id, "read", {"path": "é", "deep": [1, None, {}]}) for id in calls)
    return Message(mint_id(), "assistant", content, tool_calls=made, **members)


def told(id: str, content: str = "shown", **members: Any) -> Message:
    return Message(mint_id(), "tool", content, tool_call_id=id, **members)


def thought(provider: str, text: str | None = "because", signature: str | None = "c2ln") -> Thinking:
    """A block as the provider gave it: what the responses take back has the id of its item."""
    extra = {"reasoning_id": "rs_1"} if provider == "openai_responses" else {}
    return Thinking(text, signature, extra=extra)


def turns(provider: str) -> tuple[Message, ...]:
    """A conversation with a bit of everything that a provider may take."""
    return (
        user(attachments=(PNG, JPEG, PDF)),
        said("I look.", "c1", "c2", model_id="m", tokens=Tokens(input=1), thinking=thought(provider)),
        told("c2", attachments=(PNG,)),
        told("c1", ""),
        said("Done."),
        user("remember", kind="reference"),
        said("", "c3"),
        told("c3"),
        said("End."),
    )


def places(lost: Iterable[Loss]) -> list[str]:
    return [loss.place for loss in lost]


def bare(messages: Iterable[Message]) -> list[Message]:
    """Without what no provider has a place for: ids, kinds, models and tokens."""
    return [replace(one, id="", kind="user", model_id=None, tokens=None) for one in messages]


def unnamed(messages: Iterable[Message]) -> list[Message]:
    """Without the ids, which are new each time."""
    return [replace(one, id="") for one in messages]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value, from the outside in."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(item)


TEXTS = st.text(alphabet='ab é\n"{}', max_size=4)
WORDS = TEXTS.map(lambda text: f"{text}x")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda below: st.lists(below, max_size=2) | st.dictionaries(TEXTS, below, max_size=2),
    max_leaves=4,
)

_CARRIED = {  # what a user message takes, what a result takes, the thinking that comes back as it was
    "openai_chat": ([PNG, JPEG, PDF, SOUND], [], [Thinking("because")]),
    "openai_responses": (
        [PNG, PDF, NOTE],
        [JPEG, PDF, NOTE],
        [thought("openai_responses"), thought("openai_responses", None)],
    ),
    "anthropic": (
        [PNG, PDF, NOTE],
        [JPEG, PDF, NOTE],
        [thought("anthropic", ""), Thinking(None, "ZGF0YQ==", extra={"redacted": True})],
    ),
}
_FILES = [PNG, PDF, NOTE, SOUND, FILM, NOTHING, Attachment("x", "", b"x")]
_THOUGHTS = [
    Thinking(),
    Thinking("a"),
    Thinking(None, "s"),
    Thinking("a", "s", extra={"redacted": True, "reasoning_id": "rs"}),
]


@st.composite
def carried(draw: st.DrawFn, provider: str) -> History:
    """A conversation of which the provider can carry everything."""
    own, shown, thoughts = _CARRIED[provider]
    return History(messages=tuple(_conversation(draw, WORDS, own, shown, thoughts)))


@st.composite
def wild(draw: st.DrawFn) -> History:
    """A conversation in which anything may stand."""
    models = st.sampled_from(["m", "n", None])
    pictures = st.lists(st.sampled_from(_FILES), max_size=1)
    return History(
        messages=tuple(
            replace(one, model_id=draw(models), attachments=draw(pictures))
            if one.role == "assistant"
            else one
            for one in _conversation(draw, TEXTS, _FILES, _FILES, _THOUGHTS)
        )
    )


def _conversation(
    draw: st.DrawFn,
    texts: st.SearchStrategy[str],
    own: list[Attachment],
    shown: list[Attachment],
    thoughts: list[Thinking],
) -> Iterator[Message]:
    files = st.lists(st.sampled_from(own), max_size=2)
    results = st.lists(st.sampled_from(shown), max_size=2) if shown else st.just([])
    arguments = st.dictionaries(TEXTS, JSON, max_size=2)
    for _ in range(draw(st.integers(0, 3))):
        for kind in draw(st.sampled_from([("user",), ("reference", "user")])):
            yield user(draw(texts), kind=kind, attachments=draw(files))
        ids = [f"c{number}" for number in range(draw(st.integers(0, 2)))]
        calls = tuple(ToolCall(id, "read", draw(arguments)) for id in ids)
        content = draw(texts | st.just("") if ids else texts)
        block = draw(st.none() | st.sampled_from(thoughts))
        yield replace(said(content, thinking=block), tool_calls=calls)
        for id in draw(st.permutations(ids)):
            yield told(id, draw(texts | st.just("")), attachments=draw(results))
