"""Lines that fit a terminal: text is cut, or goes on below, by the columns that its characters take."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from convspec.reporters.words import printable

NARROWEST = 40
MARGIN = 12
"""Where values begin."""
_MOST = 12
"""Lines that a value may take."""


def columns(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """Return a text of at most so many columns, with `…` for what is left out."""
    head = text if len(text) <= 2 * width else text[: 2 * width]
    if head is text and columns(text) <= width:
        return text
    taken = 0
    for place, character in enumerate(head):
        taken += _columns(character)
        if taken > width - 1:
            return head[:place] + "…"
    return head + "…"


def member(name: str, value: str, width: int) -> Iterator[str]:
    """Yield a name and its value; what does not fit goes on below, under the beginning of the value."""
    lead = f"{name:<{MARGIN}}"
    room = max(NARROWEST, width) - MARGIN
    for line in _folded(cut(printable(value), _MOST * room), room):
        yield lead + line
        lead = " " * MARGIN


def _folded(text: str, room: int) -> Iterator[str]:
    """Break a text at spaces, and longer words where the room ends."""
    while columns(text) > room:
        taken, last, end = 0, 0, len(text)
        for place, character in enumerate(text):
            taken += _columns(character)
            if taken > room:
                end = place
                break
            if character == " ":
                last = place
        at = last or end
        yield text[:at].rstrip(" ")
        text = text[at:].lstrip(" ")
    yield text
