"""convspec show: what a reader makes of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from convspec.checker import check
from convspec.cli.output import say, write_json
from convspec.cli.values import Refused, exit_code_of, loaded, system_errors
from convspec.reporters import history_view, session_view
from convspec.reporters.words import printable
from convspec.session.errors import SessionError
from convspec.session.opening import read_session
from convspec.session.view import SessionReading


@click.command("show", no_args_is_help=True)
@click.argument("path", metavar="PATH")
@click.option("--tree", is_flag=True, help="Draw the tree of a session: branches, labels, leaf.")
@click.option("--text", is_flag=True, help="Show what was said, too.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(path: str, tree: bool, text: bool, form: str) -> None:
    """Show what a reader sees of PATH: a history, or a session log, however damaged it is.

    Names and labels are shown, messages only with --text.

    Exit codes: 0 shown, 1 the history is invalid, 2 could not read, 3 it is of a newer version.
    """
    told = check(path)
    with system_errors("read the file"):
        if told.format == "session":
            session = _session(path)
            if form == "json":
                write_json(session_view.value(session, path, text=text), sys.stdout)
            else:
                _print(session_view.lines(session, tree=tree, text=text))
        else:
            history = loaded(path)
            if form == "json":
                write_json(history_view.value(history, path, text=text), sys.stdout)
            else:
                _print(history_view.lines(history, text=text))


def _session(path: str) -> SessionReading:
    try:
        return read_session(path)
    except SessionError as error:
        say(f"convspec: {printable(str(error))}")
        raise Refused(exit_code_of(error.report)) from error


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")
