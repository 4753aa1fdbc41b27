"""The command, run in this process: what it prints, and its exit code."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from convspec.cli import app


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()


def run(*arguments: object, input: bytes = b"", within: Path | None = None) -> Done:
    """Run `convspec` with arguments, in the folder `within`."""
    out, err = io.BytesIO(), io.BytesIO()
    with _streams(input, out, err), contextlib.chdir(within) if within else contextlib.nullcontext():
        code = app.run([str(argument) for argument in arguments])
    return Done(code, out.getvalue(), err.getvalue().decode())


@contextlib.contextmanager
def _streams(input: bytes, *outputs: io.BytesIO) -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    kept = [io.TextIOWrapper(one, encoding="utf-8", errors="backslashreplace") for one in outputs]
    sys.stdin = io.TextIOWrapper(io.BytesIO(input))
    sys.stdout, sys.stderr = kept
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for one in kept:
            one.flush()
            one.detach()
