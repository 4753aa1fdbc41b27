"""Ways of bending an answer that several animals share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from convspec.conformance.cases import Case
from convspec.rules import catalogue
from zoo.keeper import Answer, Bend, Reference

_UNREADABLE = {"file-unreadable", "format-unrecognised"}
_FATAL = {"encoding-utf8", "json-syntax", "json-truncated", "json-non-finite", "json-depth"}
Finding = dict[str, Any]


def judged(answer: Answer, findings: Iterable[Finding]) -> Answer:
    """Return an answer with other findings, and the verdict that follows from them (session.md#verdict)."""
    kept = list(findings)
    rules = {finding["rule"] for finding in kept}
    if rules & _UNREADABLE:
        verdict = "unreadable"
    elif "version-newer" in rules:
        verdict = "unsupported"
    else:
        verdict = "invalid" if any(finding["severity"] == "error" for finding in kept) else "valid"
    return {**answer, "findings": kept, "verdict": verdict}


def dropping(wanted: Callable[[Finding], bool]) -> Bend:
    """Return a bend that leaves out the findings for which `wanted` does not hold."""
    return lambda case, answer, reference: judged(answer, filter(wanted, answer["findings"]))


def without(*rules: str) -> Bend:
    """Return a bend that knows nothing of some rules."""
    return dropping(lambda finding: finding["rule"] not in rules)


def without_layers(*layers: str) -> Bend:
    """Return a bend that knows nothing of the rules of some layers."""
    return dropping(lambda finding: catalogue()[finding["rule"]].layer not in layers)


def each(change: Callable[[Finding], Finding]) -> Bend:
    """Return a bend that changes every finding."""
    return lambda case, answer, reference: judged(answer, map(change, answer["findings"]))


def said(findings: Callable[[list[Finding]], Iterable[Finding]]) -> Bend:
    """Return a bend that makes other findings of all."""
    return lambda case, answer, reference: judged(answer, findings(answer["findings"]))


def read_as(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Bend:
    """Return a bend that changes the reading, where there is one."""
    return lambda case, answer, reference: {**answer, "reading": change(answer["reading"])}


def of_log(change: Callable[[dict[str, Any], list[dict[str, Any]]], dict[str, Any]]) -> Bend:
    """Return a bend of the reading that goes by the records of the log itself.

    Only of logs whose records are sound: the animals that use this are wrong about what records mean,
    not about how they are framed or shaped.
    """

    def bend(case: Case, answer: Answer, reference: Reference) -> Answer:
        if case.document["format"] != "session" or not all(map(_of_sound_record, answer["findings"])):
            return answer
        return {**answer, "reading": change(answer["reading"], _records(case))}

    return bend


def _of_sound_record(finding: Finding) -> bool:
    layer = catalogue()[finding["rule"]].layer
    return finding["severity"] != "error" or layer not in ("bytes", "json", "version", "schema")


def _records(case: Case) -> list[dict[str, Any]]:
    lines = case.tree.files[case.document["input"]].split(b"\n")
    return [json.loads(line, parse_int=float) for line in lines if line.strip()]


def is_fatal(finding: Finding) -> bool:
    """Say whether a finding leaves no value to judge."""
    return finding["rule"] in _FATAL
