"""What the corpus gives the schemas to judge, and what they must say of it.

What must be said is taken from the expected findings of the cases, not from the schemas: so an assertion
that is gone from a schema is missed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any
from unittest import mock

from convspec import check, schemas
from convspec.conformance.cases import Case
from convspec.findings import Spot
from convspec.session import layers
from convspec.session.log_reader import Reader
from convspec.session.records import PARTS
from convspec.text.lines import Value
from convspec.text.recognise import body_start
from convspec.text.strict_json import MISSING, parse

Told = tuple[str, str, str]
"""Pointer, keyword, and the missing member of a `required`, else empty."""

_KEYWORDS = {
    "schema-type": "type",
    "schema-required": "required",
    "schema-enum": "enum",
    "schema-pattern": "pattern",
    "schema-min-length": "minLength",
    "schema-minimum": "minimum",
    "schema-max-items": "maxItems",
    "line-not-object": "type",
}
"""Rules of what a schema alone says too; `version-*` is told apart below."""


@dataclass(frozen=True)
class Instance:
    """A value that a schema judges: what the case expects of it, and whether the case is valid."""

    root: str
    value: Any
    expected: frozenset[Told]
    valid: bool
    case: str


def instances(cases: Iterable[Case], laid_out: Callable[[Case], FilePath]) -> tuple[Instance, ...]:
    """Return each distinct value of the corpus with each schema that judges it."""
    found: dict[tuple[str, str, frozenset[Told]], Instance] = {}
    for case in cases:
        if case.document["kind"] != "check":
            continue
        expect = case.document["expect"]
        if expect["verdict"] in ("unsupported", "unreadable"):
            continue  # no schema is asked
        judged = _history(case) if case.document["format"] == "history" else _session(case, laid_out(case))
        for roots, value, told in judged:
            text = json.dumps(value)
            for root in roots:
                key = (root, text, told)
                valid = expect["verdict"] == "valid"
                if key not in found or (valid and not found[key].valid):
                    found[key] = Instance(root, value, told, valid, case.id)
    return tuple(found.values())


_Judged = Iterator[tuple[tuple[str, ...], Any, frozenset[Told]]]


def _history(case: Case) -> _Judged:
    name, files = case.document["input"], case.tree.files
    data = files.get(name, files.get(f"{name}/history.json"))
    if data is None or not data.strip():
        return
    value = parse(data, body_start(data)).value
    if value is not MISSING:
        told = frozenset(_told(case.document["expect"]["findings"], None))
        yield (schemas.schema_for("history", 1, "history"),), value, told


def _session(case: Case, path: FilePath) -> _Judged:
    values: list[tuple[int, Any, Spot]] = []

    class Recording(Reader):
        def _value(self, value: Value, spot: Spot) -> None:
            values.append((self.log.version, value.value, spot))
            super()._value(value, spot)

    with mock.patch.object(layers, "Reader", Recording):
        check(path)
    in_force = next((spot for _, value, spot in values if _is_usable_header(value)), None)
    for version, value, spot in values:
        type = _type(value)
        if type == "session" and spot != in_force and not _states(value, version):
            continue  # no rule judges the version of such a header (session.md#version)
        parts = ("record",) if type not in PARTS else ("record", PARTS[type])
        roots = tuple(schemas.schema_for("session", version, part) for part in parts)
        yield roots, value, frozenset(_told(case.document["expect"]["findings"], spot))


def _type(value: Any) -> Any:
    type = value.get("type") if isinstance(value, dict) else None
    return type if isinstance(type, str) else None


def _is_usable_header(value: Any) -> bool:
    return _type(value) == "session" and isinstance(value.get("id"), str) and value["id"] != ""


def _states(header: dict[str, Any], version: int) -> bool:
    return not isinstance(header.get("version"), bool) and header.get("version") == version


def _told(findings: Iterable[dict[str, Any]], spot: Spot | None) -> Iterator[Told]:
    """Yield what a schema alone must say, of the findings at one place."""
    for finding in findings:
        if spot is not None and (finding["line"], finding.get("record")) != (spot.line, spot.record):
            continue
        rule, pointer = finding["rule"], str(finding.get("pointer"))
        if rule in _KEYWORDS:
            yield pointer, _KEYWORDS[rule], finding.get("member", "")
        elif rule in ("version-missing", "version-invalid"):
            missing = pointer == ""
            yield pointer, "required" if missing else "const", "version" if missing else ""
