"""Animals that load histories wrongly: what is equal, what is repaired, and the canonical form."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from convspec.conformance.cases import Case
from zoo.keeper import Animal, Answer, Bend, Reference, bent


def _of(kind: str, name: str, wrong: str, bend: Bend, *by: str) -> Animal:
    return bent(name, wrong, bend, *by, at=("reading",), kind=kind, levels=("verdict", "reading"))


def _always(value: bool) -> Bend:
    return lambda case, answer, reference: {"equal": value}


def _by_documents(same: Callable[[bytes, bytes], bool]) -> Bend:
    """Compare the two documents, not what they load to."""

    def bend(case: Case, answer: Answer, reference: Reference) -> Answer:
        files, names = case.tree.files, (case.document["input"], case.document["other"])
        one, other = (files.get(name) or files[f"{name}/history.json"] for name in names)
        return {"equal": same(one, other)}

    return bend


def _as_python(one: bytes, other: bytes) -> bool:
    first, second = (json.loads(data, parse_int=float) for data in (one, other))
    same: bool = first == second
    return same


def _made_up(message: dict[str, Any]) -> bool:
    return str(message["id"]) == "*"


def _not_repaired(case: Case, answer: Answer, reference: Reference) -> Answer:
    return {"unchanged": True, "messages": [one for one in answer["messages"] if not _made_up(one)]}


def _repaired_at_the_end(case: Case, answer: Answer, reference: Reference) -> Answer:
    return {**answer, "messages": sorted(answer["messages"], key=_made_up)}


def _restless(case: Case, answer: Answer, reference: Reference) -> Answer:
    return {**answer, "unchanged": False}


def _canonical(write: Callable[[Any], str]) -> Bend:
    """Write the canonical form anew."""

    def bend(case: Case, answer: Answer, reference: Reference) -> Answer:
        reading = answer["reading"]
        if "canonical" not in reading:
            return answer
        return {**answer, "reading": {**reading, "canonical": write(json.loads(reading["canonical"]))}}

    return bend


def _dumped(value: object, *, ensure_ascii: bool = True) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=ensure_ascii)


ANIMALS = (
    _of("equal", "matchmaker", "takes any two histories for the same", _always(True),
        "history/values/differs-content", "history/values/differs-argument-true-and-one"),
    _of("equal", "hair-splitter", "takes two histories for the same where their bytes are",
        _by_documents(lambda one, other: one == other),
        "history/values/compact", "history/values/escape-slash"),
    _of("equal", "one-for-true", "compares the parsed documents, and takes true for 1",
        _by_documents(_as_python),
        "history/values/differs-argument-true-and-one", "history/values/default-kind"),
    _of("repair", "bystander", "repairs no interrupted call", _not_repaired,
        "history/values/repair-at-the-end"),
    _of("repair", "appender", "repairs interrupted calls at the end of the history", _repaired_at_the_end,
        "history/values/repair-before-user"),
    _of("repair", "restless", "says of every history that it was repaired", _restless,
        "history/values/repair-answered", "history/values/repair-empty"),
    _of("check", "alphabetist", "sorts keys by code points, and writes numbers as its language does",
        _canonical(lambda value: _dumped(value, ensure_ascii=False)),
        "history/values/canonical-keys-by-utf-16", "history/values/canonical-numbers-small"),
    _of("check", "escapist", "escapes what is not ASCII in the canonical form",
        _canonical(_dumped),
        "history/values/canonical-not-escaped"),
)  # fmt: skip
