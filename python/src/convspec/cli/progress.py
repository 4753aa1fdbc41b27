"""A progress bar on stderr: only on a terminal, only after a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

_PATIENCE = 1.0  # seconds


def watched(items: Sequence[str], *, quiet: bool, doing: str = "checking") -> Iterator[str]:
    """Yield the items; show how far the run is where it takes long."""
    if quiet or len(items) < 2 or not sys.stderr.isatty():
        yield from items
        return
    began = time.monotonic()
    rest = iter(enumerate(items))
    for index, item in rest:
        yield item
        if time.monotonic() - began > _PATIENCE:
            yield from _with_bar(rest, index + 1, len(items), doing)
            return


def _with_bar(rest: Iterator[tuple[int, str]], done: int, total: int, doing: str) -> Iterator[str]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=total, completed=done)
        for _, item in rest:
            yield item
            progress.advance(task)
