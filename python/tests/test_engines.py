"""Two schema engines, one answer: the native one and the one in pure Python find the same."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from convspec import engines, schemas
from convspec.schemas import Violation
from inputs import corpus_values

pytest.importorskip("jsonschema_rs", reason="the native engine is not installed: there is nothing to compare")

HISTORY = "history/1.0/history.schema.json"
PARTS = ("message", "tool-call", "attachment", "thinking", "tokens")
FOREIGN: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 1.0, -0.0, 0.5, -0.5, 3.0, 1e300, -1e300),
    *(2**53, 2**63, 2**64, 10**30, -(10**30), 1e16, 5e-324),
    *(
        "",
        " ",
        "a",
        "\n",
        "\0",
        "\u00e4",
        "\U0001f600",
        "user",
        "assistant",
        "tool",
        "reference",
        "1",
        "null",
    ),
    *("0" * 64, "0" * 64 + "\n", "\n" + "0" * 64, "0" * 63, "A" * 64, "\u0660" * 64, "0" * 63 + "\ud800"),
    *([], [[]], [None], ["a"], [{}], {}, {"": 1}, {"id": "x"}, {"role": "tool"}, {"\ud800": 1}, "\ud800"),
)


def both(path: str, instance: Any) -> tuple[list[Violation], list[Violation]]:
    """Return what the fast and what the plain engine find, with `expected` told apart by type."""
    fast = engines.violations(path, instance, by=engines.engine(path))
    plain = engines.violations(path, instance, by=engines.plain_engine(path))
    assert repr(fast) == repr(plain), (path, instance)
    return fast, plain


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container of a value with each of its keys or indexes."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield value, key
        yield from places(item)


class Mutator:
    """Changes a document in place, a few members at a time, the same way for the same seed."""

    def __init__(self, seed: int, documents: list[Any]) -> None:
        self.rng = random.Random(seed)
        self.documents = documents
        self.names = sorted(
            {key for document in documents for holder, key in places(document) if isinstance(key, str)}
        )

    def document(self) -> Any:
        document = copy.deepcopy(self.rng.choice(self.documents))
        for _ in range(self.rng.randint(1, 3)):
            found = list(places(document))
            if not found:
                return document
            self.change(*self.rng.choice(found))
        return document

    def change(self, holder: Any, key: Any) -> None:
        match self.rng.choice(("drop", "rename", "retype", "retype", "nest", "add")):
            case "drop":
                del holder[key]
            case "rename" if isinstance(holder, dict):
                holder[self.rng.choice(self.names)] = holder.pop(key)
            case "nest":
                holder[key] = self.rng.choice(([holder[key]], {"id": holder[key]}, [[], holder[key]]))
            case "add" if isinstance(holder, dict):
                holder[self.rng.choice(self.names)] = self.foreign()
            case "add":
                holder.append(self.foreign())
            case _:
                holder[key] = self.foreign()

    def foreign(self) -> Any:
        return copy.deepcopy(self.rng.choice(FOREIGN))


def short_documents() -> list[Any]:
    """Return the objects of the corpus that are short, so that many can be tried."""
    return [value for value in corpus_values() if isinstance(value, dict) and len(repr(value)) < 1_500]


class TestTheEnginesAgree:
    def test_over_the_whole_corpus(self) -> None:
        found = Counter(bool(both(HISTORY, value)[0]) for value in corpus_values())
        assert found.total() > 500
        assert found[True] > 150

    def test_over_four_thousand_mutated_documents(self) -> None:
        mutator = Mutator(20_240_601, short_documents())
        keywords: Counter[str] = Counter()
        for _ in range(4_000):
            keywords.update(violation.keyword for violation in both(HISTORY, mutator.document())[0])
        assert keywords.keys() == {
            *("type", "enum", "const", "minLength", "pattern", "minimum", "maxItems", "required")
        }
        assert min(keywords.values()) > 10

    @pytest.mark.parametrize("part", PARTS)
    def test_over_every_foreign_value_in_every_member_of_a_part(self, part: str) -> None:
        path = f"history/1.0/{part}.schema.json"
        found = 0
        for example in schemas.documents()[path]["examples"]:
            for value in FOREIGN:
                both(path, value)
                for member in sorted(schemas.members(path)) if isinstance(example, dict) else ():
                    found += len(both(path, {**example, member: value})[0])
        assert found > 20

    @pytest.mark.parametrize("role", ["user", "assistant", "tool", "system", "", None, 1, [], {}])
    def test_over_every_role_with_every_call_and_result(self, role: Any) -> None:
        path = "history/1.0/message.schema.json"
        for result in ("MISSING", None, "", "c", 1, [], {}):
            for calls in ("MISSING", None, [], [{}], [{"id": "c", "name": "n", "arguments": {}}], "x", {}):
                message = {
                    "id": "m",
                    "role": role,
                    "content": "",
                    "tool_call_id": result,
                    "tool_calls": calls,
                }
                both(path, {key: value for key, value in message.items() if value != "MISSING"})

    def test_on_half_a_surrogate_anywhere(self) -> None:
        for text in ("\ud800", "a\udfff"):
            message = {"id": text, "role": text, "content": 1, text: text}
            fast, _ = both(HISTORY, {"version": 1, "messages": [message], text: text})
            assert [(v.path, v.keyword) for v in fast] == [
                (("messages", 0, "content"), "type"),
                (("messages", 0, "role"), "enum"),
            ]

    def test_on_integers_of_any_length(self) -> None:
        for digits in (19, 20, 21, 40, 310, 4_300):
            number = int("9" * digits)
            tokens = {"input": number, "output": -number, "cached": float(10**20), "thinking": 0.5}
            fast, _ = both("history/1.0/tokens.schema.json", tokens)
            assert [(v.path, v.keyword, v.expected) for v in fast] == [
                (("output",), "minimum", 0),
                (("thinking",), "type", ["integer", "null"]),
            ]

    def test_on_a_hundred_levels(self) -> None:
        value: Any = json.loads("[" * 97 + "]" * 97)
        for deep in ({"version": 1, "messages": value}, {"version": 1, "messages": [], "x": value}):
            both(HISTORY, deep)


class TestViolations:
    def test_there_is_at_most_one_for_a_place_and_a_missing_member(self) -> None:
        mutator = Mutator(7, short_documents())
        for _ in range(300):
            found = engines.violations(HISTORY, mutator.document())
            assert len({(violation.path, violation.member) for violation in found}) == len(found)

    @pytest.mark.parametrize(
        ("member", "value", "keyword", "expected"),
        [
            ("kind", 1, "type", ["null", "string"]),
            ("kind", "x", "enum", ["user", "reference", None]),
            ("role", "", "enum", ["user", "assistant", "tool"]),
            ("role", None, "type", ["string"]),
            ("tool_call_id", 1, "type", ["null"]),
            ("tool_call_id", "", "type", ["null"]),
            ("tool_calls", "x", "type", ["array", "null"]),
            ("tool_calls", [0], "maxItems", 0),
            ("id", "", "minLength", 1),
        ],
    )
    @pytest.mark.parametrize("by", [engines.engine, engines.plain_engine])
    def test_the_first_keyword_that_fails_is_the_one(
        self, by: Any, member: str, value: Any, keyword: str, expected: Any
    ) -> None:
        path = "history/1.0/message.schema.json"
        message = {"id": "m", "role": "user", "content": "", member: value}
        found = [v for v in engines.violations(path, message, by=by(path)) if v.path == (member,)]
        assert found == [Violation((member,), keyword, expected)]

    @pytest.mark.parametrize("by", [engines.engine, engines.plain_engine])
    def test_a_line_feed_behind_the_digits_does_not_match(self, by: Any) -> None:
        path = "history/1.0/attachment.schema.json"
        for digest, bad in (("0" * 64, 0), ("0" * 64 + "\n", 1), ("\n" + "0" * 64, 1), ("0" * 64 + "\r", 1)):
            attachment = {"mime": "a/b", "filename": "", "sha256": digest}
            assert len(engines.violations(path, attachment, by=by(path))) == bad

    @pytest.mark.parametrize("by", [engines.engine, engines.plain_engine])
    def test_an_instance_is_left_as_it_was(self, by: Any) -> None:
        for value in corpus_values()[:100]:
            before = repr(value)
            engines.violations(HISTORY, value, by=by(HISTORY))
            assert repr(value) == before
