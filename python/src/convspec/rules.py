"""The rule catalogue: what each rule is called, weighs and means, read from schema/rules.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from convspec.findings import Severity
from convspec.packaged import read_data


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its id and layer, its weight and clause in each format, and the text of its page.

    A format that is absent from `severity` does not know the rule.
    """

    id: str
    layer: str
    title: str
    severity: Mapping[str, Severity]
    clause: Mapping[str, str]
    what: str
    why: str
    tolerant: str
    tolerant_text: str
    fix: str
    since: str


@cache
def catalogue() -> Mapping[str, Rule]:
    """Return every rule by its id, in the order of the catalogue."""
    document = json.loads(read_data("rules.json"))
    return MappingProxyType({rule.id: rule for rule in _rules(document["rules"])})


def _rules(entries: list[dict[str, object]]) -> Iterator[Rule]:
    for entry in entries:
        severity = entry.pop("severity")
        clause = entry.pop("clause")
        assert isinstance(severity, dict)
        assert isinstance(clause, dict)
        yield Rule(
            **entry,  # type: ignore[arg-type]
            severity={name: Severity(value) for name, value in severity.items() if value},
            clause={name: value for name, value in clause.items() if value},
        )


def severity_of(rule: str, format: str | None) -> Severity:
    """Return the weight of a rule in a format; of an unknown format, the heaviest it has."""
    weights = catalogue()[rule].severity
    if format is not None and format in weights:
        return weights[format]
    return min(weights.values(), key=list(Severity).index)
