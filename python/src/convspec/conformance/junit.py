"""Results as JUnit XML, which CI systems show: a suite per area, a test case per case."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from convspec.conformance.results import Outcome, Results, Status
from convspec.conformance.values import by_area, counts

_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def document(results: Results) -> str:
    """Return the whole document. There is no time in it, so the same run gives the same bytes."""
    root = ElementTree.Element("testsuites", name=_clean(f"conformance: {results.adapter['name']}"))
    _count(root, results.outcomes, bool(results.complaints))
    for area, outcomes in by_area(results).items():
        suite = ElementTree.SubElement(root, "testsuite", name=area)
        _count(suite, tuple(outcomes), False)
        for outcome in outcomes:
            _case(suite, outcome)
    if results.complaints:
        suite = ElementTree.SubElement(root, "testsuite", name="adapter", tests="1", failures="1", errors="0")
        case = ElementTree.SubElement(suite, "testcase", classname="adapter", name="behaviour")
        _child(case, "failure", results.complaints[0], "\n".join(results.complaints))
    ElementTree.indent(root)
    # ASCII with character references: right in whatever encoding the output is written.
    text = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _count(element: ElementTree.Element, outcomes: tuple[Outcome, ...], complained: bool) -> None:
    counted = counts(outcomes, ())
    errors = sum(outcome.status is Status.FAILED and outcome.fault is not None for outcome in outcomes)
    element.set("tests", str(counted["cases"] + complained))
    element.set("failures", str(counted["failed"] - errors + complained))
    element.set("errors", str(errors))
    element.set("skipped", str(counted["known"] + counted["left_out"]))


def _case(suite: ElementTree.Element, outcome: Outcome) -> None:
    area, _, name = outcome.case.rpartition("/")
    case = ElementTree.SubElement(suite, "testcase", classname=area.replace("/", "."), name=name)
    differences = "\n".join(f"{difference.level}: {difference.text}" for difference in outcome.differences)
    if outcome.status is Status.LEFT_OUT:
        _child(case, "skipped", outcome.reason)
    elif outcome.status is Status.KNOWN:
        _child(case, "skipped", f"known failure: {outcome.reason}", differences)
    elif outcome.fault is not None:
        _child(case, "error", outcome.fault.text, type=outcome.fault.trouble)
    elif outcome.status is Status.FAILED:
        _child(case, "failure", outcome.reason or outcome.differences[0].text, differences)
    if outcome.fault is not None and outcome.fault.stderr:
        ElementTree.SubElement(case, "system-err").text = _clean(outcome.fault.stderr)


def _child(case: ElementTree.Element, kind: str, message: str, text: str = "", type: str = "") -> None:
    child = ElementTree.SubElement(case, kind, message=_clean(message))
    if type:
        child.set("type", type)
    if text:
        child.text = _clean(text)


def _clean(text: str) -> str:
    """Replace what XML cannot carry, and carriage returns, which it would not keep."""
    return _NOT_XML.sub("\ufffd", text.replace("\r\n", "\n"))
