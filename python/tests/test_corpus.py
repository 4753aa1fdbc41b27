"""The corpus is right, the reference agrees with it, and every rule and clause is held by a case."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conftest import CASES, ROOT
from convspec import check, checker, engines, schemas, weigh
from convspec.conformance import protocol
from convspec.conformance.adapter import answer_value, answers, checked
from convspec.conformance.cases import Case
from convspec.conformance.compare import differences, value_differences
from convspec.conformance.corpus import FolderCorpus
from convspec.conformance.edits import apply_edits
from convspec.conformance.recovered import output_of, recovered_differences
from convspec.conformance.results import Logs
from convspec.conformance.written import written_differences
from convspec.findings import Fault, Finding
from convspec.history import checks, judged
from convspec.reporters.values import file_value
from convspec.rules import catalogue
from convspec.session import judged as judged_log
from convspec.session import layers, record_checks, tree_checks

LaidOut = Callable[[Case], Path]

BY_ID = {case.id: case for case in CASES}
CHECKS = tuple(case for case in CASES if case.document["kind"] == "check")
ANSWER_OF = {
    "check": {"verdict", "findings", "reading"},
    "equal": {"equal"},
    "repair": {"unchanged", "messages"},
    "write": {"records", "refused", "compact", "store_name"},
    "recover": {"verdict", "output"},
}
"""What a case of each kind may expect."""
WRITING = ("write", "recover")
CORPUS = FolderCorpus(str(ROOT / "conformance"))
RULES = [(form, rule.id) for rule in catalogue().values() for form in rule.severity]
NEVER_ALONE = {
    ("history", "attachment-unreadable"): "git keeps no file that cannot be read; tested on its own",
}
"""Rules that no case can hold, each with the reason."""
WITHOUT_TWIN = {
    ("history", "file-empty"): "an empty file has no sound neighbour",
    ("session", "file-empty"): "an empty file has no sound neighbour",
}
"""Rules of which no case can have a twin, each with the reason."""

every_rule = pytest.mark.parametrize(("form", "rule"), [pair for pair in RULES if pair not in NEVER_ALONE])
GENERATORS = [
    (module, name, generator)
    for module, name in (
        (checks, "RULES"),
        (record_checks, "EVERY"),
        (record_checks, "OTHERS"),
        (record_checks, "ENTRIES"),
        (tree_checks, "RULES"),
        (layers, "RULES"),
    )
    for generator in getattr(module, name)
]


@pytest.fixture(scope="module")
def given(laid_out: LaidOut) -> dict[str, dict[str, Any]]:
    """What the reference says of every case."""
    return {case.id: answer(case, laid_out(case)) for case in CASES}


def answer(case: Case, path: Path) -> dict[str, Any]:
    """Return the answer of the reference to a case whose input is at `path`."""
    document = case.document
    if document["kind"] != "check":
        before = logs_at(path) if document["kind"] in WRITING else {}
        (value,) = answers([protocol.case(1, document, str(path))])
        if document["kind"] == "recover":
            before = {**before, **CORPUS.expected(case.id)}
        after = {**logs_at(path), **logs_at(Path(output_of(str(path))))}
        return {**value, "logs": (before, after)} if document["kind"] in WRITING else value
    report = check(path)
    of_value = document["format"] == "history" and document["expect"].get("reading", {}).keys() - {"tally"}
    return {**file_value(report), **(checked(str(path)) if of_value else answer_value(report))}


def logs_at(path: Path) -> Logs:
    return CORPUS.logs(str(path))


def told(case: Case, given: dict[str, Any]) -> list[str]:
    """Return where an answer is not what the case expects."""
    if case.document["kind"] == "recover":
        return list(recovered_differences(case.document, given, *given["logs"]))
    if case.document["kind"] == "write":
        return list(written_differences(case.document, given, *given["logs"]))
    if case.document["kind"] != "check":
        return value_differences(case.document["expect"], given)
    return differences(case.document, given, exact=True)


def expected(case: Case) -> list[str]:
    """Return the rules of the findings that a case expects."""
    return [finding["rule"] for finding in case.document["expect"].get("findings", ())]


def test_the_answer_is_the_expected_one(case: Case, given: dict[str, dict[str, Any]]) -> None:
    assert told(case, given[case.id]) == []


def test_every_case_expects_what_its_kind_is_answered_with() -> None:
    for case in CASES:
        document = case.document
        assert document["expect"].keys() <= ANSWER_OF[document["kind"]], case.id
        assert ("other" in document) == (document["kind"] == "equal"), case.id
        assert ("operations" in document) == (document["kind"] == "write"), case.id
        if document["kind"] != "check":
            assert document.keys().isdisjoint({"twin", "edit", "no_twin", "infos"}), case.id


def test_every_case_fits_its_schema() -> None:
    path = "conformance/1.0/case.schema.json"
    faults = {case.id: engines.violations(path, case.document) for case in CASES}
    assert {id: found for id, found in faults.items() if found} == {}


def test_no_case_has_a_member_that_the_schema_does_not_know() -> None:
    schema = schemas.documents()["conformance/1.0/case.schema.json"]
    for case in CASES:
        document, inner = case.document, schema["$defs"]
        assert document.keys() <= schema["properties"].keys(), case.id
        assert document["expect"].keys() <= inner["expect"]["properties"].keys(), case.id
        for name, items in (
            ("edit", document.get("edit", ())),
            ("setup", document.get("setup", ())),
            ("finding", document["expect"].get("findings", ())),
            ("reading", [document["expect"].get("reading", {})]),
        ):
            for item in items:
                assert item.keys() <= inner[name]["properties"].keys(), case.id


def test_every_id_is_the_folder_of_its_case() -> None:
    for case in CASES:
        assert case.id == case.folder.relative_to(ROOT / "conformance").as_posix()
        assert case.id.startswith(case.document["format"] + "/")


def test_there_are_at_least_ninety_cases() -> None:
    assert len(CASES) >= 90


def test_every_case_with_findings_has_a_twin_or_says_why_not() -> None:
    for case in CHECKS:
        document = case.document
        assert ("twin" in document) == ("edit" in document), case.id
        assert not ("twin" in document and "no_twin" in document), case.id
        if document["expect"]["findings"]:
            assert "twin" in document or "no_twin" in document, case.id


def test_every_twin_is_free_of_findings(given: dict[str, dict[str, Any]]) -> None:
    for case in CHECKS:
        twin = case.document.get("twin")
        if twin is not None:
            counts = given[twin]["counts"]
            assert not counts["errors"] + counts["warnings"], f"{case.id}: {twin}"
            assert not (case.document.get("infos") and counts["infos"]), f"{case.id}: {twin}"


def test_every_twin_and_edit_gives_the_input() -> None:
    for case in CHECKS:
        if "twin" in case.document:
            made = apply_edits(BY_ID[case.document["twin"]].tree, case.document["edit"])
            assert made == case.tree, case.id


def test_every_expected_finding_is_a_rule_of_the_format_with_its_weight() -> None:
    for case in CHECKS:
        for finding in case.document["expect"]["findings"]:
            rule = catalogue()[finding["rule"]]
            assert finding["severity"] == rule.severity[case.document["format"]], case.id


@every_rule
def test_every_rule_fires_alone_and_not_in_the_twin(
    form: str, rule: str, given: dict[str, dict[str, Any]]
) -> None:
    info = catalogue()[rule].severity[form] == "info"
    alone = [
        case.document.get("twin")
        for case in CHECKS
        if case.document["format"] == form
        and set(expected(case)) == {rule}
        and (case.document.get("infos") or not info)
    ]
    if (form, rule) in WITHOUT_TWIN:
        assert set(alone) == {None}
    else:
        assert any(rule not in fired(given[twin]) for twin in alone if twin)


@pytest.mark.parametrize(("form", "rule"), NEVER_ALONE)
def test_no_case_holds_a_rule_that_is_said_to_have_none(form: str, rule: str) -> None:
    assert (form, rule) in RULES
    assert not [case.id for case in CASES if case.document["format"] == form and rule in expected(case)]


def fired(given: dict[str, Any]) -> set[str]:
    return {finding["rule"] for finding in given["findings"]}


def test_every_cited_clause_is_there() -> None:
    cited = {case.document["clause"] for case in CASES}
    cited |= {clause for rule in catalogue().values() for clause in rule.clause.values()}
    assert cited <= clauses().keys()


def test_every_rule_of_the_format_has_a_clause() -> None:
    assert [(form, rule) for form, rule in RULES if form not in catalogue()[rule].clause] == []


def test_every_clause_with_a_must_is_cited() -> None:
    cited = {case.document["clause"] for case in CASES}
    binding = {clause for clause, text in clauses().items() if re.search(r"\bMUST\b", text)}
    assert len(binding) > 60
    assert sorted(binding - cited) == []


def clauses() -> dict[str, str]:
    """Return the text of every clause of the specification by page and anchor."""
    found = {}
    for page in sorted((ROOT / "docs" / "spec").glob("*.md")):
        text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
        for section in re.split(r"(?m)^(?=#+ )", text):
            anchor = re.match(r"#+ .*\{#([a-z0-9-]+)\}", section)
            if anchor:
                found[f"{page.name}#{anchor[1]}"] = section
    return found


@pytest.mark.parametrize(
    ("module", "name", "generator"), GENERATORS, ids=[one[2].__name__ for one in GENERATORS]
)
def test_a_check_switched_off_breaks_a_case(
    module: ModuleType,
    name: str,
    generator: Callable[..., object],
    laid_out: LaidOut,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = tuple(rule for rule in getattr(module, name) if rule is not generator)
    monkeypatch.setattr(module, name, left)
    broken = [case.id for case in CHECKS if told(case, answer(case, laid_out(case)))]
    print(f"without {generator.__name__}: {len(broken)} cases, {', '.join(broken)}")
    assert broken


@every_rule
def test_a_rule_switched_off_breaks_a_case(
    form: str, rule: str, laid_out: LaidOut, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(weigh: Callable[..., tuple[Finding, ...]]) -> Callable[..., tuple[Finding, ...]]:
        def weighed_without(faults: Iterable[Fault], **rest: Any) -> tuple[Finding, ...]:
            return weigh((fault for fault in faults if fault.rule != rule), **rest)

        return weighed_without

    for module in (checker, judged):
        monkeypatch.setattr(module, "weighed", without(weigh.weighed))
    monkeypatch.setattr(judged_log, "weighed_log", without(weigh.weighed_log))
    monkeypatch.setattr(judged_log, "weighed", without(weigh.weighed))
    broken = [case for case in CHECKS if case.document["format"] == form and rule in expected(case)]
    assert broken
    assert all(told(case, answer(case, laid_out(case))) for case in broken)


def test_no_case_of_the_last_release_is_gone() -> None:
    released = json.loads((Path(__file__).parent / "data" / "released_ids.json").read_bytes())
    retired = json.loads((ROOT / "conformance" / "retired.json").read_bytes())
    assert set(released) <= BY_ID.keys() | {entry["id"] for entry in retired}
