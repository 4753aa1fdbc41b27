"""The records of a log, read again where they stand: what was kept of them is only ids and places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

from convspec.findings import Spot
from convspec.text.scanner import Fatal, Scanner
from convspec.text.strict_json import MISSING, accept

_PIECE = 1 << 12


class Changed(OSError):
    """The file is no longer the one whose places are known: it was written anew meanwhile."""


def bodies(stream: IO[bytes], spots: Iterable[Spot]) -> Iterator[dict[str, Any]]:
    """Yield the record at each place. Raises Changed, OSError.

    No more than one record is held, or one line; and in whatever order they are asked for, the bytes read
    are a small multiple of those of the records.
    """
    for spot in spots:
        stream.seek(spot.line_offset + spot.start)
        found = MISSING if spot.start else accept(stream.readline())
        if found is MISSING:  # it does not stand alone on its line
            stream.seek(spot.line_offset + spot.start)
            found = _first(stream)
        if not isinstance(found, dict):
            raise Changed(f"line {spot.line} is no longer what it was: the file was written anew")
        yield found


def _first(stream: IO[bytes]) -> Any:
    """Return the value that begins where a stream stands, MISSING where none does."""
    data, size = b"", _PIECE
    while len(data) < size:
        piece = stream.read(size - len(data))
        data += piece
        try:
            return Scanner(data, 0).value()
        except Fatal:
            if not piece:
                return MISSING
            size = 2 * len(data)
    return MISSING
