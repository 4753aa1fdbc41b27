"""What the commands share that load a history: the value, or one line and the exit code that fits."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from convspec.cli.output import say
from convspec.findings import Verdict
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
        raise Refused(_EXIT.get(error.report.verdict, 1)) from error


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
