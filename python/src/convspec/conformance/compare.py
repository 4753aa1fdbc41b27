"""Hold an answer against what a case expects, level by level: what is missing, what is too much.

The comparison is the one of conformance/README.md. An answer is a mapping with `verdict`, `findings`
and `reading` (schema/conformance/1.0/answer.schema.json).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from convspec.frozen import same
from convspec.history.encoding import dumped
from convspec.rules import catalogue

LEVELS = ("verdict", "findings", "reading")
_ABSENT = object()


def held_to(expect: Mapping[str, Any], spec: str) -> Mapping[str, Any]:
    """Return what is asked of an implementation of version `spec`: findings of newer rules are not.

    A rule that this catalogue does not have is asked for: the corpus is newer than the runner.
    """
    known = [finding for finding in expect["findings"] if not newer(_since(finding["rule"], spec), spec)]
    verdict = expect["verdict"]
    if verdict == "invalid" and not any(finding["severity"] == "error" for finding in known):
        verdict = "valid"
    return {**expect, "findings": known, "verdict": verdict}


def _since(rule: str, otherwise: str) -> str:
    return catalogue()[rule].since if rule in catalogue() else otherwise


def newer(version: str, than: str) -> bool:
    """Return whether a version such as `1.10` is above another, such as `1.9`."""
    return _numbers(version) > _numbers(than)


def _numbers(version: str) -> list[tuple[int, str]]:
    """Return what sorts versions by their numbers, however many digits an adapter gives them."""
    digits = (number.lstrip("0") for number in version.split("."))
    return [(len(number), number) for number in digits]


def differences(
    case: Mapping[str, Any], answer: Mapping[str, Any], *, exact: bool = False, partial: bool = False
) -> list[str]:
    """Return one line per difference, at all levels, between a case and an answer.

    `exact` also compares the place of a json-layer finding where the case gives one; `partial` leaves
    out members of the reading that the answer does not have at all.
    """
    expect = case["expect"]
    return [
        *verdict_differences(expect, answer),
        *findings_differences(case, expect, answer, exact=exact),
        *reading_differences(expect, answer, partial=partial),
    ]


def verdict_differences(expect: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    """Return a line if the verdict is another than the expected one."""
    if answer.get("verdict") == expect["verdict"]:
        return []
    return [f"verdict {answer.get('verdict', 'not given')}, expected {expect['verdict']}"]


def findings_differences(
    case: Mapping[str, Any], expect: Mapping[str, Any], answer: Mapping[str, Any], *, exact: bool = False
) -> list[str]:
    """Return a line for each finding that is missing and for each that is too much.

    Errors and warnings are compared; infos only where the case says so. The place is left out for rules
    of the json layer, on which parsers differ; in a session the line is not.
    """
    if "findings" not in answer:
        return ["the findings are not given"]
    session = case["format"] == "session"
    left = [entry for entry in answer["findings"] if case.get("infos") or entry["severity"] != "info"]
    found = []
    # The more a case says of a finding, the sooner it picks, so that no other takes its match.
    for wanted in sorted(expect["findings"], key=len, reverse=True):
        match = next((entry for entry in left if _matches(wanted, entry, session, exact)), None)
        if match is None:
            found.append(f"missing {_line(wanted, session)}")
        else:
            left.remove(match)
    return found + [f"too much {_line(entry, session)}" for entry in left]


def reading_differences(
    expect: Mapping[str, Any], answer: Mapping[str, Any], *, partial: bool = False
) -> list[str]:
    """Return a line for each member of the reading that is not as the case gives it."""
    reading = answer.get("reading") or {}
    found = []
    for key, value in expect.get("reading", {}).items():
        given = reading.get(key, _ABSENT)
        if given is _ABSENT and not partial:
            found.append(f"reading: {key} is not given, expected {_shown(value)}")
        elif given is not _ABSENT and not same(given, value):
            found.append(f"reading: {key} is {_shown(given)}, expected {_shown(value)}")
    return found


def value_differences(expect: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    """Return a line for each member of the answer to a kind `equal` or `repair` that is not as expected."""
    return [
        f"{key} is {_shown(answer.get(key))}, expected {_shown(value)}"
        for key, value in expect.items()
        if key not in answer or not same(answer[key], value)
    ]


def _shown(value: Any) -> str:
    """Write a value as JSON, for readers of any language."""
    return dumped(value, ensure_ascii=False)


def _matches(wanted: Mapping[str, Any], entry: Mapping[str, Any], session: bool, exact: bool) -> bool:
    return all(entry.get(key) == wanted.get(key) for key in _compared(wanted, session, exact))


def _compared(wanted: Mapping[str, Any], session: bool, exact: bool) -> Iterable[str]:
    rule = catalogue().get(wanted["rule"])
    yield from ("rule", "severity")
    if session:
        yield from ("line", "record")
    if rule is None or rule.layer != "json" or (exact and "pointer" in wanted):
        yield "pointer"
    yield from (key for key in ("member", "target") if key in wanted)


def _line(entry: Mapping[str, Any], session: bool) -> str:
    """Name a finding and its place, as far as the place is compared."""
    compared = {
        **entry,
        **dict.fromkeys({"line", "record", "pointer"} - set(_compared(entry, session, False))),
    }
    places = [f"line {compared['line']}"] if compared.get("line") is not None else []
    places += [f"record {compared['record']}"] if compared.get("record") is not None else []
    places += [repr(compared["pointer"])] if compared.get("pointer") is not None else []
    of = "".join(f", {key} {entry[key]!r}" for key in ("member", "target") if entry.get(key) is not None)
    return f"{entry['severity']} {entry['rule']}" + (f" at {', '.join(places)}" if places else "") + of
