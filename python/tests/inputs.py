"""Documents that several test files start from: the corpus, and small histories made by hand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from convspec import FileReport
from convspec.conformance.cases import cases

CORPUS = Path(__file__).resolve().parents[2] / "conformance"

FATAL = ("encoding-utf8", "json-syntax", "json-truncated", "json-depth", "json-non-finite")
"""Rules that leave no value (history.md#json)."""

JSON_RULES = (*FATAL, "json-trailing-data", "json-duplicate-key", "json-number-precision")


@cache
def corpus_files() -> dict[str, bytes]:
    """Return the bytes of every history in the corpus by the id of its case."""
    found = {}
    for case in cases(CORPUS):
        tree = case.tree
        for name in (tree.input, f"{tree.input}/history.json"):
            if name in tree.files and case.document["format"] == "history":
                found[case.id] = tree.files[name]
    return found


@cache
def corpus_values() -> tuple[Any, ...]:
    """Return every document of the corpus that Python's own parser reads. Not to be changed."""
    values = []
    for data in corpus_files().values():
        try:
            values.append(json.loads(data))
        except (ValueError, RecursionError):
            continue
    return tuple(values)


def history(*messages: dict[str, Any] | None) -> bytes:
    """Return a history of these messages, on one line, with nothing but ASCII."""
    return json.dumps({"version": 1, "messages": messages}).encode()


def user(id: str, **members: Any) -> dict[str, Any]:
    """Return a user's message."""
    return {"id": id, "role": "user", "content": "look", **members}


def rules(report: FileReport) -> list[str]:
    """Return the rules of a report's findings, in their order."""
    return [finding.rule for finding in report.findings]
