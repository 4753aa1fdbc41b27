"""History as a value: frozen, equal by content, let in by three doors that refuse what `check` refuses."""

from __future__ import annotations

import base64
import copy
import dataclasses
import difflib
import math
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import convspec
from convspec import (
    Attachment,
    History,
    HistoryError,
    Message,
    Thinking,
    Tokens,
    ToolCall,
)
from convspec.frozen import FrozenMap
from convspec.history.model import ATTACHMENTS_DIR, CURRENT_VERSION, HISTORY_FILE, KINDS, ROLES
from histories import deep, full, histories, message

quickly = settings(max_examples=120, deadline=None, database=None)

PNG = b"\x89PNG\r\n\x1a\n"
SECRET = "a secret that was said"


def parts(history: History) -> list[Any]:
    """Return a history and everything frozen in it."""
    found: list[Any] = [history]
    for one in history.messages:
        found += [one, *one.attachments, *one.tool_calls]
        found += [part for part in (one.thinking, one.tokens) if part is not None]
    return found


# Frozen


@pytest.mark.parametrize("part", parts(full()), ids=lambda part: type(part).__name__)
def test_no_field_can_be_set_or_taken_away(part: Any) -> None:
    for field in dataclasses.fields(part):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, field.name, None)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(part, field.name)
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
        part.anything = 1
    assert not hasattr(part, "__dict__")


@pytest.mark.parametrize("part", parts(full()), ids=lambda part: type(part).__name__)
def test_what_a_field_holds_cannot_change(part: Any) -> None:
    plain = (str, int, bytes, type(None), FrozenMap, Thinking, Tokens)
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        assert isinstance(value, tuple) or type(value) in plain
        hash(value)


def test_arguments_cannot_change_in_place() -> None:
    arguments: Any = ToolCall("c", "read", {"a": {"b": [1]}}).arguments
    for change in (
        lambda: arguments.__setitem__("a", 1),
        lambda: arguments["a"].update(b=1),
        lambda: arguments["a"]["b"].append(2),
        lambda: arguments["a"].__delitem__("b"),
    ):
        with pytest.raises((AttributeError, TypeError)):
            change()


def test_what_was_passed_in_may_change_later() -> None:
    data, arguments, extra = bytearray(b"bytes"), {"a": [1]}, {"x": [1]}
    attachments = [Attachment("text/plain", "a.txt", data, extra=extra)]
    calls = [ToolCall("c", "read", arguments, extra=extra)]
    messages = [Message("m1", "assistant", attachments=attachments, tool_calls=calls, extra=extra)]
    history = History(messages=messages, extra=extra)
    before = history.to_dict()
    data[:] = b"other"
    arguments["a"].append(2)
    extra["x"].append(2)
    attachments.clear()
    calls.clear()
    messages.clear()
    assert history.to_dict() == before
    assert history.messages[0].attachments[0].bytes == b"bytes"


def test_what_comes_out_belongs_to_the_caller() -> None:
    history = full()
    for inline in (True, False):
        out = history.to_dict(inline)
        out["messages"][1]["tool_calls"][0]["arguments"]["deep"]["er"].append(1)
        out["messages"][1]["x_message"] = "changed"
        out["x_history"]["a"].clear()
        out["messages"].clear()
    assert history == full()
    assert history.to_dict() == full().to_dict()


def test_even_values_that_are_wrong_are_frozen() -> None:
    content = ["a"]
    wrong: Any = Message("m", "user", content, model_id={"a": content})
    content.append("b")
    assert wrong.content == ("a",)
    assert wrong.model_id == {"a": ("a",)}
    hash(wrong)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Message("m", "user", attachments=[{"mime": "a"}]),
        lambda: Message("m", "user", attachments="ab"),
        lambda: Message("m", "user", tool_calls=[{"id": "c"}]),
        lambda: Message("m", "user", thinking={"text": "a"}),
        lambda: Message("m", "user", tokens={"input": 1}),
        lambda: Message("m", "user", content=b"bytes"),
        lambda: Message("m", "user", content=math.nan),
        lambda: Message("m", "user", extra=[("a", 1)]),
        lambda: History(messages=[{"id": "m"}]),
        lambda: History(messages="ab"),
        lambda: ToolCall("c", "n", [1]),
        lambda: ToolCall("c", "n", {"a": {1, 2}}),
        lambda: ToolCall("c", "n", {1: 2}),
        lambda: Attachment("a", "b", "text"),
        lambda: Attachment("a", "b", 10),
        lambda: Attachment("a", "b", [1, 2]),
    ],
)
def test_what_no_document_could_say_cannot_be_made(make: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        make()


@pytest.mark.parametrize(
    ("kind", "members", "known"),
    [
        (History, {}, ("version", "messages")),
        (Message, {"id": "m", "role": "user"}, ("id", "kind", "content", "tool_call_id", "tokens")),
        (ToolCall, {"id": "c", "name": "n"}, ("id", "name", "arguments")),
        (Attachment, {"mime": "a", "filename": "b", "bytes": b""}, ("mime", "data", "file", "sha256")),
        (Thinking, {}, ("text", "signature")),
        (Tokens, {}, ("input", "cache_creation")),
    ],
)
def test_an_extra_member_is_none_that_has_a_field(
    kind: Any, members: Mapping[str, Any], known: tuple[str, ...]
) -> None:
    for name in known:
        with pytest.raises(ValueError, match="member of its own"):
            kind(**members, extra={name: 1})
    assert dict(kind(**members, extra={"extra": 1}).extra) == {"extra": 1}


# Equal by content

EQUAL = (
    (message("m"), message("m", kind="user", attachments=(), tool_calls=(), extra={"x": 1})),
    (message("m", tokens=Tokens()), message("m")),
    (message("m", tokens=Tokens(extra={"x": 1})), message("m")),
    (message("m", tokens=Tokens(1)), message("m", tokens=Tokens(1.0, extra={"x": 1}))),
    (ToolCall("c", "n"), ToolCall("c", "n", {})),
    (ToolCall("c", "n", {"a": 1, "b": [2]}), ToolCall("c", "n", {"b": (2.0,), "a": 1.0})),
    (ToolCall("c", "n", {"a": 0}), ToolCall("c", "n", {"a": -0.0})),
    (ToolCall("c", "n", {"a": 2**53}), ToolCall("c", "n", {"a": 2**53 + 1})),
    (Attachment("a", "b", b"c"), Attachment("a", "b", bytearray(b"c"), extra={"x": 1})),
    (Thinking(), Thinking(None, None, extra={"x": 1})),
    (History(), History(1, (), extra={"x": 1})),
)
DIFFERENT = (
    (message("m"), message("n")),
    (message("m"), message("m", "other")),
    (message("m"), message("m", role="assistant")),
    (message("m"), message("m", kind="reference")),
    (message("m"), message("m", model_id="")),
    (message("m"), message("m", thinking=Thinking())),
    (message("m"), message("m", tokens=Tokens(0))),
    (message("m", thinking=Thinking("")), message("m", thinking=Thinking())),
    (message("m", "\u00e9"), message("m", "e\u0301")),
    (ToolCall("c", "n", {"a": 1}), ToolCall("c", "n", {"a": True})),
    (ToolCall("c", "n", {"a": 0}), ToolCall("c", "n", {"a": False})),
    (ToolCall("c", "n", {"a": None}), ToolCall("c", "n", {})),
    (ToolCall("c", "n", {"a": [1, 2]}), ToolCall("c", "n", {"a": [2, 1]})),
    (Tokens(1), Tokens(2)),
    (Tokens(0), Tokens()),
    (Attachment("a", "b", b"c"), Attachment("a", "b", b"d")),
    (Attachment("a", "b", b"c"), Attachment("a", "x", b"c")),
    (Attachment("a", "b", b"c"), Attachment("x", "b", b"c")),
    (History(messages=[message("a"), message("b")]), History(messages=[message("b"), message("a")])),
    (History(messages=[message("a")]), History()),
)


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_values_have_one_hash(one: Any, other: Any) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_values_that_differ(one: Any, other: Any) -> None:
    assert one != other
    assert len({one, other}) == 2


def test_no_part_is_equal_to_what_it_is_made_of() -> None:
    for part in parts(full()):
        assert part != dataclasses.astuple(part) if not isinstance(part, History) else part != part.to_dict()
        assert part != None  # noqa: E711


@settings(quickly, max_examples=50)
@given(histories())
def test_copies_are_equal_and_pickles_come_back(history: History) -> None:
    for again in (
        copy.copy(history),
        copy.deepcopy(history),
        pickle.loads(pickle.dumps(history)),
        dataclasses.replace(history),
    ):
        assert again == history
        assert hash(again) == hash(history)
        assert again.to_dict() == history.to_dict()
        assert [type(part) for part in parts(again)] == [type(part) for part in parts(history)]


def test_repr_shows_nothing_that_was_said() -> None:
    call = ToolCall("c1", "read", {SECRET: SECRET}, extra={SECRET: SECRET})
    attachment = Attachment("text/plain", "a.txt", SECRET.encode(), extra={SECRET: SECRET})
    said = Message(
        "m1",
        "assistant",
        SECRET,
        attachments=(attachment,),
        tool_calls=(call,),
        thinking=Thinking(SECRET, SECRET, extra={SECRET: SECRET}),
        tokens=Tokens(1, extra={SECRET: SECRET}),
        extra={SECRET: SECRET},
    )
    for part in parts(History(messages=(said,), extra={SECRET: SECRET})):
        assert SECRET not in repr(part)
        assert SECRET not in f"{part} {part!s}"
        assert type(part).__name__ in repr(part)
    assert "m1" in repr(said)


def test_names_and_defaults() -> None:
    assert (CURRENT_VERSION, HISTORY_FILE, ATTACHMENTS_DIR) == (1, "history.json", "attachments")
    assert (ROLES, KINDS) == (("user", "assistant", "tool"), ("user", "reference"))
    assert History() == History.parse('{"version": 1, "messages": []}')
    assert not message("m").is_tool_call
    assert message("m", role="assistant", tool_calls=[ToolCall("c", "n")]).is_tool_call
    for name in ("History", "HistoryError", "Message", "Attachment", "ToolCall", "Thinking", "Tokens"):
        assert name in convspec.__all__


# Writing

WRONG: Mapping[str, tuple[Callable[[], History], str, str | None]] = {
    "two ids": (
        lambda: History(messages=[message("m"), message("m")]),
        "message-id-duplicate",
        "/messages/1/id",
    ),
    "an empty id": (lambda: History(messages=[message("")]), "schema-min-length", "/messages/0/id"),
    "a role": (lambda: History(messages=[message("m", role="system")]), "schema-enum", "/messages/0/role"),
    "a kind": (lambda: History(messages=[message("m", kind="x")]), "schema-enum", "/messages/0/kind"),
    "no content": (
        lambda: History(messages=[Message("m", "user", None)]),
        "schema-type",
        "/messages/0/content",
    ),
    "a list of content": (
        lambda: History(messages=[Message("m", "user", [{"type": "text"}])]),
        "schema-type",
        "/messages/0/content",
    ),
    "a result without call": (
        lambda: History(messages=[message("m", role="tool", tool_call_id="c")]),
        "tool-result-unmatched",
        "/messages/0/tool_call_id",
    ),
    "a result without id": (
        lambda: History(messages=[message("m", role="tool")]),
        "schema-required",
        "/messages/0",
    ),
    "calls of a user": (
        lambda: History(messages=[message("m", tool_calls=[ToolCall("c", "n")])]),
        "schema-max-items",
        "/messages/0/tool_calls",
    ),
    "tokens below zero": (
        lambda: History(messages=[message("m", tokens=Tokens(-1))]),
        "schema-minimum",
        "/messages/0/tokens/input",
    ),
    "no filename": (
        lambda: History(messages=[message("m", attachments=[Attachment("a", None, b"")])]),
        "schema-type",
        "/messages/0/attachments/0/filename",
    ),
    "half a surrogate": (
        lambda: History(messages=[message("m", "\ud83d")]),
        "text-surrogate",
        "/messages/0/content",
    ),
    "too deep": (lambda: History(messages=[message("m", extra={"x": deep(99)})]), "json-depth", None),
    "a newer version": (lambda: History(2), "version-newer", "/version"),
    "true for 1": (lambda: History(True), "version-invalid", "/version"),
    "no version": (lambda: History(None), "version-missing", "/version"),
}


@pytest.mark.parametrize(("make", "rule", "pointer"), WRONG.values(), ids=WRONG)
def test_a_wrong_value_made_in_code_is_not_written(
    make: Callable[[], History], rule: str, pointer: str | None, tmp_path: Path
) -> None:
    history = make()
    for write in (history.to_json, lambda: history.save(tmp_path / "chat")):
        with pytest.raises(HistoryError) as caught:
            write()
        assert (caught.value.finding.rule, caught.value.finding.pointer) == (rule, pointer)
        assert caught.value.finding.line is None
    assert list(tmp_path.iterdir()) == []


def test_two_halves_that_meet_are_one_character(tmp_path: Path) -> None:
    history = History(messages=[message("m", "\ud83d\ude00")])
    assert history.messages[0].content == "\U0001f600"
    history.save(tmp_path)
    assert History.load(tmp_path) == History.parse(history.to_json()) == history


def test_the_form_of_the_text() -> None:
    assert History().to_json() == '{\n  "version": 1,\n  "messages": []\n}'
    text = full().to_json()
    assert not text.endswith("\n")
    assert "\r" not in text
    assert text.startswith(
        '{\n  "version": 1,\n  "messages": [\n    {\n      "id": "m1",\n      "role": "user",'
    )
    written = History(messages=[message("m", "\u00e9\U0001f600\u2028")]).to_json()
    assert "\u00e9\U0001f600\u2028" in written
    assert list(full().to_dict()) == ["version", "messages", "x_history"]
    assert list(full().to_dict()["messages"][1]) == [
        *("id", "role", "content", "tool_calls", "model_id", "thinking", "tokens", "x_message"),
    ]


@settings(quickly, max_examples=60)
@given(histories(), st.text(max_size=5))
def test_a_message_more_changes_only_lines_at_the_end(history: History, content: str) -> None:
    one = History(messages=[*history.messages, message("first of two new ones")])
    more = History(messages=[*one.messages, message("second of two new ones", content)])
    before, after = one.to_json().split("\n"), more.to_json().split("\n")
    assert after[: len(before) - 3] == before[:-3]
    assert [line.strip() for line in before[-3:]] == ["}", "]", "}"]
    changed = [
        line for line in difflib.ndiff(before[-8:], after[len(before) - 8 :]) if line.startswith(("-", "+"))
    ]
    assert all(line.startswith("+") for line in changed if line.strip("-+ ") not in ("}", "},"))


# Names of files


@pytest.mark.parametrize(
    ("filename", "suffix"),
    [
        ("a.png", ".png"),
        ("A.PNG", ".png"),
        ("a.tar.gz", ".gz"),
        (".png", ".png"),
        ("a.", ""),
        ("a", ""),
        ("", ""),
        ("a.p-ng", ""),
        ("a.png ", ""),
        ("a.png\n", ""),
        ("a.\u00e9", ""),
        ("a.\u0661", ""),
        ("a.1234567890", ".1234567890"),
        ("a.12345678901", ""),
        ("../../etc/passwd", ""),
        ("..\\a.exe", ".exe"),
        ("a.b/c", ""),
        ("C:a.txt", ".txt"),
    ],
)
def test_the_name_of_a_stored_file(filename: str, suffix: str) -> None:
    attachment = Attachment("text/plain", filename, b"hello\n")
    digest = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    assert attachment.sha256 == digest
    assert attachment.stored_name == digest + suffix
    stored = History(messages=[message("m", attachments=[attachment])]).to_dict(inline_attachments=False)
    assert stored["messages"][0]["attachments"] == [
        {
            "mime": "text/plain",
            "filename": filename,
            "file": f"attachments/{digest}{suffix}",
            "sha256": digest,
        }
    ]


@quickly
@given(st.binary(max_size=40))
def test_inline_bytes_are_strict_base64(data: bytes) -> None:
    history = History(messages=[message("m", attachments=[Attachment("a", "b", data)])])
    item = history.to_dict()["messages"][0]["attachments"][0]
    assert item == {"mime": "a", "filename": "b", "data": base64.b64encode(data).decode()}
    assert History.from_dict(history.to_dict()).messages[0].attachments[0].bytes == data
