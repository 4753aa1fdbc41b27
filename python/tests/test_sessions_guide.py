"""The examples of the guide on sessions run, one after the other, and print what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs" / "guide" / "sessions.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n((?s:.*?))^```$", PAGE, re.MULTILINE)
SAID = re.compile(r"^(?:.*?\bprint\(.*?  # |# )(.*)$")


def test_the_examples_print_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    assert len(BLOCKS) > 10
    for block in BLOCKS:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "docs/guide/sessions.md", "exec"), names)
        expected = [found[1] for found in map(SAID.match, block.splitlines()) if found]
        assert printed.getvalue().splitlines() == expected


def test_every_operation_of_a_session_and_a_store_is_shown() -> None:
    from convspec.session.session import Session
    from convspec.session.store import SessionStore

    for owner in (Session, SessionStore):
        for name in dir(owner):
            if not name.startswith("_") and name not in ("given_read_paths", "workspace"):
                assert re.search(rf"\b{name}\b", PAGE), name
