"""Strategies for histories: any value that is valid, small, and odd wherever the format allows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from convspec import Attachment, History, Message, Thinking, Tokens, ToolCall

KNOWN = frozenset(
    (
        *("version", "messages"),
        *("id", "role", "kind", "content", "attachments", "tool_calls", "tool_call_id", "model_id"),
        *("thinking", "tokens", "mime", "filename", "data", "file", "sha256", "name", "arguments"),
        *("text", "signature", "input", "output", "cached", "cache_creation"),
    )
)
"""Every member that the specification knows, of whatever object."""

ODD_TEXTS = (
    *("", " ", "\n", "a\r\nb", "\0", "\x1b[0m", "\x7f\x85\u2028\u2029", "\ufeff", "\ufffe\uffff", "\ufffd"),
    *("e\u0301", "\u00e9", "\U0001f600", "\U0010ffff", "\ud7ff\ue000", "\u202e\u0645", '"\\/', "</script>"),
    *("null", "1", "NaN", "__proto__", "k" * 300),
)
ODD_NUMBERS = (
    *(0, -0.0, 0.0, 1, 1.0, -1, 0.1, 1e21, 1e-7, 1e300, 5e-324, 1.7976931348623157e308),
    *(2**53 - 1, 2**53, 2**53 + 1, 2.0**53, -(2**53) - 1, 2**63, -(2**63), 2**64),
)

texts = st.text(max_size=6) | st.sampled_from(ODD_TEXTS)
ids = st.text(min_size=1, max_size=6) | st.sampled_from([text for text in ODD_TEXTS if text])
numbers = (
    st.sampled_from(ODD_NUMBERS)
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
)
scalars = st.none() | st.booleans() | numbers | texts
json_values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(texts, below, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(texts, json_values, max_size=3)
extras = st.just({}) | st.dictionaries(texts.filter(lambda key: key not in KNOWN), json_values, max_size=2)

counts = st.none() | st.integers(0, 2**63) | st.sampled_from([0, 1])
tokens = st.builds(
    Tokens, input=counts, output=counts, cached=counts, cache_creation=counts, thinking=counts, extra=extras
)
thinking = st.builds(Thinking, text=st.none() | texts, signature=st.none() | texts, extra=extras)
contents = st.binary(max_size=6) | st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", bytes(range(256)), b"\r\n"])
filenames = st.sampled_from(["a.png", "a.PNG", "a", ".png", "a.", "../a.txt", "a.tar.gz", ""]) | texts
attachments = st.builds(Attachment, mime=ids, filename=filenames, bytes=contents, extra=extras)


def _often(some: st.SearchStrategy[Any], none: Any = None) -> st.SearchStrategy[Any]:
    return st.just(none) | some


@st.composite
def histories(draw: st.DrawFn, *, max_turns: int = 3, longest: int = 3) -> History:
    """Return a valid history: ids differ, every result answers an earlier call, the rest is anything."""
    fresh = draw(st.lists(ids, unique=True, min_size=1, max_size=4))
    names = iter([*fresh, *(f"m{number}" for number in range(1000))])
    used: set[str] = set()
    called: list[str] = []
    messages: list[Message] = []

    def add(role: str, **members: Any) -> None:
        id = next(name for name in names if name not in used)
        used.add(id)
        common: Mapping[str, Any] = {
            "content": draw(texts),
            "kind": draw(st.sampled_from(["user", "user", "reference"])),
            "attachments": draw(_often(st.lists(attachments, max_size=2), ())),
            "model_id": draw(st.none() | texts),
            "thinking": draw(_often(thinking)),
            "tokens": draw(_often(tokens)),
            "extra": draw(extras),
        }
        messages.append(Message(id, role, **{**common, **members}))

    for _ in range(draw(st.integers(0, max_turns))):
        what = draw(st.sampled_from(["user", "assistant", "calls", "calls", "result"]))
        if what == "calls":
            asked = draw(st.lists(ids, unique=True, min_size=1, max_size=longest))
            called += asked
            calls = [ToolCall(id, draw(ids), draw(objects), extra=draw(extras)) for id in asked]
            add("assistant", tool_calls=calls)
            for id in draw(st.lists(st.sampled_from(asked), max_size=longest)):
                add("tool", tool_call_id=id)
        elif what == "result" and called:
            add("tool", tool_call_id=draw(st.sampled_from(called)))
        else:
            add("user" if what == "result" else what)
    return History(messages=tuple(messages), extra=draw(extras))


def message(id: str, content: str = "look", **members: Any) -> Message:
    """Return a user's message."""
    return Message(id, members.pop("role", "user"), content, **members)


def deep(levels: int) -> Any:
    """Return a list in a list, and so on, with so many levels."""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def full() -> History:
    """Return a history that has every member and an unknown one at every level."""
    picture = Attachment("image/png", "a.png", b"\x89PNG\r\n\x1a\n", extra={"x_attachment": [1]})
    call = ToolCall("c1", "read", {"path": "a.png", "deep": {"er": [1, {"z": None}]}}, extra={"x_call": 1})
    return History(
        messages=(
            Message("m1", "user", "look", kind="reference", attachments=(picture,)),
            Message(
                "m2",
                "assistant",
                "",
                tool_calls=(call,),
                model_id="m",
                thinking=Thinking("hm", "QUJD", extra={"x_thinking": None}),
                tokens=Tokens(3, 1, 0, None, 2**60, extra={"x_tokens": {}}),
                extra={"x_message": "secret"},
            ),
            Message("m3", "tool", "shown", tool_call_id="c1", attachments=(picture, picture)),
        ),
        extra={"x_history": {"a": [True]}},
    )
