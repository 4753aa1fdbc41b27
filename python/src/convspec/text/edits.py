"""Change members of a JSON value where they stand, and leave every other byte as it is."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from convspec.findings import Path
from convspec.text.positions import Part, locate, parts

_ESCAPES = re.compile(
    rb"(?P<whole>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)


class _Removed:
    """The type of REMOVED."""

    def __repr__(self) -> str:
        return "REMOVED"


REMOVED: Final = _Removed()
"""Takes a member or an item out."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The value that the member at `path` gets, or REMOVED. A member that is not there is added."""

    path: Path
    value: Any


_Cut = tuple[int, int, bytes]


def edited(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return the sound JSON value in `data` with the edits made, none of them inside another.

    The object or array above an edit must be there. Where an object names a key twice, the last one counts.
    """
    above: dict[Path, dict[str | int, Any]] = defaultdict(dict)
    for edit in edits:
        above[edit.path[:-1]][edit.path[-1]] = edit.value
    cuts: list[_Cut] = []
    places = locate(data, above)
    for holder, values in above.items():
        begin = places[holder].start
        inside = list(parts(data, begin))
        there = {part.key: part for part in inside}
        for key, value in values.items():
            if key in there and value is not REMOVED:
                cuts.append((there[key].value, there[key].end, dumped(value)))
        cuts += _without(inside, {key for key, value in values.items() if value is REMOVED})
        added = [(key, value) for key, value in values.items() if key not in there and value is not REMOVED]
        if added:
            at = inside[-1].end if inside else begin + 1
            text = b",".join(dumped(key) + b":" + dumped(value) for key, value in added)
            cuts.append((at, at, b"," + text if inside else text))
    return _cut(data, cuts)


def inserted(data: bytes, holder: Path, values: dict[int, list[Any]]) -> bytes:
    """Return `data` with items put into the array at `holder`, behind the item at each index."""
    inside = items_of(data, holder)
    cuts = []
    for index, items in values.items():
        end, pair = inside[index].end, inside[max(index - 1, 0) :][:2]
        between = data[pair[0].end : pair[1].start] if len(pair) == 2 else b", "
        cuts.append((end, end, b"".join(between + dumped(item) for item in items)))
    return _cut(data, cuts)


def items_of(data: bytes, holder: Path) -> list[Part]:
    """Return where the items of the array at `holder` stand."""
    return list(parts(data, locate(data, [holder])[holder].start))


def without_repeated_keys(data: bytes) -> bytes:
    """Return `data` in which each object names a key once: the last one is kept, where it stands."""
    cuts: list[_Cut] = []
    work = [locate(data, [()])[()].start]
    while work:
        last: dict[str | int, Part] = {}
        before: Part | None = None
        repeated: list[Part] = []
        inside = list(parts(data, work.pop()))
        for part in inside:
            if part.key in last:
                repeated.append(last[part.key])
            last[part.key] = part
        gone = {part.start for part in repeated}
        for part in inside:
            if before is not None and before.start in gone:
                cuts.append((before.start, part.start, b""))
            before = part
            if part.start not in gone and data[part.value : part.value + 1] in (b"{", b"["):
                work.append(part.value)
    return _cut(data, cuts)


def without_half_surrogates(data: bytes) -> bytes:
    """Return `data` with U+FFFD in place of each half of a surrogate pair."""
    return _ESCAPES.sub(lambda match: rb"\ufffd" if match["half"] else match[0], data)


def dumped(value: Any) -> bytes:
    """Return a small value as JSON, in the form in which logs are written."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return json.dumps(value, separators=(",", ":")).encode()


def _without(inside: list[Part], gone: set[str | int]) -> Iterable[_Cut]:
    """Yield what to cut so that the parts named are gone, with one comma each."""
    kept = [number for number, part in enumerate(inside) if part.key not in gone]
    last = kept[-1] if kept else -1
    for number, part in enumerate(inside[: last + 1]):
        if part.key in gone:
            yield part.start, inside[number + 1].start, b""
    if gone and last + 1 < len(inside):
        begin = inside[last].end if kept else inside[0].start
        yield begin, inside[-1].end, b""


def _cut(data: bytes, cuts: list[_Cut]) -> bytes:
    pieces, at = [], 0
    for begin, end, text in sorted(cuts):
        pieces += [data[at:begin], text]
        at = end
    return b"".join([*pieces, data[at:]])
