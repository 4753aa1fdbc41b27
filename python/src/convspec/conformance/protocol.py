"""The lines of the protocol tier: requests written, answers read and held against their schemas."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from convspec import engines
from convspec.conformance.recovered import output_of
from convspec.pointers import to_pointer
from convspec.text.strict_json import MISSING, parse

PROTOCOL = 1
LONGEST_ANSWER = 16 * 1024 * 1024
"""Bytes of one line. No answer to a case of the corpus comes near it."""

_INTRODUCTION = "conformance/1.0/introduction.schema.json"
_ANSWER = "conformance/1.0/answer.schema.json"
ANSWERED_BY = {
    "check": ("verdict",),
    "equal": ("equal",),
    "repair": ("unchanged", "messages"),
    "write": ("refused", "ids"),
    "recover": ("output", "verdict"),
}
"""The members that answer a case of each kind."""

_NOT_READ = ("encoding-utf8", "json-syntax", "json-truncated", "json-trailing-data", "json-duplicate-key",
             "json-non-finite", "json-depth")  # fmt: skip


class BadAnswer(Exception):
    """A line that is no answer to what was asked; the text says why."""


def start() -> bytes:
    """Return the first line: which protocol is spoken."""
    return _line({"cmd": "start", "protocol": PROTOCOL})


def case(seq: int, case: Mapping[str, Any], path: str) -> bytes:
    """Return the line that asks for a case whose input is at `path`; a second one is beside it."""
    request = {"cmd": "case", "seq": seq, "kind": case["kind"], "format": case["format"], "path": path}
    if "other" in case:
        request["other"] = os.path.join(os.path.dirname(path), case["other"])
    if "operations" in case:
        request["operations"] = case["operations"]
    if case["kind"] == "recover":
        request["output"] = output_of(path)
    return _line(request)


def stop() -> bytes:
    """Return the last line."""
    return _line({"cmd": "stop"})


def _line(request: dict[str, Any]) -> bytes:
    return json.dumps(request).encode() + b"\n"


def introduction(line: bytes) -> dict[str, Any]:
    """Return what an adapter says of itself. Raises BadAnswer."""
    return _read(line, _INTRODUCTION)


def answer(line: bytes, seq: int, kind: str) -> dict[str, Any]:
    """Return the answer to case number `seq`, of a kind. Raises BadAnswer."""
    value = _read(line, _ANSWER)
    if value["seq"] != seq:
        raise BadAnswer(f"the answer is to case {value['seq']}, asked was case {seq}")
    wanted = ANSWERED_BY[kind]
    if sum(key in value for key in (wanted[0], "skipped", "failed")) != 1:
        raise BadAnswer(f"an answer has exactly one of {wanted[0]}, skipped and failed")
    if wanted[0] in value and not all(key in value for key in wanted):
        raise BadAnswer(f"an answer to the kind {kind} has {' and '.join(wanted)}")
    return value


def _read(line: bytes, schema: str) -> dict[str, Any]:
    if len(line) > LONGEST_ANSWER:
        raise BadAnswer(f"the line is longer than {LONGEST_ANSWER} bytes")
    if not line.endswith(b"\n"):
        raise BadAnswer("the output ended inside a line")
    parsed = parse(line)
    fault = next((fault for fault in parsed.faults if fault.rule in _NOT_READ), None)
    if fault is not None or parsed.value is MISSING:
        raise BadAnswer("the line is not one JSON value" + (f": {fault.message}" if fault else ""))
    for violation in engines.violations(schema, parsed.value):
        wanted = f" {violation.member}" if violation.member else ""
        place = to_pointer(violation.path) or "the answer"
        raise BadAnswer(f"{place} does not fit {schema}: {violation.keyword}{wanted}")
    value: dict[str, Any] = parsed.value
    return value
