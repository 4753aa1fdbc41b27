"""convspec conformance: run an implementation over the corpus, or list its cases."""

from __future__ import annotations

import math
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

import convspec
from convspec import __version__
from convspec.cli.output import chosen_formats, open_stream, refuse_to_overwrite, say, write_json
from convspec.cli.progress import watched
from convspec.conformance import junit, table, values
from convspec.conformance.compare import LEVELS
from convspec.conformance.corpus import MANIFEST, CorpusFault, FolderCorpus
from convspec.conformance.known import known_failures
from convspec.conformance.plain_tier import PlainTier
from convspec.conformance.process import Command
from convspec.conformance.protocol_tier import ProtocolTier
from convspec.conformance.results import Results
from convspec.conformance.runner import LevelNotGiven, NoAdapter, Tier, run
from convspec.packaged import checkout
from convspec.reporters.words import number, printable

_FORMATS = ("table", "json", "junit")
_REFERENCE = (
    sys.executable,
    "-P",  # nothing is imported from the folder that the command is run in
    "-c",
    f"import sys; sys.path.append({os.path.dirname(os.path.dirname(convspec.__file__))!r}); "
    "from convspec.conformance.adapter import main; main()",
)
FAILED = 1


@click.group("conformance", no_args_is_help=True, short_help="Test an implementation in any language.")
def command() -> None:
    """Hold an implementation, in any language, against the corpus of good and bad files."""


def _corpus_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--corpus",
        metavar="DIR",
        default=None,
        help="The corpus: a folder with manifest.json.  [default: ./conformance, or this checkout's]",
    )(function)


def _case_option(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--case",
        "globs",
        multiple=True,
        metavar="GLOB",
        help="Only cases whose id matches, such as 'session/tree/*'. Repeatable.",
    )(function)


def _a_number(ctx: click.Context, parameter: click.Parameter, given: float) -> float:
    if math.isnan(given):  # no range keeps it out
        raise click.BadParameter("nan is no number of seconds")
    return given


@command.command("run")
@_corpus_option
@click.option("--adapter", metavar="COMMAND", help="The command to run.  [default: this implementation]")
@click.option("--protocol", is_flag=True, help="The command speaks the protocol; else it is run per input.")
@_case_option
@click.option(
    "--level",
    "levels",
    multiple=True,
    type=click.Choice(LEVELS),
    help="Judge at this level; repeatable, the verdict is always judged.  [default: all the adapter gives]",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="FORMAT[:FILE]",
    callback=chosen_formats(_FORMATS),
    help=f"One of {', '.join(_FORMATS)}; repeatable.  [default: table]",
)
@click.option("--expect-failures", "known", metavar="FILE", help="Cases known to fail, with reasons (JSON).")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=86400),
    callback=_a_number,
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="How long a case may take.",
)
@click.option("-q", "--quiet", is_flag=True, help="No summary and no progress on stderr.")
def run_command(corpus: str | None, globs: tuple[str, ...], **options: Any) -> int:
    """Run an implementation over the corpus.

    Without --protocol the command gets each input's path as its last argument: exit code 0 accepts,
    1 rejects, 2 cannot judge, 3 says that the version is newer; anything else is a crash.

    Exit codes: 0 all as expected, 1 a case failed, 2 could not run.
    """
    files = FolderCorpus(_folder(corpus))
    formats: list[tuple[str, str]] = options["formats"] or [("table", "")]
    try:
        ids = _selected(files, globs)
        known = _known(options["known"], files)
        files.verify(ids)
        _mind(files, [target for _, target in formats if target], options["known"])
        watch = _watcher(quiet=options["quiet"])
        results = run(files, _tier(options), ids, levels=options["levels"], known=known, watch=watch)
    except (CorpusFault, NoAdapter, LevelNotGiven) as error:
        raise click.ClickException(printable(str(error))) from error
    for name, target in formats:
        _write(name, target, results)
    if not results.judged:
        raise click.ClickException("no case was judged; the table says why each was left out")
    if not options["quiet"]:
        sys.stdout.flush()
        say(table.summary(results))
    return 0 if results.sound else FAILED


def _watcher(*, quiet: bool) -> Callable[[Iterable[str]], Iterable[str]]:
    return lambda ids: watched(list(ids), quiet=quiet, doing="asking")


def _tier(options: Mapping[str, Any]) -> Tier:
    given = options["adapter"]
    if given is None:
        return ProtocolTier(Command(_REFERENCE), options["timeout"])
    try:
        words = shlex.split(given)
    except ValueError as error:
        raise click.BadParameter(f"the command cannot be read: {error}", param_hint="'--adapter'") from error
    if not words:
        raise click.BadParameter("the command is empty", param_hint="'--adapter'")
    if options["protocol"]:
        return ProtocolTier(Command(words), options["timeout"])
    return PlainTier(Command(words), os.path.basename(words[0]), options["timeout"])


def _mind(corpus: FolderCorpus, targets: list[str], known: str | None) -> None:
    """Refuse to write over what is read, and, before a long run, to where nothing can be written."""
    refuse_to_overwrite(targets, [os.path.join(corpus.folder, MANIFEST), *([known] if known else [])])
    for target in targets:
        if os.path.isdir(target) or not os.path.isdir(os.path.dirname(target) or "."):
            raise click.ClickException(f"cannot write {target}: it is a folder, or in none that is there")


def _write(name: str, target: str, results: Results) -> None:
    with open_stream(target) as stream:
        if name == "json":
            write_json(values.results_value(results, __version__), stream)
        elif name == "junit":
            stream.write(junit.document(results))
        else:
            stream.writelines(line + "\n" for line in table.lines(results))


def _known(path: str | None, corpus: FolderCorpus) -> Mapping[str, str]:
    if path is None:
        return {}
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name cannot be used"
        raise click.ClickException(f"cannot read {path}: {reason}") from error
    return known_failures(data, path, corpus.entries)


def _folder(given: str | None) -> str:
    if given is not None:
        return given
    if os.path.exists(os.path.join("conformance", "manifest.json")):
        return "conformance"
    found = checkout("conformance")
    if found is None:
        raise click.ClickException("there is no corpus here; name the conformance folder with --corpus")
    return found


def _selected(corpus: FolderCorpus, globs: tuple[str, ...]) -> list[str]:
    for glob in globs:
        if not corpus.ids([glob]):
            raise CorpusFault(f"no case matches {glob!r}; convspec conformance list names them")
    return corpus.ids(globs)


def _asked(case: Mapping[str, Any]) -> str:
    """Return the verdict that is expected, or the kind of a case that asks for none."""
    return str(case["expect"].get("verdict", case["kind"]))


@command.command("list")
@_corpus_option
@_case_option
@click.option("--rule", metavar="RULE", help="Only cases that expect a finding of this rule.")
@click.option("--clause", metavar="CLAUSE", help="Only cases of this clause, such as session.md#parents.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def list_command(
    corpus: str | None, globs: tuple[str, ...], rule: str | None, clause: str | None, form: str
) -> None:
    """List the cases: id, must or should, verdict or kind, title."""
    files = FolderCorpus(_folder(corpus))
    try:
        cases = [files.case(id) for id in _selected(files, globs)]
    except CorpusFault as error:
        raise click.ClickException(printable(str(error))) from error
    cases = [
        case
        for case in cases
        if clause in (None, case["clause"])
        and (rule is None or any(finding["rule"] == rule for finding in case["expect"].get("findings", ())))
    ]
    if not cases:
        raise click.ClickException("no case is selected by these options together")
    if form == "json":
        write_json(cases, sys.stdout)
        return
    width = max(len(case["id"]) for case in cases)
    for case in cases:
        title = printable(case["title"])
        click.echo(f"{case['id']:{width}}  {case['level']:6}  {_asked(case):11}  {title}")
    say(number(len(cases), "case"))
