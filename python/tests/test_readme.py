"""What the README shows is what a reader gets."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_sample_is_what_the_command_prints(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    block = re.search(r"```console\n\$ convspec (.*)\n((?s:.*?))```", text)
    assert block is not None
    command = [sys.executable, "-m", "convspec", *block[1].split(), "--format", "full"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert done.stdout.decode() + done.stderr.decode() == block[2]
    assert done.returncode == 1


def test_the_python_example_prints_what_it_says() -> None:
    block = re.search(r"```python\n((?s:.*?))```", README)
    assert block is not None
    done = subprocess.run(
        [sys.executable, "-c", block[1]], cwd=ROOT, capture_output=True, check=True, text=True
    )
    assert done.stdout.splitlines() == re.findall(r"# (.*)", block[1])
