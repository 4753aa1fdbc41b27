"""convspec convert: the active branch of a session as a history, or a version 1 log as version 2."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

import click

from convspec.checker import check
from convspec.cli.output import say
from convspec.cli.values import Refused, exit_code_of, refuse_existing, system_errors, write_new
from convspec.converting.losses import Loss
from convspec.converting.to_history import to_history
from convspec.converting.upgrade import upgraded
from convspec.findings import Severity
from convspec.history.doors import HistoryError
from convspec.reporters.words import number, printable
from convspec.session.errors import SessionError
from convspec.session.opening import read_session
from convspec.sources import read_source

_SHOWN = 20


@click.command("convert", no_args_is_help=True)
@click.argument("path", metavar="SESSION")
@click.option(
    "--to",
    "wanted",
    type=click.Choice(["history", "session"]),
    default="history",
    show_default=True,
    help="history: the active branch as a self-contained document. session: a version 1 log as version 2.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to this new file.  [default: standard output]")
@click.option(
    "--report", "report_to", metavar="FILE", help="Write what is not in the result to this new file (JSON)."
)
def command(path: str, wanted: str, output: str | None, report_to: str | None) -> None:
    """Convert the session log SESSION. What cannot be carried over is listed on stderr.

    Exit codes: 0 written, 1 the log is invalid or cannot be converted, 2 could not read or write, 3 it is of
    a newer version.
    """
    for target in (output, report_to):
        if target is not None:
            refuse_existing(target, "convert")
    if output is not None and report_to is not None and os.path.abspath(output) == os.path.abspath(report_to):
        raise click.ClickException("the result and the report cannot be the same file")
    data, losses = _history(path) if wanted == "history" else (_version_2(path), ())
    if output is None:
        click.echo(data, nl=False)
    else:
        write_new(output, data, "convert")
    if report_to is not None:
        write_new(report_to, _report(losses), "convert")
    _say_losses(losses)


def _history(path: str) -> tuple[bytes, tuple[Loss, ...]]:
    try:
        with system_errors("read the log"):
            session = read_session(path)
            converted = to_history(session)
        return converted.history.to_json().encode() + b"\n", converted.losses
    except SessionError as error:
        say(f"convspec: {printable(str(error))}")
        raise Refused(exit_code_of(error.report)) from error
    except HistoryError as error:  # a value that the losses do not know of
        raise click.ClickException(f"the conversation cannot be written as a history: {error}") from error


def _version_2(path: str) -> bytes:
    report = check(path, format="session")
    first = next((one for one in report.findings if one.severity is Severity.ERROR), None)
    if first is not None:
        where = "" if first.line is None else f":{first.line}:{first.column}"
        say(
            printable(f"convspec: {path}{where}: {first.message} [{first.rule}]; convspec repair mends a log")
        )
        raise Refused(exit_code_of(report))
    if report.format_version != 1:
        say(printable(f"convspec: {path}: the log is of version {report.format_version}, not 1"))
        raise Refused(1)
    with system_errors("read the log"), read_source(path, "session").open() as stream:
        return b"".join(upgraded(stream))


def _report(losses: Iterable[Loss]) -> bytes:
    listed = [{"message": loss.message, "what": loss.what} for loss in losses]
    return (
        json.dumps({"losses": listed}, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace")
        + b"\n"
    )


def _say_losses(losses: tuple[Loss, ...]) -> None:
    for loss in losses[:_SHOWN]:
        say(
            printable(
                f"not carried over: {loss.what}" + (f" (message {loss.message})" if loss.message else "")
            )
        )
    if len(losses) > _SHOWN:
        say(f"and {number(len(losses) - _SHOWN, 'more loss', 'more losses')}; --report FILE lists all")
