"""The bytes of a history before it can be read: what stands before, behind and in place of its end.

Each step takes the bytes, and returns what becomes of them.
"""

from __future__ import annotations

from convspec.findings import Fault
from convspec.repairing.closing import closed
from convspec.repairing.steps import Journal, Step
from convspec.text.strict_json import MISSING, parse
from convspec.text.tokens import BOM

_NOTHING = b" \t\r\n\0"


def mended(data: bytes, journal: Journal, *, unsafe: bool) -> bytes:
    """Take every step that applies."""
    steps = (_mark, _nuls, _bytes, _close, _trailing) if unsafe else (_mark, _nuls, _trailing)
    for step in steps:
        data = step(data, journal)
    return data


def _mark(data: bytes, journal: Journal) -> bytes:
    if not data.startswith(BOM):
        return data
    journal.add(Step("remove-mark", "encoding-bom", "the byte order mark is removed", 1))
    return data[len(BOM) :]


def _nuls(data: bytes, journal: Journal) -> bytes:
    """Drop the NULs with which a crash fills the end of a file."""
    end = len(data.rstrip(_NOTHING))
    count = data.count(b"\0", end)
    if not (count and end):
        return data
    at = data.index(b"\0", end)
    rule = next((fault.rule for fault in parse(data).faults), "json-syntax")
    journal.add(Step("drop-nuls", rule, f"{count:,} NUL bytes are dropped", line_at(data, at)))
    return data[:at]


def _bytes(data: bytes, journal: Journal) -> bytes:
    """Replace bytes that are not UTF-8, if a document comes of it."""
    fault = _fatal(data)
    if fault is None or fault.rule != "encoding-utf8" or fault.span is None:
        return data
    replaced = data.decode("utf-8", "replace").encode()
    left = _fatal(replaced)
    if left is not None and (left.rule != "json-truncated" or closed(replaced) is None):
        return data
    message = "U+FFFD takes the place of bytes that are not UTF-8"
    journal.add(Step("replace-bytes", fault.rule, message, line_at(data, fault.span.start)), data)
    return replaced


def _close(data: bytes, journal: Journal) -> bytes:
    """Close a document that was cut off behind its last whole message."""
    fault = _fatal(data)
    found = closed(data) if fault is not None and fault.rule == "json-truncated" else None
    if found is None or fault is None:
        return data
    at, closing = found
    dropped = data[at:].strip(_NOTHING)
    message = f"the document is closed behind what is whole of it; {len(dropped):,} bytes are dropped"
    journal.add(Step("close-document", fault.rule, message, line_at(data, at)), dropped)
    return data[:at] + closing + b"\n"


def _trailing(data: bytes, journal: Journal) -> bytes:
    """Drop what stands behind the document: no reader takes it for a part of it."""
    parsed = parse(data)
    fault = next((one for one in parsed.faults if one.rule == "json-trailing-data"), None)
    if parsed.value is MISSING or fault is None or fault.span is None:
        return data
    at = fault.span.start
    dropped = data[at:].strip(_NOTHING)
    message = f"{len(dropped):,} bytes behind the document are dropped"
    journal.add(Step("drop-trailing", fault.rule, message, line_at(data, at)), dropped)
    return data[:at]


def _fatal(data: bytes) -> Fault | None:
    parsed = parse(data)
    return parsed.faults[0] if parsed.value is MISSING and parsed.faults else None


def line_at(data: bytes, offset: int) -> int:
    """Return the line of an offset."""
    return data.count(b"\n", 0, offset) + 1
