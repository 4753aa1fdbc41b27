"""Many inputs to reports, in order, each with the lines a person is shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from convspec.checker import check, check_source, unreadable
from convspec.findings import FileReport, Finding
from convspec.pointers import nameable_to_people, shape_of
from convspec.schemas import known_keys
from convspec.selection import FATAL, IN_FULL, Selection, grouped
from convspec.sources import Source, read_source
from convspec.text.excerpts import LONGEST_LINE, Excerpt, Place, excerpt
from convspec.walk import STDIN


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
    """Check files one after the other and yield their reports in the order of the paths.

    Raises TypeError for a single path, whose letters would be taken for paths.
    """
    if isinstance(paths, str | bytes | os.PathLike):
        raise TypeError("check_many takes several paths; for one there is check")
    for path in paths:
        yield check(path, format=format)


def checked(path: str, run: Run) -> Checked:
    """Check one input, `-` being standard input. Never raises."""
    name: str | None = path
    try:
        if path == STDIN:
            name = run.stdin_name
            source = Source(name or "<stdin>", _stdin())
        else:
            source = read_source(path, run.format)
    except (OSError, ValueError) as error:
        return Checked(unreadable(path, error), {})
    report = run.selection.apply(check_source(source, format=run.format, name=name))
    if not run.lines:
        return Checked(report, {})
    groups = grouped(report.findings, infos=run.infos, limit=run.lines, each=IN_FULL)
    shown = [index for group in groups for index in group.indexes[: group.shown]]
    try:
        lines = {
            index: _excerpt(source, report.findings[index])
            for index in shown
            if report.findings[index].offset is not None
        }
    except OSError:  # gone meanwhile
        lines = {}
    return Checked(report, lines)


def _stdin() -> bytes:
    if sys.stdin is None:  # closed by the caller
        raise ValueError("standard input is closed")
    return sys.stdin.buffer.read()


def _excerpt(source: Source, finding: Finding) -> Excerpt:
    assert finding.offset is not None
    data, begin = source.window(finding.offset, LONGEST_LINE, LONGEST_LINE)
    at = finding.offset - begin
    keys = known_keys()
    if finding.member is not None and nameable_to_people(finding.member):
        keys |= {finding.member}
    end = at + 1
    if finding.column is not None and finding.end_column is not None:
        end = at + max(1, finding.end_column - finding.column)
    shape = shape_of(finding.pointer)
    return excerpt(data, Place(at, end, keys, shape, broken=finding.rule in FATAL))
