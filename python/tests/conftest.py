"""What the tests share: where things are, and the cases of the corpus."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
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


@pytest.fixture(scope="module")
def no_old_garbage() -> Iterator[None]:
    """Keep what other tests left behind out of the garbage collector's rounds, and so of the times."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def no_garbage_rounds() -> Iterator[None]:
    """Let the garbage collector rest where millions of objects are made and all are needed."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def corpus(tmp_path: Path) -> Callable[..., Path]:
    """Make a corpus of some cases of the real one."""
    from small_corpora import make_corpus  # which needs this module

    return lambda *ids: make_corpus(tmp_path / "corpus", ids)


@pytest.fixture
def adapter(tmp_path: Path) -> Callable[..., str]:
    """Make an adapter."""
    from small_corpora import write_adapter

    return lambda case, **introduction: write_adapter(tmp_path / "adapter.py", case, **introduction)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Spread the suite over the processors, but run files that are named one by one right here."""
    named = [Path(argument.partition("::")[0]).is_file() for argument in config.args]
    return 0 if all(named) else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes a `case` once for each case."""
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=[case.id for case in CASES])
