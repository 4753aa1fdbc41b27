"""The canonical form: equal histories, and only those, have the same bytes (history.md#canonical)."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convspec import (
    Attachment,
    History,
    Message,
    Thinking,
    Tokens,
    ToolCall,
)
from histories import histories, message

quickly = settings(max_examples=120, deadline=None, database=None)


# The canonical form


def test_the_canonical_form_of_the_specification() -> None:
    history = History.parse(
        """{"version": 1.0, "messages": [
  {"id": "m1", "role": "user", "content": "look", "kind": "user", "tool_calls": null, "note": 1,
   "attachments": [{"mime": "text/plain", "filename": "a.txt", "data": "aGVsbG8K"}]}
]}"""
    )
    digest = hashlib.sha256(b"hello\n").hexdigest()
    assert history.canonical().decode() == (
        '{"messages":[{"attachments":[{"filename":"a.txt","mime":"text/plain","sha256":"'
        + digest
        + '","size":6}],"content":"look","id":"m1","role":"user"}],"version":1}'
    )


def canonical_arguments(arguments: Mapping[str, Any]) -> str:
    call = ToolCall("c", "n", arguments)
    text = History(messages=[Message("m", "assistant", tool_calls=[call])]).canonical().decode()
    begin = '{"messages":[{"content":"","id":"m","role":"assistant","tool_calls":[{"arguments":'
    end = ',"id":"c","name":"n"}]}],"version":1}'
    assert text.startswith(begin)
    assert text.endswith(end)
    return text[len(begin) : -len(end)]


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "0"),
        (-0.0, "0"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (9007199254740992, "9007199254740992"),
        (-9007199254740992, "-9007199254740992"),
        (2**53 + 1, "9007199254740992"),
        (295147905179352830000, "295147905179352830000"),
        (2**68, "295147905179352830000"),
        (1e21, "1e+21"),
        (10**21, "1e+21"),
        (9.999999999999997e22, "9.999999999999997e+22"),
        (1e-7, "1e-7"),
        (0.000001, "0.000001"),
        (333333333.33333329, "333333333.3333333"),
        (1e30, "1e+30"),
        (4.50, "4.5"),
        (2e-3, "0.002"),
        (1e-27, "1e-27"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_numbers_in_the_canonical_form(number: Any, written: str) -> None:
    assert canonical_arguments({"a": number}) == f'{{"a":{written}}}'


def test_keys_and_strings_in_the_canonical_form() -> None:
    keys = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    order = list(json.loads(canonical_arguments(keys)))
    assert order == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert canonical_arguments({"s": '\u20ac$\u000f\nA\'B"\\\\"/\u007f\u2028'}) == (
        '{"s":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f\u2028"}'
    )


def test_a_number_beyond_the_doubles_has_no_canonical_form() -> None:
    for number in (10**309, -(10**309), 10**5000):
        with pytest.raises(ValueError):
            canonical_arguments({"a": [number]})
    History(messages=[message("m", extra={"x": 10**309})]).canonical()  # no content


few = st.sampled_from(
    [
        *(
            0,
            0.0,
            -0.0,
            1,
            1.0,
            True,
            False,
            None,
            "",
            "1",
            2**53,
            2**53 + 1,
            2.0**53,
            2**53 + 2,
            10**21,
            1e21,
        ),
        *([], {}, [1], [1.0], [True], {"a": 1}, {"a": 1.0}, {"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ]
)
twins = st.builds(
    lambda a, b, thinking, tokens, kind, content, names: History(
        messages=[
            Message(
                "m",
                "assistant",
                content,
                kind=kind,
                thinking=thinking,
                tokens=tokens,
                attachments=[Attachment("a", name, b"x") for name in names],
                tool_calls=[ToolCall("c", "n", {"x": a, "y": b})],
            )
        ]
    ),
    few,
    few,
    st.sampled_from([None, None, None, Thinking(), Thinking(""), Thinking(extra={"x": 1})]),
    st.sampled_from([None, None, Tokens(), Tokens(0), Tokens(extra={"x": 1})]),
    st.sampled_from(["user", "user", "user", "reference"]),
    st.sampled_from(["", "", "\u00e9", "e\u0301"]),
    st.sampled_from([(), (), ("a",), ("a", "a")]),
)


@settings(quickly, max_examples=250)
@given(st.data())
def test_equal_histories_and_no_others_have_one_canonical_form(data: st.DataObject) -> None:
    one = data.draw(twins)
    other = data.draw(st.just(one) | twins)
    if data.draw(st.booleans()):
        call = dataclasses.replace(
            one.messages[0].tool_calls[0], arguments={"y": data.draw(few), "x": data.draw(few)}
        )
        other = History(messages=[dataclasses.replace(one.messages[0], tool_calls=(call,))])
    assert (one == other) == (one.canonical() == other.canonical())
    if one == other:
        assert hash(one) == hash(other)


@settings(quickly, max_examples=60)
@given(histories())
def test_the_canonical_form_is_that_of_the_value(history: History) -> None:
    form = history.canonical()
    assert History.parse(history.to_json()).canonical() == form
    assert json.dumps(json.loads(form), ensure_ascii=False) != ""
    assert b"\n" not in form
