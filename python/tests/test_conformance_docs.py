"""The pages on the conformance kit: their commands are run, their tables held against the code."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from convspec.cli.conformance import list_command, run_command
from convspec.conformance import plain_tier, protocol_tier, runner

GUIDE = "docs/conformance.md"
CLI = "docs/reference/cli.md"
README = "conformance/README.md"
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in (GUIDE, CLI, README)}

_BLOCK = re.compile(
    r'^(?P<indent> *)```(?P<language>\w+)(?: title="(?P<title>[^"]*)")?\n(?P<body>.*?)^ *```$', re.M | re.S
)
_CORPUS = re.compile(r"^corpus of [\d,]+ cases, manifest [0-9a-f]{12}$", re.M)
"""How many cases there are, and the digest of them all: both change with every case that is added."""


def blocks(page: str) -> Iterator[tuple[str, str | None, str]]:
    """Yield language, title and text of each code block."""
    for match in _BLOCK.finditer(page):
        yield match["language"], match["title"], textwrap.dedent(match["body"])


def parted(body: str) -> tuple[str, str]:
    """Return the commands of a console block, and what they print. A backslash ends a line that goes on."""
    commands, shown = "", ""
    for line in body.splitlines(keepends=True):
        if line.startswith("$ ") or commands.endswith("\\\n"):
            commands += line.removeprefix("$ ")
        else:
            shown += line
    return commands, shown


def run(commands: str, folder: Path) -> str:
    """Run commands in one shell, this environment's programs first; return all that is printed."""
    programs = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["bash", "-c", commands],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=60,
    )
    return done.stdout.decode()


def changed(text: str, diff: str) -> str:
    """Apply a diff without line numbers, whose lines stand together in the text."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] or line for line in lines if line[0] != "+")
    new = "".join(line[1:] or line for line in lines if line[0] != "-")
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize(("page", "least"), [(GUIDE, 10), (CLI, 2)])
def test_who_follows_the_page_sees_what_it_shows(page: str, least: int, tmp_path: Path) -> None:
    (tmp_path / "conformance").symlink_to(ROOT / "conformance")
    followed = 0
    for language, title, body in blocks(PAGES[page]):
        if language == "console":
            commands, shown = parted(body)
            assert _CORPUS.sub("corpus", run(commands, tmp_path)) == _CORPUS.sub("corpus", shown)
            followed += 1
        elif title and language == "diff":
            file = tmp_path / title
            file.write_text(changed(file.read_text("utf-8"), body), "utf-8")
        elif title:
            (tmp_path / title).write_text(body, "utf-8")
    assert followed >= least


def test_the_exit_codes_of_the_plain_tier_are_the_runner_s() -> None:
    rows = re.findall(r"^\| (\d) \| .* \| ([a-z`, ]+) \|$", PAGES[GUIDE], re.M)
    assert {int(code): set(re.findall(r"[a-z]+", verdicts)) for code, verdicts in rows} == (
        plain_tier._RIGHT_FOR
    )


def test_the_limits_are_the_runner_s() -> None:
    (timeout,) = (option for option in run_command.params if option.name == "timeout")
    limits = {
        f"A case may take {timeout.default:g} seconds",
        f"A start may take as long, or {protocol_tier._START_SECONDS:g} seconds if",
        f"After {({10: 'ten'})[runner._PATIENCE]} cases in a row",
    }
    assert {text for text in limits if text not in PAGES[GUIDE]} == set()


@pytest.mark.parametrize(
    ("command", "anchor"), [(run_command, "conformance-run"), (list_command, "conformance-list")]
)
def test_every_option_is_in_the_reference(command: Any, anchor: str) -> None:
    section = PAGES[CLI].partition(f"{{ #{anchor} }}")[2].partition("\n### ")[0]
    there = {name for name in re.findall(r"`(--[a-z-]+)", section) if not name.startswith("--help")}
    assert there == {name for option in command.params for name in option.opts if name.startswith("--")}


def test_the_entry_in_the_readme_is_one_of_the_manifest() -> None:
    (entry,) = (json.loads(body) for language, _, body in blocks(PAGES[README]) if language == "json")
    assert entry in json.loads((ROOT / "conformance/manifest.json").read_bytes())["cases"]


class TestImplementations:
    """The tables that are made from reports."""

    @pytest.fixture
    def tables(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
        """Return a function that makes the tables from reports, each given as changes to a plain one."""
        monkeypatch.syspath_prepend(ROOT / "python" / "scripts")
        made = importlib.import_module("docs_implementations").tables
        (tmp_path / "reports").mkdir()
        (tmp_path / "manifest.json").write_bytes(b"{}")

        def tables(*reports: dict[str, Any]) -> str:
            for number, report in enumerate(reports):
                (tmp_path / f"reports/{number}.json").write_text(json.dumps(report), "utf-8")
            return str(made(tmp_path))

        return tables

    def test_no_report(self, tables: Callable[..., str]) -> None:
        assert tables() == "There are no reports."

    def test_each_level_says_of_how_many_where_some_fail(self, tables: Callable[..., str]) -> None:
        assert "| a\\|reader 2 | Ruby | 1.0 | 8 | 8 | – | 6 of 8 | 2 | 1 |" in tables(_report())

    def test_by_area_all_levels_count_together(self, tables: Callable[..., str]) -> None:
        found = tables(_report(), _plain())
        assert "| area | cases | a\\|reader | mine |" in found
        assert "| session/tree | 10 | 6 of 8 | 10 |" in found

    def test_a_plain_command_has_no_language(self, tables: Callable[..., str]) -> None:
        assert "| mine | – | – | 10 | 10 | – | – | 0 | 0 |" in tables(_plain())

    def test_known_failures_stand_with_their_reasons(self, tables: Callable[..., str]) -> None:
        assert "| a\\|reader | `session/tree/x` | cannot &lt;yet> |" in tables(_report())

    def test_a_report_on_another_state_of_the_corpus_is_named(self, tables: Callable[..., str]) -> None:
        assert "Made with an earlier state of the corpus: a\\|reader." in tables(_report(), _plain())

    def test_a_report_on_a_part_of_the_corpus_is_refused(self, tables: Callable[..., str]) -> None:
        with pytest.raises(SystemExit, match="part of the corpus"):
            tables(_plain(cases=11))

    def test_what_is_no_report_is_refused(self, tables: Callable[..., str]) -> None:
        with pytest.raises(SystemExit, match="does not fit"):
            tables({**_plain(), "adapter": {}})


EMPTY_MANIFEST = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
"""The SHA-256 of `{}`."""


def _document(adapter: dict[str, Any], counts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "results_version": 1,
        "tool": {"name": "convspec", "version": "0"},
        "corpus": {"cases": 10, "manifest_sha256": EMPTY_MANIFEST},
        "adapter": adapter,
        "levels": list(counts["levels"]),
        "summary": counts,
        "areas": [{"area": "session/tree", **counts}],
        "cases": [],
        "complaints": [],
        **more,
    }


def _report() -> dict[str, Any]:
    adapter = {"tier": "protocol", "name": "a|reader", "language": "Ruby", "version": "2", "spec": "1.0"}
    levels = {"verdict": {"passed": 8, "failed": 0}, "reading": {"passed": 6, "failed": 2}}
    known = {"id": "session/tree/x", "clause": "session.md#parents", "level": "must", "status": "known"}
    return _document(
        {**adapter, "levels": list(levels)},
        {"cases": 10, "passed": 6, "failed": 1, "known": 1, "left_out": 2, "levels": levels},
        corpus={"cases": 10, "manifest_sha256": "0" * 64},
        cases=[{**known, "reason": "cannot <yet>"}],
    )


def _plain(cases: int = 10) -> dict[str, Any]:
    levels = {"verdict": {"passed": 10, "failed": 0}}
    return _document(
        {"tier": "plain", "name": "mine", "levels": ["verdict"]},
        {"cases": 10, "passed": 10, "failed": 0, "known": 0, "left_out": 0, "levels": levels},
        corpus={"cases": cases, "manifest_sha256": EMPTY_MANIFEST},
    )
