"""From a record to the line that is written. What `check` would call an error is refused before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from convspec.findings import Fault, Severity
from convspec.frozen import Foreign, TooDeep, freeze, thaw
from convspec.pointers import bounded, to_pointer
from convspec.rules import severity_of
from convspec.session.errors import SessionError
from convspec.session.log import FORMAT, Log
from convspec.session.log_reader import Reader
from convspec.session.records_to_write import VERSION
from convspec.weigh import report, weighed_log

LABEL = "<record>"


@dataclass(frozen=True, slots=True)
class Line:
    """A record ready to be written: the bytes with their line feed, and what a reader makes of them."""

    record: Mapping[str, Any]
    data: bytes
    log: Log


def line_of(record: Mapping[str, Any]) -> Line:
    """Return the line of a record: compact JSON and a line feed (session.md#lines).

    Raises SessionError for what no JSON can hold, and for what a reader would refuse.
    """
    data = encoded(record) + b"\n"
    log = Reader(VERSION).read([(1, 0, data)], 0)
    errors = [fault for fault in log.faults if severity_of(fault.rule, FORMAT) is Severity.ERROR]
    if errors:
        raise refused_record(errors, data)
    return Line(record, data, log)


def encoded(record: Mapping[str, Any]) -> bytes:
    """Return the JSON of a record. Half a surrogate pair is written as an escape, for `line_of` to tell."""
    try:
        value = thaw(freeze(record))
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except TooDeep as error:
        raise refused_record([Fault("json-depth", str(error))], b"\n") from error
    except (TypeError, ValueError, RecursionError) as error:
        at = f" at {to_pointer(bounded(error.path))}" if isinstance(error, Foreign) else ""
        raise SessionError(f"the record is not written: {error}{at}") from error
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def refused_record(faults: list[Fault], data: bytes) -> SessionError:
    """Return the error for a record that is not written, by its first fault."""
    findings = weighed_log(faults, format=FORMAT, line_at=lambda offset: data)
    first = next(finding for finding in findings if finding.severity is Severity.ERROR)
    at = f" at {first.pointer}" if first.pointer else ""
    told = report(LABEL, findings, format=FORMAT, version=VERSION, tally=None)
    return SessionError(f"the record is not written: {first.message}{at} [{first.rule}]", told)
