"""Bytes or a path to a report: recognise the format, run the layers in order. Never raises."""

from __future__ import annotations

import os
from dataclasses import replace

from convspec.findings import Fault, FileReport
from convspec.history import layers as history
from convspec.history.judged import judge
from convspec.session import log
from convspec.session.judged import judge as judge_log
from convspec.sources import Source, read_source, reason
from convspec.text.recognise import byte_order_mark, is_empty, nothing_in_it, recognise
from convspec.weigh import report, weighed

FORMATS = (history.FORMAT, log.FORMAT)


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
    if is_empty(source.data) and known != log.FORMAT:
        return _empty(source, source.data, known)
    if known == history.FORMAT:
        return _history(source, source.data)
    if known == log.FORMAT:
        return _session(source, name)
    message = "neither content nor name says that this is a history or a session log"
    findings = weighed([Fault("format-unrecognised", message)], format=None)
    return report(source.label, findings, format=None, version=None, tally=None)


def _empty(source: Source, data: bytes, known: str | None) -> FileReport:
    """Return the report on a file without anything in it that is no log."""
    findings = weighed([*byte_order_mark(data), nothing_in_it()], format=known, data=data)
    tally = history.NOTHING if known == history.FORMAT else None
    return report(source.label, findings, format=known, version=None, tally=tally)


def _history(source: Source, data: bytes) -> FileReport:
    return judge(data, source.folder).report(source.label)


def _session(source: Source, name: str | None) -> FileReport:
    try:
        _, told = judge_log(source, name)
    except OSError as error:  # the file went away, or changed its kind, while it was read
        return unreadable(source.label, error)
    return told
