"""The guide on repair: its commands are run, its tables held against the code."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from conftest import ROOT
from convspec.cli.repair import command
from convspec.repairing.steps import KINDS
from test_conformance_docs import blocks, parted, run

PAGE = (ROOT / "docs/guide/repair.md").read_text(encoding="utf-8")
CLI = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
_MADE_UP = re.compile("[0-9a-f]{32}")


def test_who_follows_the_page_sees_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    followed = []
    for language, title, body in blocks(PAGE):
        followed.append(language)
        if title:
            (tmp_path / title).write_text(body, encoding="utf-8")
        elif language == "console":
            commands, shown = parted(body)
            assert _MADE_UP.sub("id", run(commands, tmp_path)) == _MADE_UP.sub("id", shown)
        else:
            monkeypatch.chdir(tmp_path)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(body, "docs/guide/repair.md", "exec"), {})
            assert printed.getvalue().splitlines()[0] == re.findall(r"# (.*)$", body, re.M)[0]
    assert followed == ["jsonl", "console", "console", "console", "python"]


def test_the_tables_list_every_kind_of_step() -> None:
    for safe, anchor in ((True, "{ #safe }"), (False, "{ #unsafe }")):
        section = PAGE.partition(anchor)[2].partition("\n## ")[0]
        rows = re.findall(r"^\| `([a-z-]+)` \| (.*) \| (?:both|logs|histories) \|$", section, re.M)
        assert rows == [(name, kind.title) for name, kind in KINDS.items() if kind.safe is safe]


def test_every_option_is_in_the_reference() -> None:
    section = CLI.partition("## repair {")[2].partition("\n## ")[0]
    rows = "".join(re.findall(r"^\| `.*? \|", section, re.M))
    there = set(re.findall("--[a-z-]+", rows))
    assert there == {name for option in command.params for name in option.opts if name.startswith("--")}


def test_the_exit_codes_are_told_alike() -> None:
    section = CLI.partition("## repair {")[2].partition("\n## ")[0]
    assert re.findall(r"^\| (\d) \|", section, re.M) == ["0", "1", "2", "3"]
    assert "Exit codes: 0" in (command.help or "")
