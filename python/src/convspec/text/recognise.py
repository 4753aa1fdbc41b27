"""Tell from its first bytes and its name what format a file is (history.md#recognition)."""

from __future__ import annotations

import json
import re
from typing import Any

from convspec.findings import Fault, Span
from convspec.text import tokens
from convspec.text.strict_json import parse

_NOTHING = re.compile(rb"[ \t\n\r\0]*+")
_SUFFIXES = {".jsonl": "session", ".json": "history"}


def body_start(data: bytes) -> int:
    """Return the offset behind a byte order mark."""
    return len(tokens.BOM) if data.startswith(tokens.BOM) else 0


def byte_order_mark(data: bytes) -> list[Fault]:
    """Return the fault of a byte order mark, where there is one (history.md#encoding)."""
    if not data.startswith(tokens.BOM):
        return []
    return [Fault("encoding-bom", "the file begins with a byte order mark", span=Span(0, len(tokens.BOM)))]


def nothing_in_it() -> Fault:
    """Return the fault of a file for which `is_empty` holds."""
    return Fault("file-empty", "the file holds nothing")


def is_empty(data: bytes) -> bool:
    """Say whether there is nothing but white space and NULs (history.md#empty)."""
    match = _NOTHING.match(data, body_start(data))
    return match is not None and match.end() == len(data)


def recognise(data: bytes, name: str | None) -> str | None:
    """Return `history` or `session`, or None where neither content nor name says."""
    return _by_content(data) or _by_name(name)


def recognise_head(head: bytes, name: str | None) -> str | None:
    """The same from the beginning of a longer file; None also where that is not enough to tell."""
    start = _object_start(head)
    if start is None:
        return _by_name(name)
    known = _by_key(head, start)
    if known is not None:
        return known
    begun = parse(head, start)
    cut = any(fault.rule == "json-truncated" for fault in begun.faults)
    return None if cut else _by_name(name)


def _by_name(name: str | None) -> str | None:
    return next((form for suffix, form in _SUFFIXES.items() if (name or "").endswith(suffix)), None)


def _by_content(data: bytes) -> str | None:
    start = _object_start(data)
    if start is None:
        return None
    return _by_key(data, start) or ("history" if "messages" in _object(data, start) else None)


def _object_start(data: bytes) -> int | None:
    space = tokens.SPACE.match(data, body_start(data))
    assert space is not None
    return space.end() if data[space.end() : space.end() + 1] == b"{" else None


def _by_key(data: bytes, start: int) -> str | None:
    key = _first_key(data, start)
    if key == "type" or _is_record(data, start):
        return "session"
    return "history" if key in ("version", "messages") else None


def _first_key(data: bytes, start: int) -> str | None:
    space = tokens.SPACE.match(data, start + 1)
    assert space is not None
    match = tokens.STRING.match(data, space.end())
    if match is None or data[match.end() : match.end() + 1] != b'"':
        return None
    try:
        key: str = json.loads(data[space.end() : match.end() + 1])
    except ValueError:  # not UTF-8
        return None
    return key


def _is_record(data: bytes, start: int) -> bool:
    """Say whether the first line alone is an object with a string `type`."""
    end = data.find(b"\n", start)
    line = data[start:] if end < 0 else data[start:end]
    if b'"type"' not in line and b"\\u" not in line:
        return False
    return isinstance(_object(line).get("type"), str)


def _object(data: bytes, start: int = 0) -> dict[str, Any]:
    """Return the object that the text is as a whole, or an empty one where it is none."""
    parsed = parse(data, start)
    if any(fault.rule == "json-trailing-data" for fault in parsed.faults):
        return {}
    return parsed.value if isinstance(parsed.value, dict) else {}
