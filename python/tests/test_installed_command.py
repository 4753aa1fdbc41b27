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
def read(all_cases: list[Case]) -> list[Case]:
    """The cases whose input is to be read. To write to or to repair, there may be a damaged file, or none."""
    return [case for case in all_cases if case.document["kind"] not in ("write", "recover")]


@pytest.fixture(scope="module")
def inputs(read: list[Case], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    scratch: Path = tmp_path_factory.mktemp("laid-out")
    return {case.id: str(case.laid_out(scratch)) for case in read}


@pytest.fixture(scope="module")
def printed(inputs: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What one run prints as JSON, and for GitHub."""
    commands: Path = tmp_path_factory.mktemp("printed") / "github"
    forms = ("--format", "json", "--format", f"github:{commands}")
    return _convspec("check", *forms, *inputs.values()), commands.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def report(printed: tuple[str, str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(printed[0])
    return document


def test_every_case_gives_exactly_its_findings(read: list[Case], report: dict[str, Any]) -> None:
    assert len(report["files"]) == len(read)
    wrong = {}
    for case, answer in zip(read, report["files"], strict=True):
        if case.document["kind"] != "check":
            assert answer["verdict"] == "valid", case.id  # its case asks for the value
            continue
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
    printed: tuple[str, str], report: dict[str, Any]
) -> None:
    lines = printed[1].splitlines()
    assert [line for line in lines if not GITHUB.fullmatch(line)] == []
    assert len(lines) == report["summary"]["errors"] + report["summary"]["warnings"]


def test_no_form_prints_what_was_said(inputs: dict[str, str], tmp_path: Path) -> None:
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
    forms = (
        "--format",
        "full",
        "--format",
        f"concise:{tmp_path}/concise",
        "--format",
        f"github:{tmp_path}/github",
    )
    full = _convspec("check", "--info", "--max-findings", "1000", *forms, *inputs.values())
    for printed in (full, *(tmp_path.joinpath(form).read_text("utf-8") for form in ("concise", "github"))):
        assert len(printed) > 10_000
        assert [text for text in said if text in printed] == []
