"""Who follows the guides on histories, showing and converting sees what they show."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import click
import pytest

import convspec
from conftest import ROOT
from convspec.cli import convert, pack, show, unpack
from test_conformance_docs import blocks, parted, run

GUIDE = ROOT / "docs" / "guide"
CLI = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
SAID = re.compile(r"^(?:.*\)  # |# )(.*)$")


@pytest.mark.parametrize(("name", "least"), [("history.md", 10), ("show.md", 4), ("convert.md", 6)])
def test_the_examples_give_what_the_page_says(
    name: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    followed = 0
    for language, title, body in blocks((GUIDE / name).read_text(encoding="utf-8")):
        if title:
            (tmp_path / title).write_text(body, encoding="utf-8")
        elif language == "console":
            commands, printed = parted(body)
            assert run(commands, tmp_path) == printed
            followed += 1
        elif language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(body, name, "exec"), names)
            assert out.getvalue().splitlines() == [
                found[1] for found in map(SAID.match, body.splitlines()) if found
            ]
            followed += 1
    assert followed >= least


def test_every_operation_of_a_history_is_shown() -> None:
    page = (GUIDE / "history.md").read_text(encoding="utf-8")
    operations = {name for name in vars(convspec.History) if not name.startswith("_")} - {"extra", "version"}
    parts = ("Message", "Attachment", "ToolCall", "Thinking", "Tokens", "HistoryError", "mint_id")
    constants = ("CURRENT_VERSION", "HISTORY_FILE", "ATTACHMENTS_DIR", "ROLES", "KINDS", "INTERRUPTED_RESULT")
    for name in (*operations, *parts, *constants, "is_tool_call", "stored_name", "providers.md"):
        assert re.search(rf"\b{re.escape(name)}\b", page), name


@pytest.mark.parametrize("command", [show.command, pack.command, unpack.command, convert.command])
def test_every_option_is_in_the_reference(command: click.Command) -> None:
    section = CLI.partition(f"{{ #{command.name} }}")[2].partition("\n## ")[0]
    there = set(re.findall(r"(?<![\w-])--?[a-z]+\b", section))
    options = {name for option in command.params for name in option.opts if name.startswith("-")}
    assert options - there <= {"--output"}
    assert there - options <= {"-"}
