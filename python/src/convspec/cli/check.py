"""convspec check: validate files, folders and standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

import click

from convspec.cli.output import (
    FORMATS,
    Settings,
    chosen_formats,
    default_format,
    open_output,
    refuse_to_overwrite,
    say,
)
from convspec.cli.progress import watched
from convspec.reporters.values import add, no_files
from convspec.reporters.words import printable, verdict
from convspec.rules import catalogue
from convspec.scan import Run, checked
from convspec.selection import Selection
from convspec.walk import expanded, inputs

VALID, INVALID, UNJUDGED, NEWER = 0, 1, 2, 3


def _rules(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> frozenset[str]:
    names = [name.strip() for value in given for name in value.split(",") if name.strip()]
    for name in names:
        if name not in catalogue():
            raise click.BadParameter(f"there is no rule {name!r}; convspec rules lists them")
    return frozenset(names)


def _rule_option(name: str, help: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    return click.option(name, multiple=True, metavar="RULE[,RULE…]", callback=_rules, help=help)


@click.command("check", no_args_is_help=True)
@click.argument("paths", nargs=-1, metavar="PATHS…")
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="FORMAT[:FILE]",
    callback=chosen_formats(FORMATS),
    help=f"One of {', '.join(FORMATS)}; repeatable. Default: full on a terminal, else concise.",
)
@click.option(
    "--as", "as_format", type=click.Choice(["history", "session"]), help="Take every input for this format."
)
@click.option(
    "--stdin-filename", metavar="NAME", help="What standard input (-) is recognised and reported by."
)
@click.option(
    "--exclude", multiple=True, metavar="GLOB", help="Leave out of folders what matches (as in .gitignore)."
)
@click.option("--strict", is_flag=True, help="Warnings count for the exit code.")
@click.option("--info", "infos", is_flag=True, help="Show infos too.")
@_rule_option("--select", "Judge by these rules only.")
@_rule_option("--ignore", "Leave these rules out.")
@_rule_option("--error", "Weigh these rules as errors.")
@_rule_option("--warn", "Weigh these rules as warnings.")
@click.option(
    "--max-findings",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="Show people at most N findings per file.",
)
@click.option("-q", "--quiet", is_flag=True, help="No summary and no progress on stderr.")
@click.option("-v", "--verbose", is_flag=True, help="Name every file on stderr, valid ones too.")
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Check files, folders, or standard input (-).

    A folder that holds history.json is one input; any other folder is searched for such folders and
    for *.jsonl files.

    Exit codes: 0 every file valid, 1 a file invalid, 2 could not judge, 3 a file of a newer version.
    """
    if not paths:
        raise click.UsageError("no path given", click.get_current_context())
    return _run(paths, options)


def _run(paths: tuple[str, ...], options: dict[str, Any]) -> int:
    chosen: list[tuple[str, str]] = options["formats"]
    if not chosen:
        chosen = [(default_format(), "")]
    settings = Settings(options["infos"], options["max_findings"])
    shows_lines = any(name == "full" for name, _ in chosen)
    run = Run(
        format=options["as_format"],
        stdin_name=options["stdin_filename"],
        selection=Selection(options["select"], options["ignore"], options["error"], options["warn"]),
        infos=options["infos"],
        lines=options["max_findings"] if shows_lines else 0,
    )
    files = list(inputs(paths, options["exclude"]))
    empty = [path for path in paths if next(expanded(path, options["exclude"]), None) is None]
    nothing = f"no history.json and no *.jsonl found in {', '.join(map(printable, empty))}"
    if not files:
        raise click.ClickException(nothing)
    refuse_to_overwrite([target for _, target in chosen], files)
    if empty:
        say(nothing)
    totals = no_files()
    with ExitStack() as stack:
        outputs = [stack.enter_context(open_output(name, target, settings)) for name, target in chosen]
        for path in watched(files, quiet=options["quiet"]):
            result = checked(path, run)
            add(totals, result.report.verdict, asdict(result.report.counts))
            if options["verbose"]:
                say(f"{printable(result.report.path)}: {result.report.verdict}")
            for output in outputs:
                output.take(result)
        for output in outputs:
            output.finish()
        sys.stdout.flush()
    if not options["quiet"]:
        say(verdict(totals, infos=options["infos"]))
    return _exit_code(totals, strict=options["strict"])


def _exit_code(totals: dict[str, int], *, strict: bool) -> int:
    """2 outranks 1, 1 outranks 3."""
    if totals["unreadable"]:
        return UNJUDGED
    if totals["invalid"] or (strict and totals["warnings"]):
        return INVALID
    return NEWER if totals["unsupported"] else VALID
