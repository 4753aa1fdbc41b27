"""Show the place of a finding without showing what people said.

A line of JSON is shown with its structure and its known keys. Of its values only the one the finding
is about is shown, and only if the format says that an id or a word of structure stands there; every
other is replaced by its length. Nothing is shown because it looks harmless.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_ID, _WORD = re.compile("[!-~]{1,100}"), re.compile("[a-z_]{1,20}")
_NAME = re.compile("[A-Za-z0-9_.:/-]{1,64}")
SHOWN = {
    "/messages/*/id": _ID,
    "/messages/*/role": _WORD,
    "/messages/*/kind": _WORD,
    "/messages/*/tool_call_id": _ID,
    "/messages/*/model_id": _ID,
    "/messages/*/tool_calls/*/id": _ID,
    "/messages/*/tool_calls/*/name": _NAME,
    "/messages/*/attachments/*/mime": re.compile("[A-Za-z0-9.+-]{1,40}/[A-Za-z0-9.+-]{1,60}"),
    "/messages/*/attachments/*/file": _ID,
    "/messages/*/attachments/*/sha256": re.compile("[0-9A-Fa-f]{1,100}"),
    "/version": _WORD,
    "/id": _ID,
    "/type": _WORD,
    "/timestamp": _ID,
    "/parentId": _ID,
    "/targetId": _ID,
    "/fromId": _ID,
    "/hash": _ID,
    "/toolCallId": _ID,
    "/toolName": _NAME,
    "/message/id": _ID,
    "/message/role": re.compile("[A-Za-z_]{1,20}"),
    "/message/tool_call_id": _ID,
    "/message/toolCallId": _ID,
    "/message/first_kept_entry_id": _ID,
    "/message/firstKeptEntryId": _ID,
    "/message/tool_calls/*/id": _ID,
    "/message/toolCalls/*/id": _ID,
    "/message/tool_calls/*/function/name": _NAME,
    "/message/toolCalls/*/function/name": _NAME,
}
"""Members whose strings are ids or structure, and what such a string looks like."""

NUMBERS = re.compile(r"/version|/messages/\*/tokens/[a-z_]+")
"""Members whose numbers are shown."""

LONGEST_LINE = 2000  # bytes of a line that are shown from its beginning
_AHEAD = 400  # bytes shown of a longer line, from the finding on
_BEFORE = 200
_LONGEST_SHOWN = 100
_BEFORE_COLON = re.compile(rb"[ \t\r\n]*:")
_KEY_BEFORE = re.compile(rb'"[A-Za-z0-9_]{1,40}"[ \t\r\n]*:[ \t\r\n]*\Z')
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
    """What an excerpt is made for: the bytes, and where in the document they stand.

    Only the value at `offset` may be shown, and only where `shape`, the pointer with `*` for list
    indexes, is a member that is shown. `known` are the keys that may be. In `broken` JSON no value
    is shown: a string may be anything there.
    """

    offset: int
    end: int
    known: frozenset[str]
    shape: str
    broken: bool


def excerpt(data: bytes, place: Place) -> Excerpt:
    """Return the line of `data` that holds the place, made fit to be shown."""
    # Never look further than a line that is shown may be long: a line can hold the whole file.
    floor = max(0, place.offset - LONGEST_LINE)
    ceiling = min(len(data), place.offset + LONGEST_LINE)
    begin = max(floor, data.rfind(b"\n", floor, place.offset) + 1)
    end = data.find(b"\n", place.offset, ceiling)
    end = ceiling if end < 0 else end
    lead = ""
    if end - begin > LONGEST_LINE or (begin == floor and floor > 0):
        key = _KEY_BEFORE.search(data[max(begin, place.offset - _BEFORE) : place.offset])
        before = _BEFORE if place.broken else len(key[0]) if key else 0
        start = max(begin, place.offset - before)
        lead, begin = ("… " if start > begin else ""), start
        end = min(end, place.offset + _AHEAD, max(place.end, place.offset + 1) + _AHEAD)
    text, caret, width = lead, None, 1
    for offset, stop, shown in _shown(data[begin:end], begin, place):
        at = begin + offset
        if caret is None and at <= place.offset < begin + stop:
            inside = place.offset - at if stop - offset == len(shown) else 0
            caret = len(text) + inside
            width = max(1, len(shown) - inside) if place.end > place.offset + 1 else 1
        text += shown
    if caret is None:
        caret = len(text)
    return Excerpt(text.rstrip(), min(caret, len(text.rstrip())), width)


def _shown(line: bytes, begin: int, place: Place) -> Iterator[tuple[int, int, str]]:
    """Yield each token's begin and end in the line, and what is shown in its stead."""
    position = 0
    while position < len(line):
        match = _TOKEN.match(line, position)
        if match is None:
            yield position, position + 1, "?"
            position += 1
            continue
        position = match.end()
        meant = begin + match.start() == place.offset and not place.broken
        is_key = match.lastgroup == "string" and _BEFORE_COLON.match(line, position) is not None
        text = _key(match[0], place.known) if is_key else _value(match, place.shape if meant else None)
        yield match.start(), match.end(), text


def _key(token: bytes, known: frozenset[str]) -> str:
    name = _decoded(token)
    return f'"{name}"' if name in known else f"<key of {_count(len(name), 'character')}>"


def _value(match: re.Match[bytes], shape: str | None) -> str:
    """Show a token that is no key; `shape` is where it stands, or None where it is not the one meant."""
    token, kind = match[0], match.lastgroup
    text = token.decode("utf-8", "replace")
    if kind == "space":
        return " " * len(text)
    if kind == "string":
        value, look = _decoded(token), SHOWN.get(shape or "")
        if look is not None and look.fullmatch(value):
            return f'"{value}"'
        return f"<string of {_count(len(value), 'character')}>"
    if kind == "number" and (shape is None or not NUMBERS.fullmatch(shape)):
        return "<number>"
    if kind == "other" and (len(text) > 1 or text.isalnum() or not text.isascii()):
        return f"<{_count(len(token), 'byte')}>"
    return text if len(text) <= _LONGEST_SHOWN else f"<number of {len(text)} digits>"


def _count(count: int, one: str) -> str:
    return f"{count} {one}{'' if count == 1 else 's'}"


def _decoded(token: bytes) -> str:
    try:
        value: str = json.loads(token)
    except ValueError:  # cut off, or not UTF-8
        return token.strip(b'"').decode("utf-8", "replace")
    return value
