"""The form for people: what is wrong, where, what to do. Findings of one rule stand together."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from convspec.findings import FileReport, Finding, Severity
from convspec.pointers import describe
from convspec.reporters.words import number, place, printable, tally, weights
from convspec.rules import catalogue
from convspec.selection import foremost
from convspec.text.excerpts import Excerpt

IN_FULL = 3
"""How many findings of one rule are shown with their lines."""

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
    everything = foremost(report.findings, infos=infos, limit=len(report.findings))
    groups: dict[tuple[Severity, str], list[int]] = {}
    for index in everything[:limit]:
        finding = report.findings[index]
        groups.setdefault((finding.severity, finding.rule), []).append(index)
    for indexes in groups.values():
        yield from _group(report, indexes, excerpts, look)
        yield ""
    hidden = len(everything) - limit
    if hidden > 0:
        yield f"{hidden:,} more findings are not shown; --max-findings shows more."
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


def _group(
    report: FileReport, indexes: list[int], excerpts: Mapping[int, Excerpt], look: Look
) -> Iterator[str]:
    first = report.findings[indexes[0]]
    rule, colour = catalogue()[first.rule], _COLOURS[first.severity]
    times = f" ({number(len(indexes), 'time')})" if len(indexes) > 1 else ""
    yield f"{look.paint(first.severity + ':', colour)} {look.paint(rule.title, '')}{times}  [{first.rule}]"
    shown = indexes[:IN_FULL]
    gutter = max(len(str(report.findings[index].line or "")) for index in shown)
    for index in shown:
        yield from _finding(report, report.findings[index], excerpts.get(index), gutter, look)
    rest = [report.findings[index] for index in indexes[IN_FULL:]]
    if rest:
        yield from _wrapped(f"{len(rest):,} more: {_places(rest)}", gutter, look)
    yield from _wrapped(f"fix:  {rule.fix}", gutter, look)
    yield from _wrapped(f"help: convspec explain {rule.id}", gutter, look)


def _finding(
    report: FileReport, finding: Finding, line: Excerpt | None, gutter: int, look: Look
) -> Iterator[str]:
    where = [place(report, finding.line, finding.column)]
    named = (printable(finding.pointer or finding.target or ""), describe(finding.pointer or ""))
    where += filter(None, ("   ".join(filter(None, named)),))
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


def _places(findings: list[Finding]) -> str:
    named = [
        f"line {finding.line}" if finding.line else printable(finding.target or "the file")
        for finding in findings[:_LISTED]
    ]
    return ", ".join(named) + (", …" if len(findings) > _LISTED else "")


def _wrapped(text: str, gutter: int, look: Look) -> Iterator[str]:
    lead = f"{'':{gutter}} {look.paint('=', 'cyan')} "
    room = max(30, look.width - gutter - 3)
    indent = " " * 6 if text.startswith(("fix:", "help:")) else ""
    for number_, part in enumerate(textwrap.wrap(printable(text), room, subsequent_indent=indent)):
        yield (lead if number_ == 0 else " " * (gutter + 3)) + part
