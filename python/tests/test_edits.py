"""Edits change what they name and leave every other byte as it is."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from convspec.text.edits import (
    REMOVED,
    Edit,
    edited,
    inserted,
    without_half_surrogates,
    without_repeated_keys,
)


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        ('{"a": 1 , "b":2}', [Edit(("a",), None)], '{"a": null , "b":2}'),
        ('{"a":1}', [Edit(("b",), "x"), Edit(("c",), [])], '{"a":1,"b":"x","c":[]}'),
        ("{ }", [Edit(("b",), {})], '{"b":{} }'),
        (' {"a":{"b":[1,2]}}\n', [Edit(("a", "b"), 0), Edit(("c",), 1)], ' {"a":{"b":0},"c":1}\n'),
        ("[1, 2, 3]", [Edit((0,), REMOVED)], "[2, 3]"),
        ("[1, 2, 3]", [Edit((2,), REMOVED)], "[1, 2]"),
        ("[1, 2, 3]", [Edit((1,), REMOVED), Edit((2,), REMOVED)], "[1]"),
        ("[1, 2, 3]", [Edit((0,), REMOVED), Edit((2,), REMOVED)], "[2]"),
        ("[ 1 ]", [Edit((0,), REMOVED)], "[  ]"),
        ('{"a":1,"a":2}', [Edit(("a",), 3)], '{"a":1,"a":3}'),
        ('{"é":"\\u00e9"}', [Edit(("ü",), "ß")], '{"é":"\\u00e9","ü":"ß"}'),
        ("{}", [Edit(("a",), "\ud800")], '{"a":"\\ud800"}'),
    ],
)
def test_an_edit_changes_the_bytes_of_its_value(before: str, edits: list[Edit], after: str) -> None:
    assert edited(before.encode(), edits).decode() == after


def test_items_are_put_behind_others_in_the_manner_of_the_array() -> None:
    text = '{"m": [\n  1,\n  2\n]}'
    assert inserted(text.encode(), ("m",), {1: [3, 4]}).decode() == '{"m": [\n  1,\n  2,\n  3,\n  4\n]}'
    assert inserted(b"[1]", (), {0: [2]}) == b"[1, 2]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a":1,"b":2,"a":3}', '{"b":2,"a":3}'),
        ('{"a":1, "a":2, "a":3}', '{"a":3}'),
        ('[{"a":{"x":1,"x":2},"b":0,"\\u0061":{"y":1, "y":2}}]', '[{"b":0,"\\u0061":{"y":2}}]'),
        ('"a"', '"a"'),
    ],
)
def test_of_repeated_keys_the_last_is_kept(before: str, after: str) -> None:
    assert without_repeated_keys(before.encode()).decode() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r'"\ud83d\ude00"', r'"\ud83d\ude00"'),
        (r'"\ud83d"', r'"\ufffd"'),
        (r'"\ude00\ud83d"', r'"\ufffd\ufffd"'),
        (r'"\ud83d\ud83d\ude00"', r'"\ufffd\ud83d\ude00"'),
        (r'"\\ud83d"', r'"\\ud83d"'),
        (r'"\\\uD83D"', r'"\\\ufffd"'),
    ],
)
def test_halves_of_surrogate_pairs_are_replaced(before: str, after: str) -> None:
    assert without_half_surrogates(before.encode()).decode() == after


def test_edits_at_random_do_what_the_same_assignments_do() -> None:
    rng = random.Random(11)
    for _ in range(2000):
        value = _value(rng, 3)
        if not isinstance(value, dict):
            continue
        text = json.dumps(value, indent=rng.choice([None, 2]))
        keys = rng.sample("abcdef", rng.randrange(1, 5))
        gone = {key for key in keys if key in value and rng.random() < 0.3}
        edits = [Edit((key,), REMOVED if key in gone else rng.random()) for key in keys]
        if any(edit.value is REMOVED for edit in edits) and any(edit.path[0] not in value for edit in edits):
            edits = [edit for edit in edits if edit.path[0] in value]
        for edit in edits:
            if edit.value is REMOVED:
                del value[edit.path[0]]
            else:
                value[edit.path[0]] = edit.value
        assert json.loads(edited(text.encode(), edits)) == value


def _value(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([None, True, 1.5, "x", "é\u2028", "[", '"'])
    if rng.random() < 0.3:
        return [_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice("abcdef"): _value(rng, depth - 1) for _ in range(rng.randrange(5))}
