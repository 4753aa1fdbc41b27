"""Where faults stand in a file: by their own bytes, or by the value their path names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from convspec.findings import Fault, Mention, Path, Span, Spot
from convspec.text.positions import Position, line_columns, locate

Place = Fault | Mention


@dataclass(frozen=True, slots=True)
class At:
    """A place in a file: offset in bytes; line and columns from 1, `end_column` exclusive or unknown."""

    offset: int
    line: int
    column: int
    end_column: int | None


class Places(Protocol):
    """Knows where things stand in one file."""

    def of(self, place: Place) -> At | None:
        """Return where a fault or a mention stands, None where it has no place."""


def _at(span: Span, positions: dict[int, Position], line: int = 0, base: int = 0) -> At:
    begin, end = positions[span.start], positions[span.end]
    end_column = end.column if end.line == begin.line else None
    return At(base + span.start, line or begin.line, begin.column, end_column)


class DocumentPlaces:
    """Places in one JSON document that begins at `start` of `data`."""

    def __init__(self, places: Iterable[Place], data: bytes, start: int) -> None:
        places = list(places)
        wanted = {place.path for place in places if place.span is None and place.path is not None}
        self._spans = locate(data, wanted, start) if wanted and data else {}
        spans = [*self._spans.values(), *(place.span for place in places if place.span is not None)]
        self._positions = line_columns(data, (at for span in spans for at in (span.start, span.end)))

    def of(self, place: Place) -> At | None:
        """Return where a fault or a mention stands."""
        span = place.span or (None if place.path is None else self._spans.get(place.path))
        return None if span is None else _at(span, self._positions)


class LogPlaces:
    """Places in a log. `line_at` reads the line at an offset again; each is read once."""

    def __init__(self, places: Iterable[Place], line_at: Callable[[int], bytes]) -> None:
        by_line: dict[int, list[Place]] = defaultdict(list)
        for place in places:
            if place.spot is not None:
                by_line[place.spot.line_offset].append(place)
        self._found: dict[int, At] = {}
        for offset, found in sorted(by_line.items()):
            self._read(line_at(offset), offset, found)

    def of(self, place: Place) -> At | None:
        """Return where a fault or a mention stands."""
        return self._found.get(id(place))

    def _read(self, line: bytes, offset: int, places: list[Place]) -> None:
        wanted: dict[Spot, set[Path]] = defaultdict(set)
        for place in places:
            if place.span is None and place.path is not None and place.spot is not None:
                wanted[place.spot].add(place.path)
        spans = {spot: locate(line, paths, spot.start) for spot, paths in wanted.items()}
        known: list[tuple[Place, Spot, Span]] = []
        for place in places:
            assert place.spot is not None
            span = place.span
            if span is None and place.path is not None:
                span = spans[place.spot].get(place.path)
            start = place.spot.start
            known.append((place, place.spot, span or Span(start, start)))
        positions = line_columns(line, (at for _, _, span in known for at in (span.start, span.end)))
        for place, spot, span in known:
            self._found[id(place)] = _at(span, positions, spot.line, offset)
