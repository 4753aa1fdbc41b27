"""Many inputs to reports, in order, each with the lines a person is shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from convspec.checker import Source, check, check_source, read_source, unreadable
from convspec.findings import FileReport, Finding
from convspec.schemas import documents
from convspec.selection import Selection, foremost
from convspec.text.excerpts import FOREIGN, Excerpt, Place, excerpt

STDIN = "-"
_FATAL = ("encoding-utf8", "json-syntax", "json-truncated", "json-depth", "json-non-finite")


@dataclass(frozen=True, slots=True)
class Run:
    """What is asked of every input of a run; `lines` is how many findings per file show theirs."""

    format: str | None = None
    stdin_name: str | None = None
    selection: Selection = field(default_factory=Selection)
    infos: bool = False
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Checked:
    """A report, and the lines of the findings that are shown, by their index."""

    report: FileReport
    excerpts: Mapping[int, Excerpt]


def check_many(paths: Iterable[str | os.PathLike[str]], *, format: str | None = None) -> Iterator[FileReport]:
    """Check files one after the other and yield their reports in the order of the paths."""
    for path in paths:
        yield check(path, format=format)


def checked(path: str, run: Run) -> Checked:
    """Check one input, `-` being standard input. Never raises."""
    name: str | None = path
    try:
        if path == STDIN:
            name = run.stdin_name
            source = Source(name or "<stdin>", sys.stdin.buffer.read(), None)
        else:
            source = read_source(path)
    except (OSError, ValueError) as error:
        return Checked(unreadable(path, error), {})
    report = run.selection.apply(check_source(source, format=run.format, name=name))
    lines = {
        index: _excerpt(source.data, report.findings[index])
        for index in foremost(report.findings, infos=run.infos, limit=run.lines)
        if report.findings[index].offset is not None
    }
    return Checked(report, lines)


def _excerpt(data: bytes, finding: Finding) -> Excerpt:
    assert finding.offset is not None
    tokens = (finding.pointer or "").split("/")
    masked = finding.rule in _FATAL or FOREIGN in tokens[:-1]
    known = _known_keys() | {finding.member or ""}
    end = finding.offset + 1
    if finding.column is not None and finding.end_column is not None:
        end = finding.offset + max(1, finding.end_column - finding.column)
    return excerpt(data, Place(finding.offset, end, known, masked))


def _known_keys() -> frozenset[str]:
    keys: set[str] = set()
    for path, document in documents().items():
        if path.startswith(("history/", "session/")):
            keys |= document["properties"].keys()
    return frozenset(keys)
