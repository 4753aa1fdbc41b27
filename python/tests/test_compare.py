"""What counts as a difference between an answer and what a case expects."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from convspec.conformance import compare
from convspec.conformance.compare import differences, held_to, newer
from convspec.rules import catalogue

SYNTAX = {"rule": "json-syntax", "severity": "error"}
TYPE = {"rule": "schema-type", "severity": "error"}


def case(form: str, *findings: dict[str, Any], **members: Any) -> dict[str, Any]:
    expect = {"verdict": "invalid", "findings": list(findings), **members.pop("expect", {})}
    return {"format": form, "expect": expect, **members}


def told(case: dict[str, Any], *findings: dict[str, Any], **members: Any) -> list[str]:
    return differences(case, {"verdict": "invalid", "findings": list(findings), **members})


def at(finding: dict[str, Any], pointer: str | None, **members: Any) -> dict[str, Any]:
    return {**finding, "pointer": pointer, **members}


class TestFindings:
    def test_they_are_a_multiset(self) -> None:
        twice = case("history", at(TYPE, "/a"), at(TYPE, "/a"))
        assert told(twice, at(TYPE, "/a"), at(TYPE, "/a")) == []
        assert told(twice, at(TYPE, "/a")) == ["missing error schema-type at '/a'"]
        assert told(twice, *[at(TYPE, "/a")] * 3) == ["too much error schema-type at '/a'"]

    def test_in_any_order(self) -> None:
        both = case("history", at(TYPE, "/a"), at(TYPE, "/b"))
        assert told(both, at(TYPE, "/b"), at(TYPE, "/a")) == []

    def test_a_wrong_place_is_one_missing_and_one_too_much(self) -> None:
        assert told(case("history", at(TYPE, "/a")), at(TYPE, "/b")) == [
            "missing error schema-type at '/a'",
            "too much error schema-type at '/b'",
        ]

    @pytest.mark.parametrize("key", ["severity", "pointer", "line", "record"])
    def test_each_part_of_the_place_counts_in_a_session(self, key: str) -> None:
        whole = at(TYPE, "/a", line=4, record=2)
        other = {"severity": "warning", "pointer": "/b", "line": 5, "record": 1}[key]
        assert told(case("session", whole), whole) == []
        assert len(told(case("session", whole), {**whole, key: other})) == 2

    def test_a_history_has_no_lines(self) -> None:
        assert told(case("history", at(TYPE, "/a")), at(TYPE, "/a", line=7, record=3)) == []

    def test_a_record_that_is_null_is_one_that_is_absent(self) -> None:
        plain = at(TYPE, "/a", line=4)
        assert told(case("session", plain), {**plain, "record": None}) == []
        assert len(told(case("session", plain), {**plain, "record": 1})) == 2

    def test_a_pointer_that_is_null_is_not_the_root(self) -> None:
        assert told(case("history", at(TYPE, None)), at(TYPE, None)) == []
        assert told(case("history", at(TYPE, None)), TYPE) == []
        assert len(told(case("history", at(TYPE, None)), at(TYPE, ""))) == 2

    def test_of_the_json_layer_only_rule_and_severity_count(self) -> None:
        assert told(case("history", at(SYNTAX, "/a")), at(SYNTAX, None)) == []
        assert len(told(case("history", at(SYNTAX, "/a")), at(SYNTAX, None, severity="warning"))) == 2

    def test_in_a_session_the_line_too(self) -> None:
        expected = case("session", at(SYNTAX, None, line=3))
        assert told(expected, at(SYNTAX, "/x", line=3)) == []
        assert len(told(expected, at(SYNTAX, None, line=4))) == 2

    def test_exactly_the_place_too(self) -> None:
        answer = {"verdict": "invalid", "findings": [at(SYNTAX, None)]}
        assert len(differences(case("history", at(SYNTAX, "/a")), answer, exact=True)) == 2

    def test_infos_count_only_where_the_case_says_so(self) -> None:
        info = {"rule": "unknown-key", "severity": "info", "pointer": "/x"}
        assert told(case("history", at(TYPE, "/a")), at(TYPE, "/a"), info) == []
        assert told(case("history", at(TYPE, "/a"), infos=True), at(TYPE, "/a"), info) == [
            "too much info unknown-key at '/x'"
        ]
        assert told(case("history", info, infos=True)) == ["missing info unknown-key at '/x'"]

    @pytest.mark.parametrize("key", ["member", "target"])
    def test_member_and_target_count_where_the_case_gives_them(self, key: str) -> None:
        bare = at(TYPE, "/a")
        assert told(case("history", bare), {**bare, key: "x"}) == []
        assert told(case("history", {**bare, key: "x"}), {**bare, key: "x"}) == []
        assert told(case("history", {**bare, key: "x"}), bare) == [
            f"missing error schema-type at '/a', {key} 'x'",
            "too much error schema-type at '/a'",
        ]

    def test_one_that_asks_for_less_takes_no_other_one_s_match(self) -> None:
        bare = at(TYPE, "/a")
        both = case("history", bare, {**bare, "member": "x"})
        assert told(both, {**bare, "member": "x"}, bare) == []
        assert told(both, bare, {**bare, "member": "x"}) == []

    def test_wording_and_columns_are_free(self) -> None:
        assert told(case("history", at(TYPE, "/a")), at(TYPE, "/a", message="x", column=7, offset=99)) == []

    def test_a_rule_that_nobody_knows_has_a_place(self) -> None:
        new = {"rule": "from-the-future", "severity": "error"}
        assert told(case("history", at(new, "/a")), at(new, "/a")) == []
        assert len(told(case("history", at(new, "/a")), at(new, "/b"))) == 2

    def test_the_answer_and_the_case_are_left_as_they_are(self) -> None:
        given = [at(TYPE, "/a"), at(TYPE, "/b")]
        expected = case("history", at(TYPE, "/a"))
        told(expected, *given)
        assert (len(given), len(expected["expect"]["findings"])) == (2, 1)


class TestReading:
    @pytest.mark.parametrize(
        ("wanted", "given"),
        [
            (1, True),
            (0, False),
            (True, 1),
            (None, ""),
            (None, False),
            (None, 0),
            ("", None),
            ([], None),
            ({}, None),
            ([], {}),
            (["a", "b"], ["b", "a"]),
            (["a"], ["a", "a"]),
            ([1], [True]),
            ({"a": {"b": 1}}, {"a": {"b": True}}),
            ({"a": None}, {}),
            ({}, {"a": None}),
            ("1", 1),
        ],
    )
    def test_values_that_are_not_the_same(self, wanted: object, given: object) -> None:
        expected = case("session", expect={"findings": [], "reading": {"name": wanted}})
        assert told(expected, reading={"name": given}) == [
            f"reading: name is {json.dumps(given)}, expected {json.dumps(wanted)}"
        ]

    @pytest.mark.parametrize("value", [1, True, None, "", [1, [True]], {"b": [1.0], "a": None}])
    def test_values_that_are(self, value: object) -> None:
        expected = case("session", expect={"findings": [], "reading": {"name": value}})
        assert told(expected, reading={"name": value}) == []

    def test_a_whole_float_is_the_integer(self) -> None:
        """JSON does not tell them apart."""
        expected = case("session", expect={"findings": [], "reading": {"tally": {"messages": 2}}})
        assert told(expected, reading={"tally": {"messages": 2.0}}) == []

    @pytest.mark.parametrize("reading", [None, {}, {"branch": []}])
    def test_a_member_that_is_missing_is_not_null(self, reading: object) -> None:
        expected = case("session", expect={"findings": [], "reading": {"leaf": None}})
        assert told(expected, reading=reading) == ["reading: leaf is not given, expected null"]

    def test_no_reading_at_all(self) -> None:
        expected = case("session", expect={"findings": [], "reading": {"leaf": "a"}})
        assert told(expected) == ['reading: leaf is not given, expected "a"']

    def test_members_that_the_case_does_not_give_are_free(self) -> None:
        assert told(case("session", expect={"findings": []}), reading={"leaf": 7, "x": []}) == []

    def test_partly_given_is_enough_where_that_is_said(self) -> None:
        expected = case("session", expect={"findings": [], "reading": {"leaf": "a", "name": "b"}})
        answer = {"verdict": "invalid", "findings": [], "reading": {"name": "c"}}
        assert differences(expected, answer, partial=True) == ['reading: name is "c", expected "b"']


class TestVersions:
    @pytest.fixture(autouse=True)
    def _a_new_rule(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rules = dict(catalogue())
        rules["schema-type"] = replace(rules["schema-type"], since="1.10")
        monkeypatch.setattr(compare, "catalogue", lambda: rules)

    def test_findings_of_newer_rules_are_not_asked_for(self) -> None:
        expect = {"verdict": "invalid", "findings": [at(TYPE, "/a"), at(SYNTAX, None)]}
        assert held_to(expect, "1.9") == {"verdict": "invalid", "findings": [at(SYNTAX, None)]}
        assert held_to(expect, "1.10") == expect

    def test_what_only_a_newer_rule_refuses_is_valid(self) -> None:
        warning = {"rule": "line-unterminated", "severity": "warning", "line": 2, "pointer": None}
        expect = {"verdict": "invalid", "findings": [at(TYPE, "/a"), warning]}
        assert held_to(expect, "1.9") == {"verdict": "valid", "findings": [warning]}

    @pytest.mark.parametrize("verdict", ["valid", "unsupported", "unreadable"])
    def test_other_verdicts_stay(self, verdict: str) -> None:
        assert held_to({"verdict": verdict, "findings": []}, "1.9")["verdict"] == verdict

    def test_the_reading_stays(self) -> None:
        expect = {"verdict": "valid", "findings": [], "reading": {"leaf": "a"}}
        assert held_to(expect, "1.0") == expect

    def test_a_rule_that_the_runner_does_not_know_is_asked_for(self) -> None:
        expect = {"verdict": "invalid", "findings": [{"rule": "from-the-future", "severity": "error"}]}
        assert held_to(expect, "1.0") == expect

    def test_nothing_is_changed_in_place(self) -> None:
        expect = {"verdict": "invalid", "findings": [at(TYPE, "/a")]}
        held_to(expect, "1.0")
        assert expect == {"verdict": "invalid", "findings": [at(TYPE, "/a")]}

    @pytest.mark.parametrize(
        ("version", "than", "expected"),
        [
            ("1.1", "1.0", True),
            ("1.10", "1.9", True),
            ("2.0", "1.99", True),
            ("1.0", "1.0", False),
            ("01.0", "1.0", False),
            ("1.9", "1.10", False),
            ("9" * 5000 + ".0", "1.0", True),
        ],
    )
    def test_which_version_is_newer(self, version: str, than: str, expected: bool) -> None:
        assert newer(version, than) is expected
