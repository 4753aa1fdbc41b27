"""convspec repair: a repaired copy of a damaged file, and what was done to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from convspec import __version__
from convspec.checker import FORMATS
from convspec.cli.output import say, write_json
from convspec.cli.values import Refused, system_errors
from convspec.pointers import quoted
from convspec.repairing.files import CannotRepair, NewerVersion, repair
from convspec.repairing.outcome import Repair
from convspec.repairing.steps import Step
from convspec.reporters import concise
from convspec.reporters.words import number, printable

_SHOWN = 50


@click.command("repair", no_args_is_help=True, short_help="Write a repaired copy of a damaged file.")
@click.argument("path", metavar="PATH")
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    help="The new file; a folder where PATH is one, or is named history.json.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing, and list the steps.")
@click.option("--unsafe", is_flag=True, help="Also take steps that change what the file says.")
@click.option("--as", "kind", type=click.Choice(FORMATS), help="Take the file for this format.")
@click.option(
    "--format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="The form of the list of steps.",
)
@click.option("--manifest", metavar="FILE", help="Also write the list of steps to this new file, as JSON.")
def command(
    path: str,
    output: str | None,
    dry_run: bool,
    unsafe: bool,
    kind: str | None,
    format: str,
    manifest: str | None,
) -> None:
    """Write a repaired copy of PATH to OUT. PATH itself is never changed, and nothing is written over.

    Bytes that are dropped go to OUT.rejected. The copy is read back and checked.

    Exit codes: 0 the copy is valid, 1 errors are left, 2 could not read or write, 3 the file is of a newer
    version.
    """
    if output is None and not dry_run:
        raise click.UsageError("give the new file with -o, or --dry-run to write nothing")
    if dry_run and manifest is not None:
        raise click.UsageError("--dry-run writes nothing: take the list with --format json")
    try:
        with system_errors("write the repaired file"):
            done = repair(path, output, unsafe=unsafe, format=kind, manifest=manifest, dry_run=dry_run)
    except CannotRepair as error:
        say(f"convspec: {printable(str(error))}")
        raise Refused(3 if isinstance(error, NewerVersion) else 2) from error
    if format == "json":
        write_json(done.value(__version__), sys.stdout)
    else:
        for line in _lines(done):
            click.echo(line)
    say(printable(_closing(done)))
    if not done.valid:
        raise Refused(1)


def _lines(done: Repair) -> Iterator[str]:
    """Yield a line for each step, and one for each error that is left."""
    for step in done.steps[:_SHOWN]:
        yield _told(step, done.path)
    if len(done.steps) > _SHOWN:
        yield f"{len(done.steps) - _SHOWN:,} further steps; --format json lists all"
    for line in concise.lines(done.after, infos=False, limit=_SHOWN):
        if ": warning[" not in line:
            yield line


def _told(step: Step, path: str) -> str:
    place = printable(path) if step.line is None else f"{printable(path)}:{step.line}"
    weight = "safe" if step.safe else "unsafe"
    return f"{place}: {weight}[{step.name}] {step.rule}: {step.message}{_change(step)}"


def _change(step: Step) -> str:
    """Say which id took the place of which, where they are fit to be shown."""
    was, now = (None if id is None else quoted(id, "") for id in (step.was, step.now))
    if not (was or now) or "" in (was, now):
        return ""
    return f" ({was} -> {now})" if was and now else f" ({now or was})"


def _closing(done: Repair) -> str:
    unsafe = sum(not step.safe for step in done.steps)
    steps = number(len(done.steps), "step") + (f" ({unsafe:,} unsafe)" if unsafe else "")
    dropped = f"; what was dropped or changed is in {done.rejected}" if done.rejected else ""
    if done.valid:
        return f"{steps}: {done.after.path} {'would be' if done.dry_run else 'is'} valid{dropped}"
    left = f"{number(len(done.errors), 'error')} left"
    hint = "" if done.unsafe else "; --unsafe does more"
    wrote = "" if done.output or done.dry_run else ", and nothing is written"
    return f"{steps}: {left}{wrote}{hint}{dropped}"
