"""Hold an answer against a case: what is missing, what is too much (conformance.md#comparison)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convspec.rules import catalogue


def differences(
    expect: Mapping[str, Any],
    answer: Mapping[str, Any],
    *,
    infos: bool,
    exact: bool = False,
    partial: bool = False,
) -> list[str]:
    """Return one line per difference between a case's `expect` and a file of the JSON report.

    Errors and warnings are compared exactly, infos only where `infos` is set; `member` and `target`
    where the case gives them; the place not for rules of the json layer, on which parsers differ,
    unless `exact` is set and the case gives it. `partial` leaves out members of the reading that the
    answer does not have at all.
    """
    found = []
    if answer["verdict"] != expect["verdict"]:
        found.append(f"verdict {answer['verdict']}, expected {expect['verdict']}")
    left = [entry for entry in answer["findings"] if infos or entry["severity"] != "info"]
    for wanted in expect["findings"]:
        match = next((entry for entry in left if _matches(wanted, entry, exact)), None)
        if match is None:
            found.append(f"missing {_line(wanted)}")
        else:
            left.remove(match)
    found += [f"too much {_line(entry)}" for entry in left]
    for key, value in expect.get("reading", {}).items():
        if answer.get(key) != value and not (partial and key not in answer):
            found.append(f"reading: {key} is {answer.get(key)}, expected {value}")
    return found


def _matches(wanted: Mapping[str, Any], entry: Mapping[str, Any], exact: bool) -> bool:
    keys = ["rule", "severity"]
    if catalogue()[wanted["rule"]].layer != "json" or (exact and "pointer" in wanted):
        keys.append("pointer")
    keys += [key for key in ("member", "target", "line", "record") if key in wanted]
    return all(entry.get(key) == wanted.get(key) for key in keys)


def _line(entry: Mapping[str, Any]) -> str:
    return f"{entry['severity']} {entry['rule']} at {entry.get('pointer')}"
