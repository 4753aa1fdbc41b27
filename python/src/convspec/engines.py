"""One compiled validator for each schema, behind two engines.

The fast engine is used where it is installed; both must say the same (they are tested against each
other), so which one ran is never visible. A reference to anything but a packaged schema fails.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from convspec.findings import Path
from convspec.schemas import Engine, Violation

_ORDER = ("type", "enum", "const", "minLength", "pattern", "minimum", "maxItems", "required")


@cache
def engine(path: str) -> Engine:
    """Return the compiled schema at `path`, by the fast engine where it is installed."""
    try:
        from convspec import engine_fast
    except ImportError:
        return plain_engine(path)
    return engine_fast.compiled(path)


def plain_engine(path: str) -> Engine:
    """Return the compiled schema at `path`, by the engine in pure Python."""
    from convspec import engine_plain  # its library takes longer to import than most checks take

    return engine_plain.compiled(path)


def violations(path: str, instance: Any, *, by: Engine | None = None) -> list[Violation]:
    """Return what fails in `instance`, sorted; per place and member only the first keyword.

    Type comes before enum before length before pattern (rules.md, schema layer).
    """
    first: dict[tuple[Path, str], Violation] = {}
    for violation in (by or engine(path)).violations(instance):
        key = (violation.path, violation.member)
        known = first.get(key)
        if known is None or _rank(violation) < _rank(known):
            first[key] = violation
    return sorted(first.values(), key=_place)


def _rank(violation: Violation) -> tuple[int, int, str]:
    """Weigh by keyword; of two types that fail at one place the narrower one is told."""
    width = len(violation.expected) if violation.keyword == "type" else 0
    return _ORDER.index(violation.keyword), width, repr(violation.expected)


def _place(violation: Violation) -> tuple[list[tuple[bool, int, str]], str]:
    tokens = [(isinstance(t, str), t if isinstance(t, int) else 0, str(t)) for t in violation.path]
    return tokens, violation.member
