"""Every assertion of the history and session schemas is held by a case, in both directions.

Each schema is weakened and tightened, one assertion at a time, and judged against the values of the corpus.
A mutant that no case notices is an assertion that could be lost without anyone seeing it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import CASES
from convspec import schemas
from convspec.conformance.cases import Case
from mutations import patterns
from mutations.gate import Gate, told
from mutations.instances import Instance, instances
from mutations.schema_mutants import ASSERTIONS, Mutant

GATED = tuple(name for name in schemas.documents() if name.startswith(("history/", "session/")))
ALLOWED = json.loads((Path(__file__).parent / "data" / "mutations_allowed.json").read_bytes())
ADVICE = "each of these can be lost unseen (docs: conformance, the mutation gate)"

Survivors = dict[str, Mutant]


@pytest.fixture(scope="module")
def judged(laid_out: Callable[[Case], Path]) -> tuple[Instance, ...]:
    """What the corpus gives the schemas to judge."""
    return instances(CASES, laid_out)


@pytest.fixture(scope="module")
def gate(judged: tuple[Instance, ...]) -> Gate:
    return Gate({name: schemas.documents()[name] for name in GATED}, judged)


@pytest.fixture(scope="module")
def every_mutant(gate: Gate) -> tuple[Mutant, ...]:
    return tuple(gate.mutants(GATED))


@pytest.fixture(scope="module")
def survivors(gate: Gate, every_mutant: tuple[Mutant, ...]) -> Survivors:
    """The mutants that no case notices, by id."""
    return {mutant.id: mutant for mutant in every_mutant if gate.notices(mutant) is None}


def test_the_schemas_alone_say_what_the_cases_expect(judged: tuple[Instance, ...]) -> None:
    """So an assertion that is gone from a schema breaks this, and what is judged below is the corpus."""
    wrong = {one.case: (told(one), one.expected) for one in judged if told(one) != one.expected}
    assert wrong == {}


def test_every_mutant_is_noticed(every_mutant: tuple[Mutant, ...], survivors: Survivors) -> None:
    senses = Counter(mutant.sense for mutant in every_mutant)
    print(f"{len(every_mutant)} mutants ({dict(senses)}), {len(survivors)} of them not noticed and allowed")
    unexplained = [one.advice for id, one in survivors.items() if not any(matching(ALLOWED, id))]
    assert not unexplained, "\n".join([ADVICE, *unexplained])


@pytest.mark.parametrize("entry", ALLOWED, ids=range(len(ALLOWED)))
def test_an_exception_speaks_of_survivors_only_and_of_all_it_counts(
    entry: dict[str, Any], every_mutant: tuple[Mutant, ...], survivors: Survivors
) -> None:
    """The count also guards what the exception is about: with the assertion gone there is one fewer."""
    found = [mutant.id for mutant in every_mutant if any(matching([entry], mutant.id))]
    assert [id for id in found if id not in survivors] == []
    assert len(found) == entry["count"] > 0


def test_there_are_few_exceptions_and_each_has_a_reason_and_its_own_mutants(survivors: Survivors) -> None:
    assert len(ALLOWED) <= 8
    for entry in ALLOWED:
        assert entry.keys() == {"mutants", "count", "reason"}
        assert len(entry["reason"]) > 40
    assert [id for id in survivors if len(list(matching(ALLOWED, id))) > 1] == []


def matching(entries: Iterable[dict[str, Any]], id: str) -> Iterator[dict[str, Any]]:
    """Yield the exceptions that speak of a mutant."""
    return (entry for entry in entries if re.fullmatch(entry["mutants"], id))


def test_no_mutant_has_the_id_or_the_schema_of_another(every_mutant: tuple[Mutant, ...]) -> None:
    assert max(Counter(mutant.id for mutant in every_mutant).values()) == 1
    texts = Counter((mutant.file, json.dumps(mutant.document)) for mutant in every_mutant)
    texts.update((name, json.dumps(schemas.documents()[name])) for name in GATED)
    assert max(texts.values()) == 1


@pytest.mark.parametrize("name", GATED)
def test_every_assertion_is_taken_out_once(name: str, every_mutant: tuple[Mutant, ...]) -> None:
    document = schemas.documents()[name]
    without = [
        mutant.document for mutant in every_mutant if mutant.file == name and mutant.sense != "tighten"
    ]
    listed = list(assertions(document, document, lambda changed: changed))
    assert listed
    for place, changed in listed:
        assert changed in without, place


Rebuild = Callable[[Any], Any]


def assertions(schema: Any, document: Any, rebuild: Rebuild, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every assertion of a file with the file as it is without it.

    Written without the mutants' own walk: it goes through everything that is no text for people.
    """
    if isinstance(schema, list):
        for index, item in enumerate(schema):

            def inside(changed: Any, index: int = index) -> Any:
                return rebuild([*schema[:index], changed, *schema[index + 1 :]])

            yield from assertions(item, document, inside, f"{place}/{index}")
    if not isinstance(schema, dict):
        return
    members = place.endswith("/properties")
    for keyword, value in schema.items():
        here = f"{place}/{keyword}"
        if not members and keyword in ("title", "description", "examples", "$schema", "$id"):
            continue
        if not members and keyword == "required":
            for member in value:
                rest = [one for one in value if one != member]
                yield f"{here} {member}", rebuild({**schema, keyword: rest})
        elif not members and keyword not in ("properties", "allOf"):
            yield here, rebuild({one: schema[one] for one in schema if one != keyword})

        def within(changed: Any, keyword: str = keyword) -> Any:
            return rebuild({**schema, keyword: changed})

        yield from assertions(value, document, within, here)


def test_no_keyword_is_unknown_to_the_gate() -> None:
    used = {keyword for name in GATED for keyword in keywords(schemas.documents()[name])}
    unjudged = {"title", "description", "examples", "$schema", "$id", "properties"}
    assert used <= unjudged | {*ASSERTIONS, "required", "allOf"}


def keywords(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the keywords of a schema and of those in it."""
    yield from schema
    below = [*schema.get("properties", {}).values(), *schema.get("allOf", ())]
    for inner in (*below, *(schema[key] for key in ("if", "then", "items") if key in schema)):
        yield from keywords(inner)


TOY = {
    "$id": schemas.BASE + "toy",
    "type": "object",
    "required": ["a", "b"],
    "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"type": ["string", "null"]}},
}
"""A small schema, and below what a small corpus says of it."""
SOUND = ({"a": 0, "b": ""}, {"a": 1, "b": None}, {"a": 2, "b": "x", "c": 1})
BROKEN = (
    *(((other, "", "type")) for other in ([], "x", 1, True, None)),
    ({"b": "x"}, "", "required", "a"),
    ({"a": 1}, "", "required", "b"),
    *(({"a": other, "b": "x"}, "/a", "type") for other in ({}, [], "x", 0.5, True, None)),
    ({"a": -1, "b": "x"}, "/a", "minimum"),
    *(({"a": 1, "b": other}, "/b", "type") for other in ({}, [], 1, True)),
)


def toy_survivors(sound: Iterable[Any], broken: Iterable[tuple[Any, ...]]) -> list[str]:
    given = [Instance("toy", value, frozenset(), True, "") for value in sound]
    for value, *rest in broken:
        pointer, keyword, member = (*rest, "")[:3]
        given.append(Instance("toy", value, frozenset({(pointer, keyword, member)}), False, ""))
    toy = Gate({"toy": TOY}, given)
    return [mutant.id for mutant in toy.mutants(["toy"]) if toy.notices(mutant) is None]


def test_a_full_corpus_leaves_no_survivor() -> None:
    assert toy_survivors(SOUND, BROKEN) == []


@pytest.mark.parametrize(
    ("lost", "left"),
    [
        (({"a": 1}, "", "required", "b"), ['toy#/required without "b"']),
        (({"a": 0.5, "b": "x"}, "/a", "type"), ["toy#/properties/a/type number for integer"]),
        (({"a": True, "b": "x"}, "/a", "type"), ["toy#/properties/a/type with boolean"]),
        (({"a": 1, "b": []}, "/b", "type"), ["toy#/properties/b/type with array"]),
        (
            ({"a": -1, "b": "x"}, "/a", "minimum"),
            ["toy#/properties/a/minimum removed", "toy#/properties/a/minimum -1 for 0"],
        ),
    ],
)
def test_an_invalid_case_that_is_missing_is_missed(lost: tuple[Any, ...], left: list[str]) -> None:
    broken = [one for one in BROKEN if repr(one) != repr(lost)]
    assert len(broken) == len(BROKEN) - 1
    assert toy_survivors(SOUND, broken) == left


@pytest.mark.parametrize(
    ("lost", "left"),
    [
        (SOUND[0], ["toy#/properties/a/minimum 1 for 0", "toy#/properties/b/minLength 1"]),
        (SOUND[1], ["toy#/properties/b/type without null"]),
        (SOUND[2], ["toy#/additionalProperties false"]),
    ],
)
def test_a_valid_case_that_is_missing_is_missed(lost: dict[str, Any], left: list[str]) -> None:
    assert toy_survivors([one for one in SOUND if one is not lost], BROKEN) == left


def test_a_case_that_is_wrong_for_another_reason_is_no_valid_case() -> None:
    refused = Instance("toy", SOUND[1], frozenset(), False, "")
    toy = Gate({"toy": TOY}, [refused])
    (narrowed,) = (one for one in toy.mutants(["toy"]) if one.id == "toy#/properties/b/type without null")
    assert toy.notices(narrowed) is None


@pytest.mark.parametrize(
    ("id", "advice"),
    [
        ('toy#/required without "b"', 'write an invalid case in which "b" is missing in the object'),
        ("toy#/properties/b/type without null", 'write a valid case in which "b" is of type null'),
    ],
)
def test_a_survivor_says_what_to_do(id: str, advice: str) -> None:
    said = {mutant.id: mutant.advice for mutant in Gate({"toy": TOY}, []).mutants(["toy"])}
    assert said[id] == f"{id}: no case notices; {advice}"


@pytest.mark.parametrize(
    ("pattern", "more", "less"),
    [
        ("^ab$", ["ab$", "^ab", "^[^\\n][^\\n]$", "^(ab)?$"], []),
        ("^[ab]+$", ["[ab]+$", "^[ab]+", "^[^\\n]+$", "^[ab]*$"], ["^[b]+$", "^[a]+$", "^[ab]$"]),
        (
            "^[0-9]{2}$",
            ["[0-9]{2}$", "^[0-9]{2}", "^[^\\n]{2}$", "^[0-9٠-٩０-９]{2}$", "^[0-9]{2,3}$", "^[0-9]{1,2}$"],
            ["^[1-9]{2}$", "^[0-8]{2}$"],
        ),
        (
            "^(a|[b])$",
            ["(a|[b])$", "^(a|[b])", "^([^\\n]|[b])$", "^((a)?|[b])$", "^(a|[^\\n])$", "^(a|([b])?)$",
             "^(a|[b])?$"],
            ["^([b])$", "^(a)$"],
        ),
    ],
)  # fmt: skip
def test_every_part_of_a_pattern_is_loosened_and_narrowed(
    pattern: str, more: list[str], less: list[str]
) -> None:
    assert sorted(made for _, made in patterns.loosened(pattern)) == sorted(more)
    assert sorted(made for _, made in patterns.narrowed(pattern)) == sorted(less)


@pytest.mark.parametrize("pattern", ["^a.$", r"^\d$", "^a*$", "^a{2,3}$", "^a{2,}$"])
def test_a_pattern_that_is_not_understood_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="has no mutants"):
        list(patterns.loosened(pattern))
