"""Every wrong implementation of the zoo is caught, where it should be and by what should catch it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache

import pytest

import zoo
from conftest import ROOT
from convspec.conformance import protocol
from convspec.conformance.corpus import FolderCorpus
from convspec.conformance.process import Command
from convspec.conformance.protocol_tier import ProtocolTier
from convspec.conformance.results import Results, Status
from convspec.conformance.runner import run
from fakes import line
from zoo import ANIMALS, LEVELS, Animal, Reference, bent, caught_by, levels_of, run_of
from zoo.keeper import BentTier

EVERY_SECOND = ("double-talker", "mayfly")
"""They are caught by which case comes when, not by what is in it."""

each_animal = pytest.mark.parametrize("animal", ANIMALS, ids=[animal.name for animal in ANIMALS])


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference.over(ROOT / "conformance")


@pytest.fixture(scope="module")
def results_of(reference: Reference) -> Callable[[Animal], Results]:
    """Run an animal over the corpus, once."""
    return cache(lambda animal: run_of(animal, reference))


@each_animal
def test_an_animal_is_caught(animal: Animal, results_of: Callable[[Animal], Results]) -> None:
    results = results_of(animal)
    caught = caught_by(results)
    print(f"{animal.name}: {len(caught)} cases, {caught[:3]}, {results.complaints}")
    assert not results.sound
    assert sorted(set(animal.by) - set(caught)) == []
    assert levels_of(results) == animal.at
    assert bool(caught) == bool(animal.at)
    assert any(animal.complaint in complaint for complaint in results.complaints or [""])


@each_animal
def test_it_is_known_what_catches_an_animal(animal: Animal, reference: Reference) -> None:
    assert animal.by or animal.complaint or animal.name in EVERY_SECOND
    assert set(animal.by) <= reference.cases.keys()


@pytest.mark.parametrize("name", EVERY_SECOND)
def test_what_spoils_the_next_answer_fails_every_second_case(
    name: str, reference: Reference, results_of: Callable[[Animal], Results]
) -> None:
    assert caught_by(results_of(named(name))) == list(reference.cases)[1::2]


def named(name: str) -> Animal:
    return next(animal for animal in ANIMALS if animal.name == name)


@each_animal
def test_an_animal_of_meaning_speaks_the_protocol_well(animal: Animal, reference: Reference) -> None:
    tier = animal.tier(reference)
    if not isinstance(tier, BentTier):
        return
    for id in animal.by:
        case = reference.cases[id].document
        answered = tier.ask(case, id)
        protocol.answer(line({"seq": 1, **answered.values}), 1, case["kind"])  # type: ignore[union-attr]


def test_no_two_animals_have_one_name() -> None:
    assert len({animal.name for animal in ANIMALS}) == len(ANIMALS) >= 15


def test_no_two_animals_do_the_same() -> None:
    assert len({animal.wrong for animal in ANIMALS}) == len(ANIMALS)


def test_a_straight_animal_passes(reference: Reference) -> None:
    """What catches the others is their bend alone."""
    results = run_of(bent("none", "nothing", lambda case, answer, reference: answer, at=()), reference)
    assert (caught_by(results), results.complaints) == ([], ())
    assert results.judged == len(reference.cases)


def test_sleeping_over_a_case_with_findings_is_always_caught(
    reference: Reference, results_of: Callable[[Animal], Results]
) -> None:
    """Every case with a twin and findings tells the two apart."""
    caught = set(caught_by(results_of(named("sleeper"))))
    told = {
        id
        for id, case in reference.cases.items()
        if "twin" in case.document and case.document["expect"]["findings"]
    }
    assert sorted(told - caught) == []


def test_the_reference_passes_every_case_over_a_real_process() -> None:
    """Whole, and laid out: nothing failed, known, or left out, and nothing to complain of."""
    corpus = FolderCorpus(str(ROOT / "conformance"))
    command = Command((sys.executable, "-m", "convspec.conformance.adapter"))
    results = run(corpus, ProtocolTier(command, 30), corpus.ids())
    wrong = [outcome for outcome in results.outcomes if outcome.status is not Status.PASSED]
    assert (wrong, results.complaints, results.levels) == ([], (), LEVELS)
    assert len(results.outcomes) == len(corpus.entries) >= 1900


def test_the_table_of_the_zoo_has_a_row_for_each_animal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "python" / "scripts"))
    from docs_zoo import zoo_table

    few = (named("yes-man"), named("unescaped"), named("squatter"))
    monkeypatch.setattr(zoo, "ANIMALS", few)
    rows = zoo_table(ROOT).splitlines()
    assert [row.count("|") for row in rows] == [6] * 5
    assert [row.split("|")[1].strip() for row in rows[2:]] == [animal.name for animal in few]
    assert "| findings | 1 case | `history/schema/pointer-escapes` |" in rows[3]
    assert "did not end within 1 seconds after stop" in rows[4]
