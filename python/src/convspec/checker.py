"""Bytes or a path to a report: recognise the format, run the layers in order. Never raises."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from convspec.findings import Fault, FileReport, Spot
from convspec.history import layers as history
from convspec.history.judged import judge
from convspec.session import layers as session
from convspec.session import log
from convspec.sources import Source, line_reader, read_source, reason
from convspec.text import tokens
from convspec.text.recognise import body_start, byte_order_mark, is_empty, nothing_in_it, recognise
from convspec.weigh import report, weighed, weighed_log

FORMATS = (history.FORMAT, log.FORMAT)
_NO_RECORDS = {"records": 0, "entries": 0, "branch": 0, "messages": 0, "skipped": 0}
_EMPTY = {history.FORMAT: history.NOTHING, log.FORMAT: _NO_RECORDS}


def check(
    source: str | os.PathLike[str] | bytes,
    *,
    format: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    name: str | None = None,
) -> FileReport:
    """Check one file, given by path or as bytes, and return its report. No input makes it raise.

    `format` overrides recognition (history.md#recognition). `folder` is where stored attachments
    are looked up; a path named history.json, or a folder that holds one, brings its own
    (history.md#attachment-folder). `name` is what bytes are recognised and reported by.
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}")
    beside = None if folder is None else os.fsdecode(folder)
    if isinstance(source, bytes | bytearray | memoryview):
        return check_source(Source(name or "<bytes>", bytes(source), beside), format=format, name=name)
    path = os.fsdecode(source)
    try:
        read = read_source(path, format)
    except (OSError, ValueError) as error:
        return unreadable(name or path, error)
    labelled = replace(read, label=name or path, folder=beside or read.folder)
    return check_source(labelled, format=format, name=name or read.label)


def unreadable(label: str, error: OSError | ValueError) -> FileReport:
    """Return the report on a file that could not be read."""
    findings = weighed([Fault("file-unreadable", reason(error))], format=None)
    return report(label, findings, format=None, version=None, tally=None)


def check_source(source: Source, *, format: str | None = None, name: str | None = None) -> FileReport:
    """Check an input. A log that is not in memory is read from its path; never raises for what it holds."""
    if source.data is None:
        return _session(source, name)
    known = format or recognise(source.data, name)
    if is_empty(source.data):
        return _empty(source, source.data, known)
    if known == history.FORMAT:
        return _history(source, source.data)
    if known == log.FORMAT:
        return _session(source, name)
    message = "neither content nor name says that this is a history or a session log"
    findings = weighed([Fault("format-unrecognised", message)], format=None)
    return report(source.label, findings, format=None, version=None, tally=None)


def _empty(source: Source, data: bytes, known: str | None) -> FileReport:
    faults = [*byte_order_mark(data), nothing_in_it()]
    findings = weighed(faults, format=known, data=data)
    reading: Mapping[str, Any] | None = {"messages": []} if known == log.FORMAT else None
    tally = _EMPTY.get(known or "")
    return report(source.label, findings, format=known, version=None, tally=tally, reading=reading)


def _history(source: Source, data: bytes) -> FileReport:
    return judge(data, source.folder).report(source.label)


def _session(source: Source, name: str | None) -> FileReport:
    try:
        with source.open() as stream:
            head = stream.read(len(tokens.BOM))
        outcome = session.check(source.open, body_start(head), name)
        if outcome.empty:
            return _empty(source, head, log.FORMAT)
        faults = [*(replace(mark, spot=Spot(1, 0, 0)) for mark in byte_order_mark(head)), *outcome.faults]
        with source.open() as stream:
            findings = weighed_log(faults, format=log.FORMAT, line_at=line_reader(stream))
    except OSError as error:  # the file went away, or changed its kind, while it was read
        return unreadable(source.label, error)
    return report(
        source.label,
        findings,
        format=log.FORMAT,
        version=outcome.version,
        tally=outcome.tally,
        reading=None if outcome.reading is None else outcome.reading.value(),
        unsupported=outcome.unsupported,
    )
