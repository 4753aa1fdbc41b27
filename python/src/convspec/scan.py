"""Many paths to reports, in order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from convspec.checker import check
from convspec.findings import FileReport


def check_many(
    paths: Iterable[str | os.PathLike[str]], *, format: str | None = None
) -> Iterator[FileReport]:
    """Check files one after the other and yield their reports in the order of the paths."""
    for path in paths:
        yield check(path, format=format)
