"""What the tests share: where things are, and the cases of the corpus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from convspec.conformance.cases import Case, cases

ROOT = Path(__file__).resolve().parents[2]

CASES = tuple(cases(ROOT / "conformance"))


@pytest.fixture(scope="session")
def all_cases() -> tuple[Case, ...]:
    """Every case of the corpus, in the order of their ids."""
    return CASES


@pytest.fixture(scope="session")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Path]:
    """Return the path of a case's input, made ready once. Tests that change files copy it first."""
    scratch = tmp_path_factory.mktemp("cases")
    known: dict[str, Path] = {}

    def path_of(case: Case) -> Path:
        if case.id not in known:
            known[case.id] = case.laid_out(scratch)
        return known[case.id]

    return path_of


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes a `case` once for each case."""
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=[case.id for case in CASES])
