"""Prove that every way to install the package brings the schemas along.

Builds a wheel, an sdist, and a wheel from the sdist; installs each wheel, and the checkout as
editable, into a fresh environment; then uses the command in each from an empty folder.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
CASES = ROOT / "conformance" / "history" / "document"


def main() -> int:
    """Try every form; the exit code is 0 if all hold."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        _pip(sys.executable, "wheel", "--no-deps", "-w", str(place / "wheel"), str(PYTHON))
        _run(sys.executable, "-m", "build", "--sdist", "-o", str(place / "sdist"), str(PYTHON))
        sdist = next((place / "sdist").glob("*.tar.gz"))
        _pip(sys.executable, "wheel", "--no-deps", "-w", str(place / "again"), str(sdist))
        forms = {
            "wheel": [str(next((place / "wheel").glob("*.whl")))],
            "sdist -> wheel": [str(next((place / "again").glob("*.whl")))],
            "editable": ["-e", str(PYTHON)],
        }
        for name, arguments in forms.items():
            _try(name, arguments, place / name.split()[0] / "venv", place)
    return 0


def _try(name: str, arguments: list[str], environment: Path, place: Path) -> None:
    venv.create(environment, with_pip=True)
    python = str(environment / "bin" / "python")
    _pip(python, "install", *arguments)
    away = place / "away"
    away.mkdir(exist_ok=True)
    valid = _check(python, CASES / "two-messages", away)
    faulty = _check(python, CASES / "message-id-duplicate", away)
    bundle = _output(python, away, "schema", "history", "--bundled", "--strict")
    explained = _output(python, away, "explain", "message-id-duplicate")
    if (valid, faulty) != (0, 1) or '"$defs"' not in bundle or "message id" not in explained:
        raise SystemExit(f"{name}: the installed command does not work")
    print(f"{name}: holds")


def _check(python: str, path: Path, away: Path) -> int:
    command = [python, "-m", "convspec", "check", str(path)]
    return subprocess.run(command, cwd=away, capture_output=True, check=False).returncode


def _output(python: str, away: Path, *arguments: str) -> str:
    command = [python, "-m", "convspec", *arguments]
    return subprocess.run(command, cwd=away, capture_output=True, check=True, text=True).stdout


def _pip(python: str, *arguments: str) -> None:
    _run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
