"""One log, from its bytes to findings: the layers run, and what they found is weighed and located."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from convspec.findings import FileReport, Spot
from convspec.session import layers
from convspec.session.layers import Outcome
from convspec.session.log import FORMAT, Log
from convspec.session.reading import read
from convspec.sources import Source, line_reader
from convspec.text import tokens
from convspec.text.recognise import body_start, byte_order_mark, nothing_in_it
from convspec.weigh import report, weighed, weighed_log

NO_RECORDS: Mapping[str, int] = {"records": 0, "entries": 0, "branch": 0, "messages": 0, "skipped": 0}


def judge(source: Source, name: str | None) -> tuple[Outcome, FileReport]:
    """Run all layers over a log; `name` is the file's name, for its header. Raises OSError."""
    with source.open() as stream:
        head = stream.read(len(tokens.BOM))
    outcome = layers.check(source.open, body_start(head), name)
    if outcome.empty:
        faults = [*byte_order_mark(head), nothing_in_it()]
        findings = weighed(faults, format=FORMAT, data=head)
        reading = read(Log(1), None, None).value()  # an empty log is one without records
        return outcome, report(
            source.label, findings, format=FORMAT, version=None, tally=NO_RECORDS, reading=reading
        )
    faults = [*(replace(mark, spot=Spot(1, 0, 0)) for mark in byte_order_mark(head)), *outcome.faults]
    with source.open() as stream:
        findings = weighed_log(faults, format=FORMAT, line_at=line_reader(stream))
    return outcome, report(
        source.label,
        findings,
        format=FORMAT,
        version=outcome.version,
        tally=outcome.tally,
        reading=None if outcome.reading is None else outcome.reading.value(),
        unsupported=outcome.unsupported,
    )
