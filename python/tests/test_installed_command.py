"""Every case through the installed command, in the forms machines read."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conftest import ROOT
from convspec.conformance.cases import Case
from convspec.conformance.compare import differences

REPORT = json.loads((ROOT / "schema/report/1.0/report.schema.json").read_bytes())
GITHUB = re.compile(
    r"::(error|warning|notice) file=([^,]*)(?:,line=\d+,col=\d+(?:,endColumn=\d+)?)?,title=[^,]*::.+"
)


def _convspec(*arguments: str) -> str:
    command = [sys.executable, "-m", "convspec", *arguments]
    return subprocess.run(command, capture_output=True, check=False, timeout=120).stdout.decode()


@pytest.fixture(scope="module")
def inputs(all_cases: list[Case], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    scratch: Path = tmp_path_factory.mktemp("laid-out")
    return {case.id: str(case.laid_out(scratch)) for case in all_cases}


@pytest.fixture(scope="module")
def report(inputs: dict[str, str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(_convspec("check", "--format", "json", *inputs.values()))
    return document


def test_every_case_gives_exactly_its_findings(all_cases: list[Case], report: dict[str, Any]) -> None:
    assert len(report["files"]) == len(all_cases)
    wrong = {}
    for case, answer in zip(all_cases, report["files"], strict=True):
        given = {**answer, "reading": {"tally": answer["tally"]}}
        found = differences(case.document, given, exact=True, partial=True)
        if found:
            wrong[case.id] = found
    assert wrong == {}


def test_the_report_fits_its_schema(report: dict[str, Any]) -> None:
    assert list(Draft202012Validator(REPORT).iter_errors(report)) == []


def test_the_summary_is_the_sum_of_the_files(report: dict[str, Any]) -> None:
    verdicts = Counter(file["verdict"] for file in report["files"])
    severities = Counter(finding["severity"] for file in report["files"] for finding in file["findings"])
    assert report["summary"] == {
        "files": len(report["files"]),
        **{verdict: verdicts[verdict] for verdict in ("valid", "invalid", "unsupported", "unreadable")},
        **{name + "s": severities[name] for name in ("error", "warning", "info")},
    }


def test_github_gets_one_command_per_error_and_warning(
    inputs: dict[str, str], report: dict[str, Any]
) -> None:
    lines = _convspec("check", "--format", "github", *inputs.values()).splitlines()
    assert [line for line in lines if not GITHUB.fullmatch(line)] == []
    assert len(lines) == report["summary"]["errors"] + report["summary"]["warnings"]


def test_no_form_prints_what_was_said(inputs: dict[str, str]) -> None:
    """Long texts of the corpus, ids and names left out, appear nowhere in what people see."""
    said = set()
    for path in inputs.values():
        file = Path(path, "history.json") if Path(path).is_dir() else Path(path)
        try:
            document = json.loads(file.read_bytes()) if file.is_file() else {}
        except (ValueError, RecursionError):
            continue
        messages = document.get("messages") if isinstance(document, dict) else None
        for message in messages if isinstance(messages, list) else []:
            content = message.get("content") if isinstance(message, dict) else None
            if isinstance(content, str) and len(content) > 12 and content.isprintable():
                said.add(content)
    assert len(said) > 20
    for form in ("full", "concise", "github"):
        printed = _convspec("check", "--info", "--max-findings", "1000", "--format", form, *inputs.values())
        assert [text for text in said if text in printed] == []
