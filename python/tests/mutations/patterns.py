"""Patterns with one part changed, for the small language that the schemas keep to.

Characters, classes, groups with alternatives, `?`, `+`, `{n}`, and both anchors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_PLAIN = r"[^\\.*?+{}\[\]()|^$]"
_ATOM = re.compile(
    r"\[(?P<class>[^\]]+)\]|(?P<group>[()|])|(?P<anchor>[\^$])"
    rf"|(?P<text>{_PLAIN}+(?![?+{{])|{_PLAIN})"  # what is repeated is one character
)
_REPEAT = re.compile(r"[?+]|\{[0-9]+\}")
_SPAN = re.compile(r"(.)-(.)|.")

Part = tuple[str, str, int, int]
"""Kind (class, group, anchor, text or repeat), text, start, end."""


def parts(pattern: str) -> Iterator[Part]:
    """Yield the parts of a pattern. Raises ValueError for what is not understood."""
    at = 0
    while at < len(pattern):
        repeat = _REPEAT.match(pattern, at) if at else None
        match = repeat or _ATOM.match(pattern, at)
        if match is None:
            raise ValueError(f"{pattern} has something at {at} that has no mutants")
        yield ("repeat" if repeat else str(match.lastgroup)), match[0], at, match.end()
        at = match.end()


def loosened(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield what was done, and a pattern that takes more."""
    listed = [*parts(pattern), ("end", "", len(pattern), len(pattern))]
    for (kind, text, start, end), (next_kind, next_text, _, _) in pairwise(listed):
        place = f"{text!r} at {start}"
        if kind == "anchor":
            yield f"without {place}", pattern[:start] + pattern[end:]
        elif kind == "repeat" and text.startswith("{"):
            times = int(text[1:-1])
            yield f"one more for {place}", f"{pattern[:start]}{{{times},{times + 1}}}{pattern[end:]}"
            yield f"one less for {place}", f"{pattern[:start]}{{{times - 1},{times}}}{pattern[end:]}"
        elif kind == "repeat" and text == "+":
            yield f"none for {place}", f"{pattern[:start]}*{pattern[end:]}"
        if kind in ("class", "text"):
            anything = r"[^\n]" if kind == "class" else r"[^\n]" * len(text)
            yield f"anything for {place}", pattern[:start] + anything + pattern[end:]
            if next_kind != "repeat":
                yield f"optional {place}", f"{pattern[:start]}({text})?{pattern[end:]}"
        if kind == "class":
            yield from _widened(pattern, text, start, end)
        if text == ")" and next_text != "?":
            opened = pattern.rindex("(", 0, start)
            yield f"optional {pattern[opened:end]!r} at {opened}", f"{pattern[:end]}?{pattern[end:]}"


def _widened(pattern: str, text: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    """Let a class of lower-case letters take capitals too, and one of ASCII digits every digit."""
    if "a-" in text:
        yield f"capitals for {text!r} at {start}", f"{pattern[:start]}{text[:-1]}A-Z]{pattern[end:]}"
    if "0-9" in text:
        digits = "٠-٩０-９"
        yield f"other digits for {text!r} at {start}", f"{pattern[:start]}{text[:-1]}{digits}]{pattern[end:]}"


def narrowed(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield what was done, and a pattern that takes less."""
    for kind, text, start, end in parts(pattern):
        place = f"{text!r} at {start}"
        if kind == "class":
            spans = [match[0] for match in _SPAN.finditer(text[1:-1])]
            for index, span in enumerate(spans):
                for less in _less(span) if len(span) == 3 else [""]:
                    rest = "".join([*spans[:index], less, *spans[index + 1 :]])
                    if rest:
                        yield f"{rest!r} for {place}", f"{pattern[:start]}[{rest}]{pattern[end:]}"
        elif kind == "repeat" and text in ("?", "+"):
            yield f"exactly one for {place}", pattern[:start] + pattern[end:]
        elif text == "(":
            yield from _fewer(pattern, start)


def _less(span: str) -> Iterator[str]:
    """Yield a range of characters without its first and without its last."""
    first, last = ord(span[0]), ord(span[2])
    yield f"{chr(first + 1)}-{chr(last)}"
    yield f"{chr(first)}-{chr(last - 1)}"


def _fewer(pattern: str, start: int) -> Iterator[tuple[str, str]]:
    """Take out each alternative of a group, and the whole of an optional group."""
    end = pattern.index(")", start)
    inner = pattern[start + 1 : end]
    options = inner.split("|")
    for option in options if len(options) > 1 else ():
        rest = "|".join(one for one in options if one != option)
        yield f"without {option!r} at {start}", f"{pattern[:start]}({rest}){pattern[end + 1 :]}"
    if pattern[end + 1 : end + 2] == "?":
        yield f"without {pattern[start : end + 2]!r} at {start}", pattern[:start] + pattern[end + 2 :]
