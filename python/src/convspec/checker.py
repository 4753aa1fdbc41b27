"""Bytes or a path to a report: recognise the format, run the layers in order. Never raises."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from convspec.findings import Fault, FileReport, Span
from convspec.history import layers
from convspec.regular import NotRegular, open_regular
from convspec.text import tokens
from convspec.text.recognise import body_start, is_empty, recognise
from convspec.text.strict_json import parse
from convspec.weigh import report, weighed

HISTORY_FILE = "history.json"
FORMATS = ("history", "session")


class NoHistory(OSError):
    """A folder was named that holds no history.json."""


@dataclass(frozen=True, slots=True)
class Source:
    """An input as it was read: what to call it, its bytes, and the folder it came with."""

    label: str
    data: bytes
    folder: str | None


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
        read = read_source(path)
    except (OSError, ValueError) as error:
        return unreadable(name or path, error)
    return check_source(
        Source(name or path, read.data, beside or read.folder), format=format, name=name or read.label
    )


def read_source(path: str) -> Source:
    """Read a file that a person named, with its folder (history.md#attachment-folder).

    A folder stands for the history.json in it. Raises OSError, or ValueError for a name that no
    file can have.
    """
    if os.path.isdir(path):
        path = os.path.join(path, HISTORY_FILE)
        if not os.path.lexists(path) or os.path.isdir(path):
            raise NoHistory(path)
    folder = (os.path.dirname(path) or ".") if os.path.basename(path) == HISTORY_FILE else None
    with os.fdopen(open_regular(path), "rb") as file:
        return Source(path, file.read(), folder)


def unreadable(label: str, error: OSError | ValueError) -> FileReport:
    """Return the report on a file that could not be read."""
    findings = weighed([Fault("file-unreadable", _reason(error))], format=None)
    return report(label, findings, format=None, version=None, tally=None)


def check_source(source: Source, *, format: str | None = None, name: str | None = None) -> FileReport:
    """Check an input that has been read already."""
    data = source.data
    known = format or recognise(data, name)
    if is_empty(data):
        findings = weighed(
            [*_mark(data), Fault("file-empty", "the file holds nothing")], format=known, data=data
        )
        tally = layers.NOTHING if known == layers.FORMAT else None
        return report(source.label, findings, format=known, version=None, tally=tally)
    if known != layers.FORMAT:
        message = "neither content nor name says that this is a history"
        if known == "session":
            message = "this is a session log; this release checks histories only"
        findings = weighed([Fault("format-unrecognised", message)], format=known)
        return report(source.label, findings, format=known, version=None, tally=None)
    return _history(source)


def _history(source: Source) -> FileReport:
    start = body_start(source.data)
    faults = _mark(source.data)
    outcome = layers.check(parse(source.data, start), source.folder)
    faults += outcome.faults
    return report(
        source.label,
        weighed(faults, format=layers.FORMAT, data=source.data, start=start),
        format=layers.FORMAT,
        version=outcome.version,
        tally=outcome.tally,
        unsupported=outcome.unsupported,
    )


def _mark(data: bytes) -> list[Fault]:
    if not data.startswith(tokens.BOM):
        return []
    return [Fault("encoding-bom", "the file begins with a byte order mark", span=Span(0, len(tokens.BOM)))]


def _reason(error: Any) -> str:
    if isinstance(error, NotRegular):
        return "it is no regular file; to read from a pipe, give - and feed it to standard input"
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, NoHistory):
        return f"it is a folder without a file {HISTORY_FILE}"
    return getattr(error, "strerror", None) or "its name cannot be used"
