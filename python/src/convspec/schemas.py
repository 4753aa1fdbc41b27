"""The packaged schemas and what they say, by path. Nothing is ever fetched."""

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
def known_keys() -> frozenset[str]:
    """Return every member that some format defines."""
    keys: set[str] = set()
    for entries in index()["formats"].values():
        for entry in entries:
            for path, document in documents().items():
                if path.startswith(entry["folder"] + "/"):
                    keys |= document.get("properties", {}).keys()
    return frozenset(keys)


def members(path: str) -> frozenset[str]:
    """Return the members that the object at the root of a schema may have."""
    return frozenset(documents()[path]["properties"])
