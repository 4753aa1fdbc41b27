"""Several processes at one log, and processes that are killed: the stress command, with small numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from conftest import ROOT

COMMAND = ROOT / "python" / "benchmarks" / "reliability.py"


@pytest.fixture(scope="module")
def results() -> list[dict[str, Any]]:
    given = ["--records", "60", "--kills", "12", "--damages", "20", "--json"]
    done = subprocess.run([sys.executable, str(COMMAND), *given], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_writers_at_once_lose_nothing(results: list[dict[str, Any]]) -> None:
    for count, result in zip((2, 8), results, strict=False):
        assert (result["writers"], result["records"]) == (count, count * 60)
        for fault in ("lost", "twice", "failed writers", "unreadable places", "errors", "warnings"):
            assert result[fault] == 0
        assert result["in order"]


def test_a_killed_writer_loses_at_most_what_it_was_writing(results: list[dict[str, Any]]) -> None:
    killed = results[2]
    assert killed["kills"] == 12
    assert killed["acknowledged"] > 0
    assert (killed["lost"], killed["more than one"], killed["unsound appends"]) == (0, 0, 0)


def test_every_cut_is_read_up_to_the_cut(results: list[dict[str, Any]]) -> None:
    cuts = results[3]
    assert cuts["cuts"] > 1000
    assert (cuts["misread"], cuts["unsound appends"]) == (0, 0)


def test_every_damage_is_repaired(results: list[dict[str, Any]]) -> None:
    assert results[4] == {"damages": 40, "unsound repairs": 0}
