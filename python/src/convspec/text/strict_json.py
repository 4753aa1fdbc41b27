"""A JSON value from bytes, or the findings that say why there is none (history.md#json).

A fast parser accepts what is sound. It must be at least as strict as the rules; what it refuses,
or what it read too kindly, is read again by the scanner, which says why.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from convspec.findings import Fault, Span
from convspec.text import tokens
from convspec.text.scanner import DEEPEST, EXACT, Fatal, Scanner
from convspec.text.utf8 import first_bad_byte

try:
    import jiter
except ImportError:  # pragma: no cover - the browser
    jiter = None  # type: ignore[assignment]


class _Missing:
    """The type of MISSING."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
"""Stands where there is no value; None is a value."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value, or MISSING, and the faults of the bytes and json layers."""

    value: Any
    faults: tuple[Fault, ...] = ()


def parse(data: bytes, start: int = 0) -> Parsed:
    """Read the one JSON document in `data` from offset `start` on. Never raises.

    Spans are offsets into `data`. Time is linear in its length.
    """
    value = accept(data[start:] if start else data)
    if value is not MISSING:
        return Parsed(value)
    return explain(data, start)


def explain(data: bytes, start: int = 0) -> Parsed:
    """The same by the scanner alone."""
    bad = first_bad_byte(data, start)
    if bad is not None:
        return _not_utf8(data, start, *bad)
    scanner = Scanner(data, start)
    try:
        value = scanner.value()
    except Fatal as fatal:
        return Parsed(MISSING, (fatal.fault,))
    space = tokens.SPACE.match(data, scanner.position)
    assert space is not None
    if space.end() < len(data):
        span = Span(space.end(), space.end() + 1)
        scanner.faults.append(
            Fault("json-trailing-data", "something stands behind the complete document", span=span)
        )
    return Parsed(value, tuple(scanner.faults))


def _not_utf8(data: bytes, start: int, span: Span, cut: bool) -> Parsed:
    if cut:
        # The file may end inside a character because it was cut: then that is the fault.
        try:
            Scanner(data[: span.start], start).value()
        except Fatal as fatal:
            if fatal.in_string:
                return Parsed(MISSING, (fatal.fault,))
    hint = "; this looks like UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
    return Parsed(MISSING, (Fault("encoding-utf8", f"these bytes are not UTF-8{hint}", span=span),))


# The accepting way


def accept(data: bytes) -> Any:
    """Return the value if `data` is sound in every respect, else MISSING."""
    try:
        value = _parse(data)
    except (ValueError, RecursionError):
        return MISSING
    return value if _plain(value) else MISSING


def _accept_with_jiter(data: bytes) -> Any:
    if b"\\u0000" in data:
        return MISSING
    return jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)


_SUSPICIOUS = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


def _accept_with_json(data: bytes) -> Any:
    if _SUSPICIOUS.search(data) or data.startswith(tokens.BOM):
        return MISSING
    return json.loads(data.decode(), object_pairs_hook=_unique, parse_constant=_refused)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate key")
    return value


def _refused(name: str) -> Any:
    raise ValueError(name)


_parse: Callable[[bytes], Any] = _accept_with_json if jiter is None else _accept_with_jiter


def _plain(value: Any) -> bool:
    """Say whether no number and no depth in `value` breaks a rule. Level by level, no recursion."""
    level: list[Any] = [[value]]
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for container in level:
            for item in container.values() if isinstance(container, dict) else container:
                kind = type(item)
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    below.append(item)
                elif kind is int:
                    if not -EXACT <= item <= EXACT:
                        return False
                elif kind is float and not math.isfinite(item):
                    return False
        if not below:
            return True
        level = below
    return False
