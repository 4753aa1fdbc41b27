"""The zoo of wrong implementations as a table for the documentation."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from docs_markdown import code, table

_SHOWN = 3


def zoo_table(root: Path) -> str:
    """Return a Markdown table: each animal, what is wrong with it, and what catches it."""
    zoo = _zoo(root)
    reference = zoo.Reference.over(root / "conformance")
    rows = [_row(zoo, animal, zoo.run_of(animal, reference)) for animal in zoo.ANIMALS]
    return table(("implementation", "what it does", "caught at", "by", "the first of them"), rows)


def _zoo(root: Path) -> Any:
    """Import the zoo from the tests, which is where it is of use."""
    tests = str(root / "python" / "tests")
    if tests not in sys.path:
        sys.path.append(tests)
    return importlib.import_module("zoo")


def _row(zoo: Any, animal: Any, results: Any) -> tuple[str, ...]:
    caught, levels = zoo.caught_by(results), zoo.levels_of(results)
    if not caught:
        return animal.name, animal.wrong, "its end", "a complaint", results.complaints[0]
    first = ", ".join(map(code, caught[:_SHOWN])) + (", …" if len(caught) > _SHOWN else "")
    number = f"{len(caught):,} case{'' if len(caught) == 1 else 's'}"
    return animal.name, animal.wrong, ", ".join(sorted(levels, key=zoo.LEVELS.index)), number, first
