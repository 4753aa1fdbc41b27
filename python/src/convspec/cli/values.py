"""What the commands share that load something: the value, or one line and the exit code that fits."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click

from convspec.checker import check_source, unreadable
from convspec.cli.output import say
from convspec.disk import Disk, put_new
from convspec.findings import FileReport, Severity, Verdict
from convspec.history.doors import HistoryError
from convspec.history.history import History
from convspec.reporters.words import printable
from convspec.session.errors import SessionError
from convspec.session.opening import read_session
from convspec.session.view import SessionReading
from convspec.sources import Source, read_source
from convspec.text.recognise import recognise
from convspec.walk import STDIN

PRIVATE = 0o600
_EXIT = {Verdict.INVALID: 1, Verdict.UNREADABLE: 2, Verdict.UNSUPPORTED: 3}
_STDIN_NAME = "<stdin>"


class Refused(click.exceptions.Exit):
    """The input was refused; it has been said why."""


@dataclass(frozen=True, slots=True)
class Input:
    """An input that a person named: what it is called, its format, and its bytes if it is standard input."""

    path: str
    format: str
    data: bytes | None = None

    def history(self) -> History:
        """Return the history that it is. Raises Refused."""
        try:
            return History.load(self.path) if self.data is None else History.parse(self.data)
        except HistoryError as error:
            text = str(error).removeprefix(error.report.path)
            more = len(error.report.findings) - 1
            told = f"; convspec check says more ({more} further)" if more > 0 else ""
            place = self.path if self.data is not None else error.report.path
            say(f"convspec: {printable(place + text + told)}")
            raise Refused(exit_code_of(error.report)) from error

    def session(self) -> SessionReading:
        """Return what a reader makes of the log that it is. Raises Refused."""
        try:
            return read_session(self.path if self.data is None else self.data)
        except SessionError as error:
            text = str(error).removeprefix(error.report.path if error.report else "")
            say(f"convspec: {printable(self.path + text)}")
            raise Refused(exit_code_of(error.report)) from error


def given(path: str) -> Input:
    """Look at an input, `-` for standard input, and say what it is. Raises Refused."""
    try:
        source = Source(_STDIN_NAME, _standard_input()) if path == STDIN else read_source(path)
    except (OSError, ValueError) as error:
        raise _refused(unreadable(path, error)) from error
    name = None if path == STDIN else source.label
    known = "session" if source.data is None else recognise(source.data, name)
    if known is None:
        raise _refused(check_source(source, name=name))
    return Input(_STDIN_NAME, known, source.data) if path == STDIN else Input(path, known)


def loaded(path: str) -> History:
    """Return the history at a path, or on standard input. Raises Refused."""
    found = given(path)
    if found.format != "history":
        say(f"convspec: {printable(found.path)}: it is a session log; convspec convert makes a history of it")
        raise Refused(2)
    return found.history()


def exit_code_of(report: FileReport | None) -> int:
    """Return the exit code for an input that was refused; 2 where it was not read at all."""
    return 2 if report is None else _EXIT.get(report.verdict, 1)


def first_error(report: FileReport) -> str:
    """Name the first error of a report, with its place."""
    first = next(one for one in report.findings if one.severity is Severity.ERROR)
    where = "" if first.line is None else f":{first.line}:{first.column}"
    return printable(f"{report.path}{where}: {first.message} [{first.rule}]")


def write_new(path: str, data: bytes, what: str, mode: int | None = None) -> None:
    """Write a file that is not there yet, whole or not at all. Raises a click exception."""
    disk = Disk()
    with system_errors(f"write {path}"):
        if not put_new(path, data, mode, disk):
            refuse_existing(path, what)
        disk.sync_folder(os.path.dirname(path) or ".")


def write_out(data: bytes) -> None:
    """Write bytes to standard output, all of them: a stream without a buffer may take only a part at once."""
    sys.stdout.flush()
    stream, rest = sys.stdout.buffer, memoryview(data)
    while rest:
        rest = rest[stream.write(rest) or 0 :]
    stream.flush()


@contextmanager
def system_errors(doing: str) -> Iterator[None]:
    """Turn what the system refuses into one line and exit code 2."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        name = error.filename if isinstance(error.filename, str) else ""
        where = "" if name.endswith(".tmp") or name in doing else f": {name}"
        raise click.ClickException(printable(f"cannot {doing}{where}: {error.strerror or error}")) from error


def refuse_existing(path: str, what: str) -> None:
    """Raise where something stands at a path already: nothing is written over."""
    if os.path.lexists(path):
        raise click.ClickException(f"{printable(path)} is there already, and {what} writes over nothing")


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin.buffer.read()


def _refused(report: FileReport) -> Refused:
    say(f"convspec: {first_error(report)}")
    return Refused(exit_code_of(report))
