"""The cases about values: near misses that differ in one place, and no member that could go uncompared."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from conftest import CASES
from convspec import History, check
from convspec.conformance.cases import Case
from convspec.history.model import Attachment, Message, Thinking, Tokens, ToolCall

LaidOut = Callable[[Case], Path]

EQUAL = [case for case in CASES if case.document["kind"] == "equal"]
NEAR_MISSES = [case for case in EQUAL if not case.document["expect"]["equal"]]
REPAIR = [case for case in CASES if case.document["kind"] == "repair"]
BLOCKS = (History, Message, Attachment, ToolCall, Thinking, Tokens)
ALWAYS_THE_SAME = [(History, "version")]
"""Members in which no two loaded values differ."""
COUNTS = tuple(field.name for field in fields(Tokens) if field.name != "extra")
MEMBERS = [
    (block, name)
    for block in BLOCKS
    for name in (COUNTS if block is Tokens else [field.name for field in fields(block) if field.compare])
    if (block, name) not in ALWAYS_THE_SAME
]


def inputs(case: Case, laid_out: LaidOut) -> list[Path]:
    path = laid_out(case)
    return [path, *([path.parent / case.document["other"]] if "other" in case.document else [])]


@pytest.fixture(scope="module")
def pairs(laid_out: LaidOut) -> dict[str, tuple[History, History]]:
    """Both values of every case of the kind `equal`."""
    return {case.id: tuple(map(History.load, inputs(case, laid_out))) for case in EQUAL}  # type: ignore[misc]


def test_every_input_is_valid(laid_out: LaidOut) -> None:
    """A value is asked for only where there is one."""
    assert len(EQUAL) > 100 < 4 * len(REPAIR)
    for case in (*EQUAL, *REPAIR):
        for path in inputs(case, laid_out):
            assert check(path).valid, case.id


def test_no_two_cases_have_one_title() -> None:
    titles = [case.document["title"] for case in (*EQUAL, *REPAIR)]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("miss", NEAR_MISSES, ids=[case.id for case in NEAR_MISSES])
def test_a_near_miss_differs_in_one_place(miss: Case) -> None:
    one, other = (document(miss, miss.document[name]) for name in ("input", "other"))
    assert places(one, other) == 1


def document(case: Case, name: str) -> Any:
    """Return a document of a case with every stored attachment inline, and every number as it is written."""
    files = case.tree.files
    folder = "" if name in files else f"{name}/"
    value = json.loads(
        files[f"{name}/history.json" if folder else name], parse_int=Decimal, parse_float=Decimal
    )
    for message in value["messages"]:
        for attachment in message.get("attachments", ()):
            if "file" in attachment:
                del attachment["sha256"]
                attachment["data"] = base64.b64encode(files[folder + attachment.pop("file")]).decode()
    return value


def places(one: Any, other: Any) -> int:
    """Count the places in which two documents differ. An item more and another order are one place each."""
    if type(one) is not type(other):
        return 1
    if isinstance(one, dict):
        mine = [one[key] for key in one if key not in other]
        theirs = [other[key] for key in other if key not in one]
        lone = len(mine) if mine == theirs else len(mine) + len(theirs)  # a key of another name is one place
        return lone + sum(places(one[key], other[key]) for key in one.keys() & other.keys())
    if isinstance(one, list) and len(one) == len(other):
        if sorted(map(repr, one)) == sorted(map(repr, other)):
            return int(one != other)
        return sum(map(places, one, other))
    if isinstance(one, list):
        short, long = sorted((one, other), key=len)
        shorter = (long[:index] + long[index + 1 :] for index in range(len(long)))
        return 1 if short in shorter else len(long)
    return int(one != other)


def test_equality_goes_both_ways_and_hashes_go_with_it(pairs: dict[str, tuple[History, History]]) -> None:
    for id, (one, other) in pairs.items():
        assert (one == other) == (other == one), id
        assert hash(one) == hash(other) or one != other, id


def test_equal_histories_and_only_those_have_the_same_canonical_form(
    pairs: dict[str, tuple[History, History]],
) -> None:
    compared = 0
    for case in EQUAL:
        one, other = pairs[case.id]
        try:
            same = one.canonical() == other.canonical()
        except ValueError:  # a number beyond the doubles
            continue
        compared += 1
        assert same == case.document["expect"]["equal"], case.id
    assert compared > 100


@pytest.mark.parametrize(
    ("block", "member"), MEMBERS, ids=[f"{block.__name__}.{name}" for block, name in MEMBERS]
)
def test_a_member_that_is_not_compared_breaks_a_near_miss(
    block: type, member: str, pairs: dict[str, tuple[History, History]], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_block = [name for other, name in MEMBERS if other is block and name != member]
    monkeypatch.setattr(block, "__eq__", comparing(of_block))
    broken = [case.id for case in NEAR_MISSES if equal(pairs[case.id])]
    print(f"without {block.__name__}.{member}: {broken}")
    assert broken


@pytest.mark.parametrize("block", BLOCKS)
def test_an_unknown_member_that_is_compared_breaks_a_case(
    block: type, pairs: dict[str, tuple[History, History]], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_block = [name for other, name in MEMBERS if other is block]
    monkeypatch.setattr(block, "__eq__", comparing([*of_block, "extra"]))
    broken = [case for case in EQUAL if case.document["expect"]["equal"] and not equal(pairs[case.id])]
    assert any("unknown-key" in case.id for case in broken)


def equal(pair: tuple[History, History]) -> bool:
    return pair[0] == pair[1]


def comparing(names: list[str]) -> Callable[[Any, Any], bool]:
    """Return an equality that goes by these members alone."""

    def eq(one: Any, other: Any) -> bool:
        return type(one) is type(other) and all(getattr(one, name) == getattr(other, name) for name in names)

    return eq


def test_a_repair_keeps_every_message_in_its_place(laid_out: LaidOut) -> None:
    for case in REPAIR:
        expect = case.document["expect"]
        ids = [message.id for message in History.load(laid_out(case)).messages]
        assert [message["id"] for message in expect["messages"] if message["id"] != "*"] == ids, case.id
        assert expect["unchanged"] == (len(expect["messages"]) == len(ids)), case.id
        for message in expect["messages"]:
            if message["id"] == "*":
                assert message.keys() == {"id", "role", "content", "tool_call_id"}, case.id
