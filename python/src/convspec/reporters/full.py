"""The form for people: what is wrong, where, what to do. Findings of one rule stand together."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from convspec.findings import FileReport, Finding, Severity
from convspec.pointers import describe, shown
from convspec.reporters.words import number, place, printable, tally, weights
from convspec.rules import catalogue
from convspec.schemas import known_keys
from convspec.selection import IN_FULL, Group, grouped
from convspec.text.excerpts import Excerpt

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}
_LISTED = 10  # further places of a rule that are named


@dataclass(frozen=True, slots=True)
class Look:
    """How wide the page is, and how to paint: `paint(text, colour)`, colour "" being bold alone."""

    width: int
    paint: Callable[[str, str], str]


def lines(
    report: FileReport, excerpts: Mapping[int, Excerpt], look: Look, *, infos: bool, limit: int
) -> Iterator[str]:
    """Yield the lines on one file: its findings by rule, the heaviest first, then a summary."""
    groups = grouped(report.findings, infos=infos, limit=limit, each=IN_FULL)
    for group in groups:
        if group.shown:
            yield from _group(report, group, excerpts, look)
            yield ""
    apart = ", ".join(f"{group.rule} ({len(group.indexes):,})" for group in groups if not group.shown)
    if apart:
        yield from textwrap.wrap(f"Not shown: {apart}. --max-findings shows more.", look.width)
        yield ""
    if groups:
        yield from _summary(report, look, infos=infos)
        yield ""


def _summary(report: FileReport, look: Look, *, infos: bool) -> Iterator[str]:
    path, holds = printable(report.path), tally(report.tally)
    words = f"{report.verdict}, {weights(report.counts, infos=infos)}" + (f" ({holds})" if holds else "")
    if len(path) + 2 + len(words) <= look.width:
        yield f"{look.paint(path, '')}: {words}"
    else:
        yield f"{look.paint(path, '')}:"
        yield f"  {words}"


def _group(report: FileReport, group: Group, excerpts: Mapping[int, Excerpt], look: Look) -> Iterator[str]:
    rule, colour, count = catalogue()[group.rule], _COLOURS[group.severity], len(group.indexes)
    times = f" ({number(count, 'time')})" if count > 1 else ""
    yield f"{look.paint(group.severity + ':', colour)} {look.paint(rule.title, '')}{times}  [{rule.id}]"
    shown = group.indexes[: group.shown]
    gutter = max(len(str(report.findings[index].line or "")) for index in shown)
    for index in shown:
        yield from _finding(report, report.findings[index], excerpts.get(index), gutter, look)
    if group.hidden:
        rest = [report.findings[index] for index in group.indexes[group.shown :][:_LISTED]]
        places = ", ".join(_place(finding) for finding in rest)
        more = ", …; --format concise lists them" if group.hidden > _LISTED else ""
        yield from _wrapped(f"{group.hidden:,} more: {places}{more}", gutter, look)
    yield from _wrapped(f"fix:  {rule.fix}", gutter, look)
    yield from _wrapped(f"help: convspec explain {rule.id}", gutter, look)


def _finding(
    report: FileReport, finding: Finding, line: Excerpt | None, gutter: int, look: Look
) -> Iterator[str]:
    where = [place(report, finding.line, finding.column)]
    pointer = shown(finding.pointer or "", known_keys())
    named = "   ".join(filter(None, (printable(pointer), describe(pointer))))
    where += filter(None, (named, printable(finding.target or "")))
    together = "   ".join(where)
    wide = gutter + 4 + len(together) > look.width
    yield f"{'':{gutter}}{look.paint('-->', 'cyan')} {where[0] if wide else together}"
    if wide:
        yield from (f"{'':{gutter + 4}}{part}" for part in where[1:])
    label = finding.message + _related(finding)
    if line is None:
        yield from _wrapped(label, gutter, look)
        return
    window, caret, width = _window(line, look.width - gutter - 4)
    bar = look.paint("|", "cyan")
    marks = look.paint("^" * width, _COLOURS[finding.severity])
    yield f"{'':{gutter}} {bar}"
    yield f"{look.paint(f'{finding.line:>{gutter}}', 'cyan')} {bar} {window}"
    room = look.width - gutter - 4 - caret - width
    if len(label) <= room:
        yield f"{'':{gutter}} {bar} {'':{caret}}{marks} {label}"
        return
    yield f"{'':{gutter}} {bar} {'':{caret}}{marks}"
    indent = min(caret, max(0, look.width // 3))
    for part in textwrap.wrap(label, max(20, look.width - gutter - 4 - indent)):
        yield f"{'':{gutter}} {bar} {'':{indent}}{part}"


def _related(finding: Finding) -> str:
    return "".join(
        f" ({related.message.removesuffix(' here')} on line {related.line})"
        for related in finding.related[:1]
        if related.line is not None
    )


def _window(line: Excerpt, room: int) -> tuple[str, int, int]:
    """Cut a line around its caret to `room` columns."""
    text = printable(line.text)
    indent = len(text) - len(text.lstrip(" "))
    start = 0
    if len(text) > room:
        start = min(indent, line.caret)
        if line.caret - start > room // 2:
            start = line.caret - room // 2
    lead = "…" if text[:start].strip() else ""
    shown = lead + text[start + len(lead) :]
    if len(shown) > room:
        shown = shown[: room - 1] + "…"
    caret = line.caret - start
    return shown, caret, max(1, min(line.width, len(shown) - caret))


def _place(finding: Finding) -> str:
    """Name a further place in a word or two."""
    if finding.line is None:
        return printable(finding.target or "the file")
    where = describe(finding.pointer or "")
    return f"line {finding.line}" + (f" ({where})" if where else "")


def _wrapped(text: str, gutter: int, look: Look) -> Iterator[str]:
    lead = f"{'':{gutter}} {look.paint('=', 'cyan')} "
    room = max(30, look.width - gutter - 3)
    indent = " " * 6 if text.startswith(("fix:", "help:")) else ""
    for number_, part in enumerate(textwrap.wrap(printable(text), room, subsequent_indent=indent)):
        yield (lead if number_ == 0 else " " * (gutter + 3)) + part
