"""convspec convert: from one format to the other, and from version 1 of the session log to version 2."""

from __future__ import annotations

import os

import click

from convspec.checker import check
from convspec.cli.output import say
from convspec.cli.values import (
    PRIVATE,
    Input,
    Refused,
    exit_code_of,
    first_error,
    given,
    refuse_existing,
    system_errors,
    write_new,
    write_out,
)
from convspec.converting.history_of import to_history
from convspec.converting.losses import Loss, grouped, values
from convspec.converting.starting import new_log
from convspec.converting.upgrade import upgraded
from convspec.history.encoding import dumped
from convspec.pointers import cut_id
from convspec.reporters.show_values import cleaned
from convspec.reporters.words import number, printable
from convspec.session.errors import SessionError

CONVERSION_VERSION = 1
_SHOWN = 20

Result = tuple[bytes, tuple[Loss, ...]]


@click.command("convert", no_args_is_help=True, short_help="Make a history of a session, or back.")
@click.argument("path", metavar="SESSION")
@click.option(
    "--to",
    "wanted",
    type=click.Choice(["history", "session"]),
    default="history",
    show_default=True,
    help="history: the active branch as a self-contained document. session: a log of version 2, from one of "
    "version 1 or from a history.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to this new file.  [default: standard output]")
@click.option(
    "--report", "report_to", metavar="FILE", help="Write what is not in the result to this new file (JSON)."
)
def command(path: str, wanted: str, output: str | None, report_to: str | None) -> None:
    """Convert the session log SESSION (- for standard input). What has no place is listed on stderr.

    Exit codes: 0 written, 1 the input is invalid, 2 could not read, convert or write, 3 it is of a newer
    version.
    """
    for target in (output, report_to):
        if target is not None:
            refuse_existing(target, "convert")
    if (
        output is not None
        and report_to is not None
        and os.path.realpath(output) == os.path.realpath(report_to)
    ):
        raise click.ClickException("the result and the report cannot be the same file")
    found = given(path)
    with system_errors("read the log"):
        data, losses = _converted(found, wanted)
    if report_to is not None:
        write_new(report_to, _report(found, wanted, losses), "convert", PRIVATE)
    if output is None:
        write_out(data)
    else:
        write_new(output, data, "convert", PRIVATE)
    _say_losses(losses)


def _converted(found: Input, wanted: str) -> Result:
    if found.format == wanted == "history":
        say(printable(f"convspec: {found.path}: it is a history already; --to session makes a log of it"))
        raise Refused(2)
    if wanted == "history":
        converted = to_history(found.session())
        return converted.history.to_json().encode() + b"\n", converted.losses
    return _upgraded(found) if found.format == "session" else _new_log(found)


def _new_log(found: Input) -> Result:
    try:
        return _checked(found, *new_log(found.history()))
    except SessionError as error:
        say(printable(f"convspec: {found.path}: {error}"))
        raise Refused(2) from error


def _upgraded(found: Input) -> Result:
    session = found.session()
    if not session.report.valid:
        say(f"convspec: {first_error(session.report)}; convspec repair mends a log")
        raise Refused(exit_code_of(session.report))
    if session.version != 1:
        say(printable(f"convspec: {found.path}: the log is of version {session.version} already"))
        raise Refused(2)
    return _checked(found, *upgraded(session))


def _checked(found: Input, data: bytes, losses: tuple[Loss, ...]) -> Result:
    """Return the result if it can be read again. Nothing that cannot is ever written."""
    report = check(data, format="session")
    if not report.valid:
        say(printable(f"convspec: {found.path}: no log can be made of it: {first_error(report)}"))
        raise Refused(2)
    return data, losses


def _report(found: Input, wanted: str, losses: tuple[Loss, ...]) -> bytes:
    value = {
        "conversion_version": CONVERSION_VERSION,
        "path": found.path,
        "from": found.format,
        "to": wanted,
        "losses": values(losses),
    }
    return dumped(cleaned(value), indent=2, ensure_ascii=False).encode() + b"\n"


def _say_losses(losses: tuple[Loss, ...]) -> None:
    kinds = list(grouped(losses))
    for what, ids in kinds[:_SHOWN]:
        say(printable(f"not carried over: {what}{_where(ids)}"))
    if len(kinds) > _SHOWN:
        left = number(len(kinds) - _SHOWN, "kind of loss", "kinds of losses")
        say(f"and {left} more; --report FILE lists all")


def _where(ids: list[str | None]) -> str:
    if len(ids) > 1:
        return f" ({number(len(ids), 'time')})"
    return "" if ids[0] is None else f" (message {cut_id(ids[0])})"
