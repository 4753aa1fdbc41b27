"""convspec pack: a folder to one self-contained document."""

from __future__ import annotations

import click

from convspec.cli.values import loaded, refuse_existing, write_new


@click.command("pack", no_args_is_help=True)
@click.argument("path", metavar="DIR")
@click.option("-o", "--output", metavar="FILE", help="Write to this new file.  [default: standard output]")
def command(path: str, output: str | None) -> None:
    """Write the history in DIR as one self-contained document, with its attachments inside.

    Exit codes: 0 written, 1 the history is invalid, 2 could not read or write, 3 it is of a newer version.
    """
    text = loaded(path).to_json() + "\n"
    if output is None:
        click.echo(text.encode(), nl=False)
        return
    refuse_existing(output, "pack")
    write_new(output, text.encode(), "pack")
