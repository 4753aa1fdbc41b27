"""Show the place of a finding without showing what people said.

A line of JSON is shown with its structure, its known keys, and ids; every other string is replaced
by its length. Nothing is shown because it looks harmless: only what is known to be structure is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

SHOWN = frozenset(
    ("version", "id", "role", "kind", "tool_call_id", "model_id", "mime", "file", "sha256", "name", "type")
)
"""Members whose values are ids or structure."""

NUMBERS = frozenset(("version", "input", "output", "cached", "cache_creation"))
"""Members whose numbers are shown."""

FOREIGN = "arguments"
"""The member whose content is the tool's own and never shown."""

_LONGEST_LINE = 2000  # bytes of a line that are shown from its beginning
_AHEAD = 400  # bytes shown of a longer line, from the finding on
_BEFORE = 300
_KEY_BEFORE = re.compile(rb'"[A-Za-z0-9_]{1,40}"[ \t\r\n]*:[ \t\r\n]*\Z')
_PLAIN = re.compile("[!-~]{1,100}")
_TOKEN = re.compile(
    rb'(?P<space>[ \t\r\n]+)|(?P<mark>[{}\[\],:])|(?P<string>"(?:[^"\\\x00-\x1f]|\\.)*+"?)'
    rb"|(?P<word>true|false|null|NaN|-?Infinity)|(?P<number>-?[0-9][0-9.eE+-]*+)"
    rb"|(?P<other>[^ \t\r\n{}\[\],:\"]+)"
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line as it may be shown, and which of its characters the finding is about."""

    text: str
    caret: int
    width: int


@dataclass(frozen=True, slots=True)
class Place:
    """What an excerpt is made for.

    `known` are keys that may be shown. `masked` hides every value: for JSON that is broken, where a
    string may be anything, and for places inside foreign content.
    """

    offset: int
    end: int
    known: frozenset[str]
    masked: bool


def excerpt(data: bytes, place: Place) -> Excerpt:
    """Return the line of `data` that holds the place, made fit to be shown."""
    # Never look further than a line that is shown may be long: a line can hold the whole file.
    floor = max(0, place.offset - _LONGEST_LINE)
    ceiling = min(len(data), place.offset + _LONGEST_LINE)
    begin = max(floor, data.rfind(b"\n", floor, place.offset) + 1)
    end = data.find(b"\n", place.offset, ceiling)
    end = ceiling if end < 0 else end
    lead = ""
    if end - begin > _LONGEST_LINE or (begin == floor and floor > 0):
        key = _KEY_BEFORE.search(data[max(begin, place.offset - _BEFORE) : place.offset])
        start = place.offset - (len(key[0]) if key else 0)
        lead, begin = ("… " if start > begin else ""), start
        end = min(end, place.offset + _AHEAD, max(place.end, place.offset + 1) + _AHEAD)
    text, caret, width = lead, None, 1
    for offset, stop, shown in _shown(data[begin:end], place):
        at = begin + offset
        if caret is None and at <= place.offset < begin + stop:
            inside = place.offset - at if stop - offset == len(shown) else 0
            caret = len(text) + inside
            width = max(1, len(shown) - inside)
            if place.end <= place.offset + 1:
                width = 1
        text += shown
    if caret is None:
        caret = len(text)
    return Excerpt(text.rstrip(), min(caret, len(text.rstrip())), width)


def _shown(line: bytes, place: Place) -> Iterator[tuple[int, int, str]]:
    """Yield each token's begin and end in the line, and what is shown in its stead."""
    key, foreign, depth = "", 0, 0
    position = 0
    while position < len(line):
        match = _TOKEN.match(line, position)
        if match is None:
            yield position, position + 1, "?"
            position += 1
            continue
        token, kind = match[0], match.lastgroup
        position = match.end()
        hidden = place.masked or foreign > 0
        text = token.decode("utf-8", "replace")
        if kind == "space":
            text = " " * len(text)
        elif kind == "mark":
            depth += (text in "{[") - (text in "}]")
            if key == FOREIGN and text in "{[" and not foreign:
                foreign = depth
            elif foreign and depth < foreign:
                foreign = 0
            key = key if text == ":" else ""
        elif kind == "string":
            if line[position:].lstrip(b" \t").startswith(b":") or (not line[position:] and not key):
                name = _decoded(token)
                text, key = _key(name, place, hidden), name
            else:
                text = _string(token, key, hidden)
        elif kind == "number" and (hidden or key not in NUMBERS):
            text = "<number>"
        elif kind == "other":
            text = (
                text if len(text) == 1 and not text.isalnum() and text.isascii() else f"<{len(token)} bytes>"
            )
        yield match.start(), match.end(), text


def _key(name: str, place: Place, hidden: bool) -> str:
    if name in place.known and not (hidden and name not in SHOWN | {FOREIGN}):
        return f'"{name}"'
    return f"<key of {len(name)} characters>"


def _string(token: bytes, key: str, hidden: bool) -> str:
    text = _decoded(token)
    if not hidden and key in SHOWN and _PLAIN.fullmatch(text):
        return json.dumps(text)
    count = len(text)
    return f"<string of {count} character{'' if count == 1 else 's'}>"


def _decoded(token: bytes) -> str:
    try:
        value: str = json.loads(token)
    except ValueError:  # cut off, or not UTF-8
        return token.strip(b'"').decode("utf-8", "replace")
    return value
