"""Whatever an adapter says, the runner makes an outcome of it, and every form of output can be written."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from convspec import engines
from convspec.conformance import junit, table, values
from convspec.conformance.protocol_tier import ProtocolTier
from convspec.conformance.results import Logs, Results
from convspec.conformance.runner import NoAdapter, run
from fakes import INTRODUCTION, FakeLauncher, FakeProcess, MemoryCorpus, Request, case_document, line

ID = "session/tree/one"
CASES = (
    case_document(
        ID,
        expect={
            "verdict": "invalid",
            "findings": [{"rule": "parent-missing", "severity": "error", "line": 2, "pointer": "/parentId"}],
            "reading": {"leaf": None, "tally": {"records": 1}},
        },
    ),
    case_document("history/values/two", kind="equal", other="other.json", expect={"equal": True}),
    case_document("history/values/three", kind="repair", expect={"unchanged": True, "messages": []}),
    case_document(
        "session/json/torn", kind="recover", input="log.jsonl", expect={"verdict": "valid", "output": None}
    ),
    case_document(
        "session/writing/one",
        kind="write",
        operations=[{"do": "reset_leaf", "as": "*id1"}],
        expect={"records": [{"type": "leaf", "timestamp": "*time", "targetId": "*id1"}], "refused": [1]},
    ),
)

TEXT = st.text(st.characters(codec=None), max_size=8) | st.sampled_from(
    ["\ud800", "\x1b[2J", "\x9b", "\r\n", ""]
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
FINDING = st.fixed_dictionaries(
    {"rule": TEXT | st.just("parent-missing"), "severity": st.just("error"), "pointer": TEXT | st.none()},
    optional={"line": st.none() | st.integers(1), "record": ANY, "member": TEXT, "target": ANY, "x": ANY},
)
ANSWER = st.fixed_dictionaries(
    {},
    optional={
        "verdict": st.sampled_from(["valid", "invalid"]) | ANY,
        "findings": st.lists(FINDING, max_size=4) | ANY,
        "reading": st.dictionaries(st.sampled_from(["leaf", "tally", "x"]), ANY) | ANY,
        "equal": st.booleans() | ANY,
        "unchanged": st.booleans() | ANY,
        "messages": st.lists(st.dictionaries(TEXT, ANY, max_size=2), max_size=2) | ANY,
        "output": st.none() | TEXT | ANY,
        "refused": st.lists(st.integers(0), max_size=2) | ANY,
        "ids": st.dictionaries(TEXT | st.just("*id1"), ANY, max_size=2) | ANY,
        "skipped": TEXT,
        "failed": TEXT,
    },
)


def told(introduction: Any, answer: Any, seq: bool) -> Results:
    def script(request: Request) -> list[bytes]:
        if request["cmd"] == "start":
            return [line(introduction)]
        if isinstance(answer, bytes):
            return [answer]
        return [line({**answer, "seq": request["seq"]} if seq else answer)]

    tier = ProtocolTier(FakeLauncher(lambda: FakeProcess(script, complaints="\x1b\ud800")), 1.0)
    files: dict[str, Logs] = {case["id"]: {"log.jsonl": b""} for case in CASES}
    return run(MemoryCorpus(CASES, files), tier, [case["id"] for case in CASES])


def hold(results: Results) -> None:
    """Hold every form of output to be what it should be."""
    assert len(results.outcomes) == len(CASES)
    text = json.dumps(values.results_value(results, "0"), ensure_ascii=False)
    text.encode()
    assert engines.violations("conformance/1.0/results.schema.json", json.loads(text)) == []
    ElementTree.fromstring(junit.document(results))
    shown = "\n".join(table.lines(results))
    shown.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)


@given(ANSWER)
def test_answers_of_the_right_shape_or_nearly(answer: dict[str, Any]) -> None:
    hold(told(INTRODUCTION, answer, True))


@given(ANY | st.binary(max_size=40) | st.binary(max_size=40).map(lambda data: data + b"\n"))
def test_answers_of_any_shape(answer: Any) -> None:
    hold(told(INTRODUCTION, answer, False))


@given(st.fixed_dictionaries({}, optional={**dict.fromkeys(INTRODUCTION, ANY), "tier": ANY, "name": TEXT}))
def test_introductions_of_any_shape(changes: dict[str, Any]) -> None:
    with suppress(NoAdapter):
        hold(told({**INTRODUCTION, **changes}, {"verdict": "valid"}, True))
