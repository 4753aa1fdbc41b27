"""Tool calls and results, against a slow reading of clauses 4.2 to 4.8 word by word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import convspec
from convspec.pairing import Judgement, Results, Unanswered
from inputs import history

IDS = ("a", "b", "c")
quickly = settings(max_examples=500, deadline=None, database=None)


@dataclass(frozen=True)
class Message:
    """What a message means for pairing. `calls` are those that can be read, by place and id."""

    calls: tuple[tuple[int, str], ...] = ()
    result: str | None = None
    calls_unread: bool = False
    any_result: bool = False
    ends_run: bool = True


# The reference: for every question all messages are looked through again.


def latest_call(messages: list[Message], index: int, id: str) -> int | None:
    """Return the nearest earlier message that has a call with this id (4.4)."""
    return next((i for i in range(index - 1, -1, -1) if id in [c for _, c in messages[i].calls]), None)


def judged(messages: list[Message], index: int) -> Judgement | None:
    """Say what is wrong with the result at `index`, leaving gaps aside (4.4 to 4.6)."""
    id = messages[index].result
    assert id is not None
    owner = latest_call(messages, index, id)
    if owner is None:
        return Judgement.UNMATCHED
    calls = [c for _, c in messages[owner].calls].count(id)
    before = [m for m in messages[owner + 1 : index] if m.result == id]
    if len(before) >= calls:
        return Judgement.DUPLICATE
    between = messages[owner + 1 : index]
    if any(m.calls or m.ends_run for m in between):
        return Judgement.MISPLACED
    return None


def belongs(messages: list[Message], index: int, judgement: Judgement) -> Any:
    """Return the place that a judgement points back to."""
    id = messages[index].result
    assert id is not None
    owner = latest_call(messages, index, id)
    if owner is None:
        return None
    if judgement is Judgement.MISPLACED:
        return owner, next(place for place, c in messages[owner].calls if c == id)
    return next(i for i in range(owner + 1, index) if messages[i].result == id)


def unanswered(messages: list[Message], index: int) -> list[int]:
    """Return the places of the calls of a message that nothing in their reach answers (4.7, 4.8)."""
    places = []
    for id in dict.fromkeys(c for _, c in messages[index].calls):
        reach = messages[index + 1 :]
        following = [i for i, m in enumerate(reach) if id in [c for _, c in m.calls]]
        if following:
            reach = reach[: following[0] + 1]
        if not any(m.result == id or m.any_result for m in reach):
            places.append(next(place for place, c in messages[index].calls if c == id))
    return places


def reused(messages: list[Message], index: int) -> list[tuple[int, str, int]]:
    """Return place, id and earlier message of each id that an earlier message has used (4.3)."""
    found = []
    for id in dict.fromkeys(c for _, c in messages[index].calls):
        owner = latest_call(messages, index, id)
        if owner is not None:
            found.append((next(place for place, c in messages[index].calls if c == id), id, owner))
    return found


ids = st.sampled_from(IDS)


def made(*ids: str) -> Message:
    return Message(tuple(enumerate(ids)))


def answer(id: str) -> Message:
    return Message(result=id, ends_run=False)


plain = st.one_of(
    st.lists(ids, min_size=1, max_size=4).map(lambda chosen: made(*chosen)),
    ids.map(answer),
    ids.map(answer),
    st.just(Message()),
)


class TestResults:
    @quickly
    @given(st.lists(plain, max_size=14))
    def test_every_result_is_judged_as_the_clauses_read(self, messages: list[Message]) -> None:
        judge: Results[Any] = Results()
        for index, message in enumerate(messages):
            if message.calls:
                told = list(judge.calls((id, (index, place)) for place, id in message.calls))
                assert told == [
                    ((index, place), (owner, next(p for p, c in messages[owner].calls if c == id)))
                    for place, id, owner in reused(messages, index)
                ]
            elif message.result is not None:
                expected = judged(messages, index)
                wanted = None if expected is None else (expected, belongs(messages, index, expected))
                assert judge.result(message.result, index) == wanted
            else:
                judge.other()

    def test_without_any_call_a_result_is_unmatched(self) -> None:
        judge: Results[int] = Results()
        assert judge.result("a", 0) == (Judgement.UNMATCHED, None)

    def test_two_calls_with_one_id_take_two_answers(self) -> None:
        judge: Results[int] = Results()
        assert list(judge.calls([("a", 0), ("a", 1)])) == []
        assert [judge.result("a", place) for place in (2, 3, 4)] == [None, None, (Judgement.DUPLICATE, 2)]

    def test_a_message_without_calls_that_is_given_as_one_ends_the_run(self) -> None:
        judge: Results[int] = Results()
        assert list(judge.calls([("a", 0)])) == []
        assert list(judge.calls([])) == []
        assert judge.result("a", 1) == (Judgement.MISPLACED, 0)

    def test_ids_are_compared_code_point_by_code_point(self) -> None:
        judge: Results[int] = Results()
        assert list(judge.calls([("\u00e9", 0)])) == []
        assert judge.result("e\u0301", 1) == (Judgement.UNMATCHED, None)


class TestUnanswered:
    @quickly
    @given(st.lists(plain | st.just(Message(any_result=True)), max_size=14))
    def test_every_call_is_judged_as_the_clause_reads(self, messages: list[Message]) -> None:
        judge: Unanswered[Any] = Unanswered()
        told: list[Any] = []
        for index, message in enumerate(messages):
            if message.calls:
                told += judge.calls((id, (index, place)) for place, id in message.calls)
            elif message.result is not None:
                judge.result(message.result)
            elif message.any_result:
                judge.unsure()
        told += judge.left()
        assert sorted(told) == [
            (index, place) for index in range(len(messages)) for place in sorted(unanswered(messages, index))
        ]

    def test_a_second_answer_and_an_answer_to_nothing_change_nothing(self) -> None:
        judge: Unanswered[int] = Unanswered()
        judge.result("b")
        assert list(judge.calls([("a", 0), ("b", 1)])) == []
        judge.result("a")
        judge.result("a")
        assert list(judge.left()) == [1]


# The same over whole documents, with what cannot be read (4.8)


def call(id: Any) -> dict[str, Any]:
    return {"id": id, "name": "read", "arguments": {}}


def with_calls(role: Any, made: list[Any]) -> dict[str, Any]:
    return {"role": role, "content": "x", "tool_calls": made}


def readable(made: list[Any]) -> tuple[tuple[int, str], ...]:
    return tuple((i, c["id"]) for i, c in enumerate(made) if isinstance(c, dict) and c.get("id") in IDS)


Pair = tuple[Any, Message]
calls = st.lists(ids.map(call), min_size=1, max_size=3)
bad_call = st.sampled_from([None, "x", {}, call(""), call(1), {"name": "read", "arguments": {}}])
lame_call = ids.map(lambda name: {"id": name, "name": "", "arguments": None})
mixed = st.lists(ids.map(call) | bad_call | lame_call, min_size=1, max_size=3)


def caller(made: list[Any]) -> Pair:
    read = readable(made)
    return with_calls("assistant", made), Message(read, calls_unread=len(read) < len(made))


def caller_of_no_role(made: list[Any], role: Any) -> Pair:
    read = readable(made)
    meaning = Message(read, calls_unread=len(read) < len(made), any_result=True, ends_run=False)
    return with_calls(role, made), meaning


def result(id: str) -> Pair:
    return {"role": "tool", "content": "x", "tool_call_id": id}, answer(id)


def result_with_calls(id: str, made: list[Any]) -> Pair:
    value = with_calls("tool", made) | {"tool_call_id": id}
    return value, Message(result=id, calls_unread=True, ends_run=False)


def lost_result(value: Any) -> Pair:
    message = {"role": "tool", "content": "x", "tool_call_id": value}
    if value == "MISSING":
        del message["tool_call_id"]
    return message, Message(any_result=True, ends_run=False)


def no_role(message: dict[str, Any]) -> Pair:
    return {"content": "x", **message}, Message(any_result=True, ends_run=False)


pairs: st.SearchStrategy[Pair] = st.one_of(
    calls.map(caller),
    calls.map(caller),
    mixed.map(caller),
    ids.map(result),
    ids.map(result),
    ids.map(result),
    st.sampled_from(["user", "assistant"]).map(lambda role: ({"role": role, "content": "x"}, Message())),
    st.sampled_from([None, 1, "x", []]).map(
        lambda value: (value, Message(calls_unread=True, any_result=True, ends_run=False))
    ),
    calls.map(lambda made: (with_calls("user", made), Message(calls_unread=True))),
    st.sampled_from(["user", "assistant"]).map(
        lambda role: (with_calls(role, "x"), Message(calls_unread=True))
    ),  # type: ignore[arg-type]
    st.builds(result_with_calls, ids, calls),
    st.sampled_from(["MISSING", None, "", 1]).map(lost_result),
    st.sampled_from([{}, {"role": "system"}, {"role": None}, {"role": "", "tool_call_id": "a"}]).map(no_role),
    st.builds(caller_of_no_role, mixed, st.sampled_from(["system", None, 1])),
)


def expected(messages: list[Message]) -> list[tuple[str, str]]:
    """Return every finding of pairing with its pointer, as the clauses read."""
    found: list[tuple[str, str]] = []
    for index, message in enumerate(messages):
        base = f"/messages/{index}"
        found += (("tool-call-unanswered", f"{base}/tool_calls/{p}") for p in unanswered(messages, index))
        found += (("tool-call-id-reused", f"{base}/tool_calls/{p}/id") for p, *_ in reused(messages, index))
        made = [id for _, id in message.calls]
        found += (
            ("tool-call-id-duplicate", f"{base}/tool_calls/{place}/id")
            for order, (place, id) in enumerate(message.calls)
            if id in made[:order]
        )
        if message.result is None:
            continue
        judgement = judged(messages, index)
        gap = any(m.calls_unread for m in messages[:index])
        if judgement is not None and not (judgement is Judgement.UNMATCHED and gap):
            found.append((f"tool-result-{judgement.value}", f"{base}/tool_call_id"))
    return sorted(found)


class TestWholeDocuments:
    def told(self, *messages: Any) -> list[tuple[str, str | None]]:
        numbered = [
            {"id": f"m{index}", **message} if isinstance(message, dict) else message
            for index, message in enumerate(messages)
        ]
        report = convspec.check(history(*numbered))
        return sorted((f.rule, f.pointer) for f in report.findings if f.rule.startswith("tool-"))

    @quickly
    @given(st.lists(pairs, max_size=10))
    def test_every_finding_is_as_the_clauses_read(self, drawn: list[Pair]) -> None:
        assert self.told(*(value for value, _ in drawn)) == expected([meaning for _, meaning in drawn])

    def test_a_result_that_makes_calls_is_not_the_gap_before_itself(self) -> None:
        both = {"role": "tool", "content": "x", "tool_call_id": "a", "tool_calls": [call("a")]}
        assert self.told(both) == [("tool-result-unmatched", "/messages/0/tool_call_id")]
        assert self.told(both, both) == [("tool-result-unmatched", "/messages/0/tool_call_id")]

    def test_a_caller_of_unknown_role_may_answer_earlier_calls_but_not_its_own(self) -> None:
        first, second = with_calls("assistant", [call("a")]), with_calls("system", [call("a")])
        assert self.told(first, second) == [
            ("tool-call-id-reused", "/messages/1/tool_calls/0/id"),
            ("tool-call-unanswered", "/messages/1/tool_calls/0"),
        ]


def test_the_reference_itself_knows_every_judgement() -> None:
    messages = [made("a", "b"), answer("b"), Message(), answer("a"), answer("a"), answer("c")]
    assert [judged(messages, i) for i in (1, 3, 4, 5)] == [
        None,
        Judgement.MISPLACED,
        Judgement.DUPLICATE,
        Judgement.UNMATCHED,
    ]
    assert unanswered([made("a", "b", "a"), answer("b"), made("a"), answer("a")], 0) == [0]
