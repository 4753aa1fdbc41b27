"""The packaged schemas, and one compiled validator for each, behind two engines.

Nothing is ever fetched: the registry holds every packaged schema, and a reference to anything else
fails. The fast engine is used where it is installed; both must say the same (they are tested
against each other), so which one ran is never visible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Protocol

from convspec.findings import Path
from convspec.packaged import read_data

BASE = "https://w3id.org/convspec/schema/"
"""Schema ids are this and the path of the file below `schema`."""

_ORDER = ("type", "enum", "const", "minLength", "pattern", "minimum", "maxItems", "required")


@dataclass(frozen=True, slots=True)
class Violation:
    """An assertion that failed: where in the instance, and which keyword with which value.

    `expected` of a `type` is a sorted list of types; `member` is the missing member of a `required`, else
    empty.
    """

    path: Path
    keyword: str
    expected: Any
    member: str = ""


class Engine(Protocol):
    """A compiled schema."""

    def violations(self, instance: Any) -> Iterable[Violation]:
        """Yield every assertion that fails, at the instance it failed on, in any order."""


@cache
def index() -> Mapping[str, Any]:
    """Return schema/index.json: formats, versions, files."""
    return MappingProxyType(json.loads(read_data("index.json")))


@cache
def documents() -> Mapping[str, Any]:
    """Return every schema that the index lists, by its path below `schema`."""
    return MappingProxyType(
        {entry["path"]: json.loads(read_data(entry["path"])) for entry in index()["files"]}
    )


def versions(format: str) -> tuple[int, ...]:
    """Return the versions of a format that are known, oldest first."""
    return tuple(entry["version"] for entry in index()["formats"][format])


def schema_for(format: str, version: int, part: str) -> str:
    """Return the path of the schema for one part of a format version."""
    for entry in index()["formats"][format]:
        if entry["version"] == version:
            return f"{entry['folder']}/{part}.schema.json"
    raise KeyError(f"{format} {version}")


@cache
def engine(path: str) -> Engine:
    """Return the compiled schema at `path`, by the fast engine where it is installed."""
    try:
        from convspec import engine_fast
    except ImportError:
        return plain_engine(path)
    return engine_fast.compiled(path)


@cache
def plain_engine(path: str) -> Engine:
    """Return the compiled schema at `path`, by the engine in pure Python."""
    from convspec import engine_plain

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


def members(path: str) -> frozenset[str]:
    """Return the members that the object at the root of a schema may have."""
    return frozenset(documents()[path]["properties"])
