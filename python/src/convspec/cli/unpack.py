"""convspec unpack: a self-contained document to a folder."""

from __future__ import annotations

import os

import click

from convspec.cli.values import loaded, refuse_existing, system_errors
from convspec.history.doors import HistoryError
from convspec.history.model import HISTORY_FILE
from convspec.reporters.words import printable


@click.command("unpack", no_args_is_help=True, short_help="Make a folder of a history in one document.")
@click.argument("path", metavar="FILE")
@click.option("-o", "--output", metavar="DIR", required=True, help="The folder, made where it is missing.")
def command(path: str, output: str) -> None:
    """Write the history in FILE (- for standard input) as a folder: history.json, and attachments beside it.

    A folder that holds a history already is left alone.

    Exit codes: 0 written, 1 the history is invalid, 2 could not read or write, 3 it is of a newer version.
    """
    refuse_existing(os.path.join(output, HISTORY_FILE), "unpack")
    history = loaded(path)
    with system_errors(f"write {output}"):
        try:
            history.save(os.path.abspath(output))  # a `~` that the shell left is a name, as for every command
        except HistoryError as error:
            raise click.ClickException(printable(str(error))) from error
