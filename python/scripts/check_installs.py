"""Prove that every way to install the package brings the schemas along.

Builds a wheel, an sdist, and a wheel from the sdist; installs each wheel, and the checkout as
editable, into a fresh environment; then uses the command in each from an empty folder.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
CASES = ROOT / "conformance" / "history" / "document"


def main() -> int:
    """Try every form, all at the same time; the exit code is 0 if all hold."""
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as pool:
        tries = [pool.submit(_try, name, make, Path(scratch, name)) for name, make in FORMS.items()]
        for done in tries:
            print(done.result())
    return 0


def _wheel(place: Path) -> list[str]:
    return [_built_wheel(PYTHON, place)]


def _wheel_of_sdist(place: Path) -> list[str]:
    _run(sys.executable, "-m", "build", "--sdist", "-o", str(place / "sdist"), str(PYTHON))
    return [_built_wheel(next((place / "sdist").glob("*.tar.gz")), place)]


def _editable(_: Path) -> list[str]:
    return ["-e", str(PYTHON)]


FORMS: dict[str, Callable[[Path], list[str]]] = {
    "wheel": _wheel,
    "wheel of the sdist": _wheel_of_sdist,
    "editable": _editable,
}
"""For each form what makes it ready in a folder, and returns what to install."""


def _built_wheel(source: Path, place: Path) -> str:
    _pip("wheel", "--no-deps", "-w", str(place / "wheel"), str(source))
    return str(next((place / "wheel").glob("*.whl")))


def _try(name: str, make: Callable[[Path], list[str]], place: Path) -> str:
    """Install a form with all it needs into a fresh environment, and use the command."""
    away, environment = place / "away", place / "venv"
    away.mkdir(parents=True)
    venv.create(environment)
    python = str(environment / "bin" / "python")
    _pip("--python", python, "install", *make(place))
    valid = _check(python, CASES / "two-messages", away)
    faulty = _check(python, CASES / "message-id-duplicate", away)
    bundle = _output(python, away, "schema", "history", "--bundled", "--strict")
    explained = _output(python, away, "explain", "message-id-duplicate")
    if (valid, faulty) != (0, 1) or '"$defs"' not in bundle or "message id" not in explained:
        raise SystemExit(f"{name}: the installed command does not work")
    return f"{name}: holds"


def _check(python: str, path: Path, away: Path) -> int:
    command = [python, "-m", "convspec", "check", str(path)]
    return subprocess.run(command, cwd=away, capture_output=True, check=False).returncode


def _output(python: str, away: Path, *arguments: str) -> str:
    command = [python, "-m", "convspec", *arguments]
    return subprocess.run(command, cwd=away, capture_output=True, check=True, text=True).stdout


def _pip(*arguments: str) -> None:
    """Run this environment's pip: a fresh one needs none of its own."""
    _run(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
