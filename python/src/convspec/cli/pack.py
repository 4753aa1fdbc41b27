"""convspec pack: a folder to one self-contained document."""

from __future__ import annotations

import click

from convspec.cli.values import loaded, refuse_existing, write_new, write_out


@click.command("pack", no_args_is_help=True, short_help="Make one document of a history in a folder.")
@click.argument("path", metavar="DIR")
@click.option("-o", "--output", metavar="FILE", help="Write to this new file.  [default: standard output]")
def command(path: str, output: str | None) -> None:
    """Write the history in DIR as one self-contained document, with its attachments inside.

    Exit codes: 0 written, 1 the history is invalid, 2 could not read or write, 3 it is of a newer version.
    """
    if output is not None:
        refuse_existing(output, "pack")
    data = loaded(path).to_json().encode() + b"\n"
    if output is None:
        write_out(data)
    else:
        write_new(output, data, "pack")
