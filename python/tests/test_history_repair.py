"""Repair of interrupted tool calls, row by row, and what holds of every repair."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convspec import INTERRUPTED_RESULT, History, Message, ToolCall, check
from convspec.history import repair
from histories import full, histories

quickly = settings(max_examples=250, deadline=None, database=None)

UNCHANGED = "unchanged"

# `u` is a user's message, `A` the assistant's, `A:a,b` one that calls a and b, `T:a` an answer to a, `S:a`
# one that was made up. `u:a` and `T:a+b` are messages that call tools although only the assistant may.
TABLE = (
    ("", UNCHANGED),
    ("u", UNCHANGED),
    ("u A", UNCHANGED),
    ("u A:a T:a A", UNCHANGED),
    ("u A:a", "u A:a S:a"),
    ("u A:a,b,c T:b", "u A:a,b,c T:b S:a S:c"),
    ("u A:a,b T:b u", "u A:a,b T:b S:a u"),
    ("A:a A:b T:b", "A:a S:a A:b T:b"),
    ("A:a T:a A:b,c T:c A:d", "A:a T:a A:b,c T:c S:b A:d S:d"),
    ("A:a,b T:b T:a", UNCHANGED),
    ("A:a,b T:a u T:b", "A:a,b T:a S:b u T:b"),
    ("A:a,b u T:a T:b", "A:a,b S:a S:b u T:a T:b"),
    ("A:a A:b T:a T:b", "A:a S:a A:b T:a T:b"),
    ("A:a u A:a T:a", "A:a S:a u A:a T:a"),
    ("A:a T:a T:a", UNCHANGED),
    ("A:a,a", "A:a,a S:a S:a"),
    ("A:a,a T:a", UNCHANGED),
    ("u:a", "u:a S:a"),
    ("u:a T:a u", UNCHANGED),
    ("u:a u", "u:a S:a u"),
    ("A:a T:a A:a", "A:a T:a A:a S:a"),
    ("A:a A A", "A:a S:a A A"),
    ("A:a T:b", "A:a T:b S:a"),
    ("A:a,b,c", "A:a,b,c S:a S:b S:c"),
    ("A:c,b,a T:b", "A:c,b,a T:b S:c S:a"),
    ("T:a", UNCHANGED),
    ("T:a A:a", "T:a A:a S:a"),
    # A result that calls tools ends the run before it, and begins its own. No such file is valid.
    ("A:a T:a+b", "A:a S:a T:a+b S:b"),
    ("A:a,b T:a T:b+c T:c", "A:a,b T:a S:b T:b+c T:c"),
)


def parsed(notation: str) -> History:
    """Return the history that a row stands for; ids are the places."""
    return History(messages=[_message(str(place), word) for place, word in enumerate(notation.split())])


def _message(id: str, word: str) -> Message:
    role, _, names = word.partition(":")
    answered, _, asked = names.rpartition("+") if role == "T" else ("", "", names)
    if role == "T" and not answered:
        answered, asked = asked, ""
    calls = [ToolCall(name, "read", {}) for name in asked.split(",") if name]
    if role == "T":
        return Message(id, "tool", "shown", tool_call_id=answered, tool_calls=calls)
    return Message(id, {"u": "user", "A": "assistant"}[role], "text", tool_calls=calls)


def notation(messages: Sequence[Message]) -> str:
    """Return messages as a row writes them."""
    return " ".join(map(_word, messages))


def _word(message: Message) -> str:
    asked = ",".join(call.id for call in message.tool_calls)
    if message.role != "tool":
        word = {"user": "u", "assistant": "A"}[message.role]
        return f"{word}:{asked}" if asked else word
    letter = "S" if message.content == INTERRUPTED_RESULT else "T"
    return f"{letter}:{message.tool_call_id}" + (f"+{asked}" if asked else "")


@pytest.mark.parametrize(("given_row", "expected"), TABLE)
def test_the_table(given_row: str, expected: str) -> None:
    history = parsed(given_row)
    assert notation(history.messages) == given_row
    repaired = history.repair_interrupted_tool_calls()
    if expected == UNCHANGED:
        assert repaired is history
    else:
        assert notation(repaired.messages) == expected
        assert notation(history.messages) == given_row
    assert repaired.repair_interrupted_tool_calls() is repaired


def test_an_answer_that_was_made_up_says_so_and_nothing_else() -> None:
    made = parsed("u A:a").repair_interrupted_tool_calls().messages[-1]
    assert INTERRUPTED_RESULT == "[Tool execution was interrupted]"
    assert made == Message(made.id, "tool", "[Tool execution was interrupted]", tool_call_id="a")
    assert re.fullmatch("[0-9a-f]{22}", made.id)
    assert dict(made.extra) == {}


def test_the_rest_of_the_history_stays() -> None:
    history = full()
    cut = History(history.version, history.messages[:2], extra=history.extra)
    repaired = cut.repair_interrupted_tool_calls()
    assert type(repaired) is History
    assert repaired.extra is cut.extra
    assert repaired.messages[:2] == cut.messages
    assert [dict(message.extra) for message in repaired.messages] == [{}, {"x_message": "secret"}, {}]


def test_two_repairs_differ_in_ids_alone() -> None:
    history = parsed("A:a,b u A:c")
    one, other = (history.repair_interrupted_tool_calls() for _ in range(2))
    assert one != other
    assert notation(one.messages) == notation(other.messages)


def test_an_id_that_is_taken_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    minted = iter(["0", "1", "x", "x", "y"])
    monkeypatch.setattr(repair, "mint_id", lambda: next(minted))
    repaired = parsed("A:a,b u").repair_interrupted_tool_calls()
    assert [message.id for message in repaired.messages] == ["0", "x", "y", "1"]


def test_a_subclass_stays_one() -> None:
    class Named(History):
        pass

    assert type(Named(messages=parsed("A:a").messages).repair_interrupted_tool_calls()) is Named


def test_a_long_row_takes_time_in_step() -> None:
    row = "A:a " * 2_000 + "u " + "A:" + ",".join(f"c{n}" for n in range(2_000))
    repaired = parsed(row).repair_interrupted_tool_calls()
    assert len(repaired.messages) == 2 * 2_000 + 1 + 1 + 2_000


words = st.sampled_from(
    ["u", "A", "A:a", "A:b", "A:a,b", "A:b,c,a", "A:a,a", "T:a", "T:b", "T:c", "u:a", "T:a+b"]
)
rows = st.lists(words, max_size=9).map(" ".join)


@quickly
@given(rows)
def test_whatever_hangs_is_answered_and_nothing_else_changes(row: str) -> None:
    history = parsed(row)
    repaired = history.repair_interrupted_tool_calls()
    real = [message for message in repaired.messages if message.content != INTERRUPTED_RESULT]
    assert all(one is other for one, other in zip(real, history.messages, strict=True))
    assert repaired.repair_interrupted_tool_calls() is repaired
    assert (repaired is history) == (len(real) == len(repaired.messages))
    ids = [message.id for message in repaired.messages]
    assert len(set(ids)) == len(ids)
    for place, message in enumerate(repaired.messages):
        run = []
        for later in repaired.messages[place + 1 :]:
            if later.role != "tool" or later.tool_calls:
                break
            run.append(later.tool_call_id)
        assert {call.id for call in message.tool_calls} <= set(run)


@quickly
@given(rows)
def test_no_more_is_made_up_than_hangs(row: str) -> None:
    history = parsed(row)
    made = [m for m in history.repair_interrupted_tool_calls().messages if m.content == INTERRUPTED_RESULT]
    hanging = 0
    for place, message in enumerate(history.messages):
        answers = set()
        for later in history.messages[place + 1 :]:
            if later.role != "tool" or later.tool_calls:
                break
            answers.add(later.tool_call_id)
        hanging += sum(call.id not in answers for call in message.tool_calls)
    assert len(made) == hanging


@settings(quickly, max_examples=60)
@given(histories())
def test_a_repaired_history_is_valid_and_has_no_call_without_answer(history: History) -> None:
    repaired = history.repair_interrupted_tool_calls()
    report = check(repaired.to_json().encode())
    assert report.valid
    assert "tool-call-unanswered" not in {finding.rule for finding in report.findings}
    assert History.parse(repaired.to_json()) == repaired


def test_repair_is_no_part_of_reading_or_writing() -> None:
    history = parsed("u A:a")
    assert notation(History.parse(history.to_json()).messages) == "u A:a"
    assert INTERRUPTED_RESULT not in history.to_json()
