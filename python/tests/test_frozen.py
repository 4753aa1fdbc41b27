"""Frozen JSON: nothing in it changes, it is equal and hashes as JSON does, and what is no JSON is refused."""

from __future__ import annotations

import copy
import enum
import json
import math
import pickle
import sys
import time
from collections import OrderedDict, UserDict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convspec.frozen import (
    DEEPEST,
    EMPTY,
    Foreign,
    FrozenMap,
    TooDeep,
    exact,
    freeze,
    hashed,
    number,
    same,
    thaw,
)
from histories import ODD_NUMBERS, json_values, objects

quickly = settings(max_examples=120, deadline=None, database=None)


class Text(str):
    def __str__(self) -> str:
        return "another text"


class Whole(int):
    def __int__(self) -> int:
        return 7


class Real(float):
    def __float__(self) -> float:
        return 7.0


class Colour(enum.StrEnum):
    RED = "red"


def nested(levels: int, inner: Any = 1) -> Any:
    """Return a value of so many levels, lists and objects in turn, from the outside: an object."""
    value = inner
    for level in reversed(range(levels)):
        value = [value] if level % 2 else {"a": value}
    return value


# Nothing changes


def test_a_map_has_no_way_to_change_it() -> None:
    frozen: Any = FrozenMap({"a": [1, {"b": 2}]})
    with pytest.raises(TypeError):
        frozen["a"] = 1
    with pytest.raises(TypeError):
        del frozen["a"]
    for name in ("update", "pop", "popitem", "clear", "setdefault", "__ior__"):
        assert not hasattr(frozen, name)
    with pytest.raises(AttributeError):
        frozen.anything = 1
    with pytest.raises(TypeError):
        frozen["a"][0] = 2
    with pytest.raises(TypeError):
        frozen["a"][1]["b"] = 3
    assert thaw(frozen) == {"a": [1, {"b": 2}]}


def test_calling_init_again_changes_nothing() -> None:
    frozen = FrozenMap({"a": 1})
    frozen.__init__({"b": 2})
    assert dict(frozen) == {"a": 1}


def test_what_was_passed_in_may_change_later() -> None:
    inner: list[Any] = [1]
    given_value = {"a": inner, "b": {"c": inner}}
    frozen, value = FrozenMap(given_value), freeze([inner, given_value])
    inner.append(2)
    given_value["z"] = {}
    assert thaw(frozen) == {"a": [1], "b": {"c": [1]}}
    assert thaw(value) == [[1], {"a": [1], "b": {"c": [1]}}]


def test_what_comes_out_belongs_to_the_caller() -> None:
    frozen = FrozenMap({"a": [1, {"b": [2]}]})
    out = thaw(frozen)
    out["a"][1]["b"].append(3)
    out["z"] = 1
    assert frozen == {"a": [1, {"b": [2]}]}


@quickly
@given(json_values)
def test_thawing_undoes_freezing(value: Any) -> None:
    frozen = freeze(value)
    thawed = thaw(frozen)
    assert json.dumps(thawed) == json.dumps(value)
    assert freeze(frozen) == frozen
    assert same(frozen, value)
    assert same(value, frozen)


@quickly
@given(objects)
def test_a_map_survives_pickle_and_copy(value: dict[str, Any]) -> None:
    frozen = FrozenMap(value)
    assert copy.copy(frozen) is frozen
    assert copy.deepcopy(frozen) is frozen
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(frozen, protocol))
        assert type(again) is FrozenMap
        assert again == frozen
        assert hash(again) == hash(frozen)
        assert json.dumps(thaw(again)) == json.dumps(thaw(frozen))


def test_a_map_is_a_mapping() -> None:
    frozen = FrozenMap({"b": 1, "a": 2})
    assert isinstance(frozen, Mapping)
    assert list(frozen) == ["b", "a"]
    assert len(frozen) == 2
    assert "a" in frozen
    assert frozen.get("z", 5) == 5
    assert dict(frozen.items()) == {"b": 1, "a": 2}
    assert not EMPTY
    assert FrozenMap() == FrozenMap(None) == EMPTY == {}
    assert freeze(frozen) is frozen
    assert eval(repr(frozen), {"FrozenMap": FrozenMap}) == frozen


# Equal as JSON is

EQUAL: tuple[tuple[Any, Any], ...] = (
    (1, 1.0),
    (0, -0.0),
    (0.0, -0.0),
    (2**53, 2**53 + 1),
    (2.0**53, 2**53 + 1),
    (10**21, 1e21),
    (10**400, 10**400),
    (10**400, Decimal(10**400)),
    (10**700, Decimal(10**700)),
    ([1, [2]], (1.0, (2,))),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}),
    ({"a": {"x": [True]}}, FrozenMap({"a": {"x": [True]}})),
    ({}, FrozenMap()),
    ("\u00e9", "\u00e9"),
    (None, None),
)
DIFFERENT: tuple[tuple[Any, Any], ...] = (
    (1, True),
    (0, False),
    (1.0, True),
    (None, False),
    (None, 0),
    ("", None),
    ("1", 1),
    ([], {}),
    ([], None),
    ([], ""),
    ([1], [1, 1]),
    ([1, 2], [2, 1]),
    ({"a": None}, {}),
    ({"a": 1}, {"b": 1}),
    ({"a": 1}, {"a": True}),
    ({"a": [1]}, {"a": [True]}),
    ("\u00e9", "e\u0301"),
    (2**53, 2**53 + 2),
    (10**400, 10**400 + 1),
    (10**400, -(10**400)),
    (10**700, Decimal(10**700 + 1)),
    (1.7976931348623157e308, 10**309),
    (b"a", "a"),
)


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_what_is_the_same_json_is_equal_and_has_one_hash(one: Any, other: Any) -> None:
    assert same(one, other)
    assert same(other, one)
    assert hashed(one) == hashed(other)
    a, b = FrozenMap({"k": one}), FrozenMap({"k": other})
    assert a == b
    assert hash(a) == hash(b)
    assert len({a, b}) == 1
    assert a == {"k": other}
    assert {"k": other} == a


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_is_other_json_is_not_equal(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same(other, one)
    if not isinstance(one, bytes):
        assert FrozenMap({"k": one}) != FrozenMap({"k": other})


def test_a_map_is_not_equal_to_what_is_no_mapping() -> None:
    assert FrozenMap() != []
    assert FrozenMap() != ()
    assert FrozenMap() != None  # noqa: E711
    assert FrozenMap() != 0


@quickly
@given(st.lists(st.sampled_from([*ODD_NUMBERS, True, False, 10**400]), min_size=3, max_size=3))
def test_equality_is_an_equivalence(values: list[Any]) -> None:
    a, b, c = values
    assert same(a, a)
    assert same(a, b) == same(b, a)
    if same(a, b):
        assert hashed(a) == hashed(b)
        assert same(a, c) == same(b, c)


def test_numbers_are_compared_as_doubles_where_they_fit() -> None:
    assert type(number(1)) is float
    assert number(2**53 + 1) == 2.0**53
    largest = sys.float_info.max
    assert number(int(largest)) == largest
    assert number(10**309) == 10**309
    assert number(-(10**309)) == -(10**309)


# What is no JSON

HOSTILE: tuple[tuple[Any, tuple[str | int, ...]], ...] = (
    (math.nan, ()),
    ({"a": [0, math.inf]}, ("a", 1)),
    ([{"a": -math.inf}], (0, "a")),
    ({"a": {1, 2}}, ("a",)),
    ([b"bytes"], (0,)),
    ([bytearray(b"a")], (0,)),
    ({"a": {1: 2}}, ("a",)),
    ({None: 1}, ()),
    ({True: 1}, ()),
    ([{"a": object()}], (0, "a")),
    ([iter([])], (0,)),
    ([1j], (0,)),
    ([Decimal("NaN")], (0,)),
    ([Decimal("Infinity")], (0,)),
    ([Decimal("1e400")], (0,)),
    ({"\ud83d\ude00": 1, "\U0001f600": 2}, ()),
)


@pytest.mark.parametrize(("value", "path"), HOSTILE)
def test_what_is_no_json_is_refused_with_its_place(value: Any, path: tuple[str | int, ...]) -> None:
    with pytest.raises(Foreign) as caught:
        freeze(value)
    assert caught.value.path == path
    assert "no JSON" in str(caught.value) or "two keys" in str(caught.value)
    assert isinstance(caught.value, TypeError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.path) == (str(caught.value), path)


@pytest.mark.parametrize("members", [[], [("a", 1)], "ab", 5, b"a"])
def test_a_map_is_made_of_a_mapping(members: Any) -> None:
    with pytest.raises(Foreign):
        FrozenMap(members)


@pytest.mark.parametrize("make", [nested, lambda levels: FrozenMap(nested(levels))])
def test_a_hundred_levels_and_no_more(make: Any) -> None:
    assert thaw(freeze(nested(DEEPEST))) == nested(DEEPEST)
    with pytest.raises(TooDeep):
        freeze(nested(DEEPEST + 1))
    with pytest.raises(TooDeep):
        freeze([make(DEEPEST)])
    with pytest.raises(TooDeep):
        FrozenMap({"a": [make(DEEPEST - 1)]})


def test_no_depth_takes_the_stack() -> None:
    deep: list[Any] = []
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(TooDeep):
        freeze(deep)
    while deep:  # taken apart from the outside: the interpreter would do it level by level, too
        deep = deep[0]


def test_cycles_are_too_deep() -> None:
    a: list[Any] = [1]
    a.append(a)
    b: dict[str, Any] = {}
    b["again"] = [b, b]
    for value in (a, b, [a, b]):
        with pytest.raises(TooDeep):
            freeze(value)


def test_parts_that_are_shared_are_held_in_each_place() -> None:
    shared = {"a": [1, 2]}
    assert thaw(freeze([shared, shared, {"b": shared}])) == [shared, shared, {"b": shared}]
    many = freeze([shared] * 10_000)
    assert len(many) == 10_000


def test_a_long_text_may_stand_in_many_places() -> None:
    text = "x" * 1_000_000
    assert len(freeze([text] * 50)) == 50


@pytest.mark.parametrize(
    "bomb",
    [
        lambda value: [value, value],
        lambda value: {"a": value, "b": value},
        lambda value: [value] * 10,
        lambda value: (value, [value]),
    ],
)
def test_parts_that_hold_each_other_do_not_blow_up(bomb: Any) -> None:
    value: Any = "x"
    for _ in range(45):
        value = bomb(value)
    began = time.monotonic()
    with pytest.raises(Foreign, match="too many times"):
        freeze(value)
    assert time.monotonic() - began < 20


def test_a_long_text_in_too_many_places_is_refused() -> None:
    with pytest.raises(Foreign, match="too many times"):
        freeze([["x" * 1_000_000] * 40] * 40)


# Odd, but JSON


def test_values_of_derived_types_become_plain() -> None:
    value = freeze({Text("key"): [Text("text"), Whole(3), Real(2.5), Colour.RED, True]})
    assert list(map(type, [*value, *value["key"]])) == [str, str, int, float, str, bool]
    assert thaw(value) == {"key": ["text", 3, 2.5, "red", True]}
    assert same(value, {"key": ["text", 3, 2.5, "red", True]})


def test_any_mapping_is_an_object() -> None:
    for kind in (OrderedDict, UserDict, MappingProxyType, FrozenMap):
        assert freeze([kind({"a": (1,)})]) == (FrozenMap({"a": [1]}),)


def test_a_mapping_that_makes_its_values_anew_is_read_once() -> None:
    class Lazy(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            return [key] * 3

        def __iter__(self) -> Iterator[str]:
            return map(str, range(1000))

        def __len__(self) -> int:
            return 1000

    assert freeze([Lazy()])[0]["7"] == ("7", "7", "7")


def test_two_halves_of_a_surrogate_pair_that_meet_are_one_character() -> None:
    assert freeze("a\ud83d\ude00b") == json.loads('"a\\ud83d\\ude00b"') == "a\U0001f600b"
    assert freeze({"\ud83d\ude00": 1}) == {"\U0001f600": 1}
    assert freeze("\ud83d") == "\ud83d"
    assert freeze("\ude00\ud83d") == "\ude00\ud83d"


def test_decimals_are_the_numbers_that_their_digits_are() -> None:
    value = freeze([Decimal("3"), Decimal("-0"), Decimal("1.5"), Decimal("1e3"), Decimal("1e-400")])
    assert value == (3, 0, 1.5, 1000.0, 0.0)
    assert list(map(type, value)) == [int, int, float, float, float]
    long = Decimal("9" * 5000)
    assert freeze(long) == long


def test_long_integers_become_decimals_in_good_time() -> None:
    for value in (0, 1, -1, 2**2000 - 1, 2**2000, -(2**2001), 10**641, 3**4000, -(7**3000)):
        frozen = freeze(value)
        assert frozen == value
        assert same(frozen, value)
        assert hashed(frozen) == hashed(value)
        assert exact(value) == value
        assert type(frozen) is (int if abs(value) < 2**2000 else Decimal)
    began = time.monotonic()
    freeze([1 << 3_000_000])
    assert time.monotonic() - began < 10
