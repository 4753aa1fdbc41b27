"""convspec show: what a reader makes of a file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator

import click

from convspec.cli.values import Input, given, system_errors, write_out
from convspec.history.encoding import dumped
from convspec.reporters import history_view, session_view
from convspec.reporters.columns import NARROWEST
from convspec.reporters.show_values import cleaned


@click.command("show", no_args_is_help=True, short_help="Show what a reader sees of a file.")
@click.argument("path", metavar="PATH")
@click.option("--tree", is_flag=True, help="Draw the tree of a session: branches, labels, leaf.")
@click.option("--text", is_flag=True, help="Show what was said, too.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(path: str, tree: bool, text: bool, form: str) -> None:
    """Show what a reader sees of PATH (- for standard input): a history, or a session log.

    Of a damaged log, all is shown that can be read. Ids, names and labels are shown, messages only with
    --text.

    Exit codes: 0 shown, 1 the history is invalid or the log empty, 2 could not read, 3 a newer version.
    """
    found = given(path)
    if form == "json":
        with system_errors("read the file"):
            value = _value(found, text)
        _write_json(value)
    else:
        for line in _read(_lines(found, tree, text, _width())):
            sys.stdout.write(line + "\n")


def _value(found: Input, text: bool) -> object:
    if found.format == "session":
        return session_view.value(found.session(), found.path, text=text)
    return history_view.value(found.history(), found.path, text=text)


def _lines(found: Input, tree: bool, text: bool, width: int) -> Iterator[str]:
    if found.format == "session":
        yield from session_view.lines(found.session(), tree=tree, text=text, width=width)
    else:
        yield from history_view.lines(found.history(), text=text, width=width)


def _read(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines; what hinders reading them is told apart from what hinders writing."""
    rest = iter(lines)
    while True:
        with system_errors("read the file"):
            line = next(rest, None)
        if line is None:
            return
        yield line


def _write_json(value: object) -> None:
    """Write a JSON document, with escapes where the stream cannot carry every character."""
    utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    write_out(dumped(cleaned(value), indent=2, ensure_ascii=not utf8).encode() + b"\n")


def _width() -> int:
    """Return how wide the output may be: the terminal's width, or 80 columns where it is none."""
    if "COLUMNS" in os.environ or sys.stdout.isatty():
        return max(NARROWEST, shutil.get_terminal_size((80, 24)).columns)
    return 80
