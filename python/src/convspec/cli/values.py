"""What the commands share that load a history: the value, or one line and the exit code that fits."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from convspec.cli.output import say
from convspec.findings import FileReport, Verdict
from convspec.history.disk import Disk, cleared, temporary
from convspec.history.doors import HistoryError
from convspec.history.history import History
from convspec.reporters.words import printable
from convspec.walk import STDIN

_EXIT = {Verdict.INVALID: 1, Verdict.UNREADABLE: 2, Verdict.UNSUPPORTED: 3}


class Refused(click.exceptions.Exit):
    """The input was refused; it has been said why."""


def loaded(path: str) -> History:
    """Return the history at a path, or on standard input. Raises Refused."""
    try:
        if path == STDIN:
            return History.parse(sys.stdin.buffer.read())
        return History.load(path)
    except HistoryError as error:
        name = "standard input" if path == STDIN else path
        say(f"convspec: {printable(_told(error, name))}")
        raise Refused(exit_code_of(error.report)) from error


def exit_code_of(report: FileReport | None) -> int:
    """Return the exit code for an input that was refused; 2 where it was not read at all."""
    return 2 if report is None else _EXIT.get(report.verdict, 1)


def write_new(path: str, data: bytes, what: str) -> None:
    """Write a file that is not there yet, whole or not at all. Raises a click exception."""
    disk, folder = Disk(), os.path.dirname(path) or "."
    with system_errors(f"write {path}"), cleared(disk, temporary(folder, os.path.basename(path))) as draft:
        disk.write(draft, data, None)
        if not disk.put(path, draft):
            refuse_existing(path, what)
        disk.sync_folder(folder)


def _told(error: HistoryError, name: str) -> str:
    text = str(error).removeprefix(error.report.path)
    more = len(error.report.findings) - 1
    return f"{name}{text}" + (f"; convspec check says more ({more} further)" if more > 0 else "")


@contextmanager
def system_errors(doing: str) -> Iterator[None]:
    """Turn what the system refuses into one line and exit code 2."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise click.ClickException(printable(f"cannot {doing}{where}: {error.strerror or error}")) from error


def refuse_existing(path: str, what: str) -> None:
    """Raise where something stands at a path already: nothing is written over."""
    if os.path.lexists(path):
        raise click.ClickException(f"{printable(path)} is there already, and {what} writes over nothing")
