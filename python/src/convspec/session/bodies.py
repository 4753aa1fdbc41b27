"""The records of a log, read again where they stand: what was kept of them is only ids and places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

from convspec.findings import Spot
from convspec.text.lines import read_line
from convspec.text.tokens import BOM


class Changed(OSError):
    """The file is no longer the one whose places are known: it was written anew meanwhile."""


def bodies(stream: IO[bytes], spots: Iterable[Spot]) -> Iterator[dict[str, Any]]:
    """Yield the record at each place. Raises Changed, OSError.

    A line is read once for neighbours on it, and never more than one is held.
    """
    at, line = -1, b""
    for spot in spots:
        if spot.line_offset != at:
            stream.seek(spot.line_offset)
            at, line = spot.line_offset, stream.readline()
        start = len(BOM) if at == 0 and line.startswith(BOM) else 0
        found = next((one for one in read_line(line, start=start).values if one.start == spot.start), None)
        if found is None or not isinstance(found.value, dict):
            raise Changed(f"line {spot.line} is no longer what it was: the file was written anew")
        yield found.value
