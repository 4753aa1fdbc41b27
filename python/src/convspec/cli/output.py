"""Where the output of a run goes, and in which form."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

import click

from convspec import __version__
from convspec.reporters import concise, full, github, values
from convspec.scan import Checked
from convspec.walk import STDIN

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Settings:
    """What people want to see: infos too or not, and how many findings per file."""

    infos: bool
    limit: int


def say(text: str) -> None:
    """Write a line to stderr. A stderr that cannot be written must not change the exit code."""
    with suppress(OSError, ValueError):
        click.echo(text, err=True)


class Output(Protocol):
    """Takes the files of a run one after the other."""

    def take(self, checked: Checked) -> None:
        """Take the next file."""

    def finish(self) -> None:
        """Take note that no file follows."""


@dataclass(slots=True)
class _Lines:
    stream: IO[str]
    settings: Settings
    name: str

    def take(self, checked: Checked) -> None:
        infos, limit = self.settings.infos, self.settings.limit
        if self.name == "full":
            look = full.Look(_width(self.stream), _painter(self.stream))
            lines = full.lines(checked.report, checked.excerpts, look, infos=infos, limit=limit)
        elif self.name == "github":
            lines = github.lines(checked.report, infos=infos)
        else:
            lines = concise.lines(checked.report, infos=infos, limit=limit)
        for line in lines:
            self.stream.write(line + "\n")

    def finish(self) -> None:
        pass


@dataclass(slots=True)
class _Json:
    stream: IO[str]
    files: list[dict[str, Any]] = field(default_factory=list)

    def take(self, checked: Checked) -> None:
        self.files.append(values.file_value(checked.report))

    def finish(self) -> None:
        write_json(values.report_value(self.files, __version__), self.stream)


FORMATS = ("full", "concise", "json", "github")


def default_format() -> str:
    """Return the form for stdout where none is asked for."""
    return "full" if sys.stdout.isatty() else "concise"


@contextmanager
def open_output(name: str, target: str, settings: Settings) -> Iterator[Output]:
    """Open an output by the name of its form; `target` is a file, or empty for stdout."""
    with open_stream(target) as stream:
        yield _output(name, stream, settings)


@contextmanager
def open_stream(target: str) -> Iterator[IO[str]]:
    """Open a file to write, or give stdout where `target` is empty."""
    if not target:
        yield sys.stdout
        return
    with _opened(target) as stream:
        yield stream


def chosen_formats(choices: Collection[str]) -> Callable[..., list[tuple[str, str]]]:
    """Return a callback for a repeatable FORMAT[:FILE] option: names and targets, at most one to stdout."""

    def chosen(
        ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]
    ) -> list[tuple[str, str]]:
        pairs = []
        for value in given:
            name, _, target = value.partition(":")
            if name not in choices:
                raise click.BadParameter(f"{name!r} is not one of {', '.join(choices)}")
            pairs.append((name, "" if target == STDIN else target))
        if sum(1 for _, target in pairs if not target) > 1:
            raise click.BadParameter("only one format can go to stdout; give the others as FORMAT:FILE")
        return pairs

    return chosen


def write_json(value: object, stream: IO[str]) -> None:
    """Write a JSON document, with escapes where the stream cannot carry every character."""
    utf8 = (getattr(stream, "encoding", None) or "").lower().replace("-", "") == "utf8"
    # A terminal gets escapes: what a file holds must not move its cursor or turn its lines round.
    json.dump(value, stream, indent=2, ensure_ascii=not utf8 or stream.isatty())
    stream.write("\n")


def refuse_to_overwrite(targets: Iterable[str], inputs: Iterable[str]) -> None:
    """Raise a click exception where an output would be written over an input, or over another."""
    names = [target for target in targets if target]
    seen: set[tuple[int, int] | str] = set()
    for target in names:
        identity = _identity(target)
        if identity in seen:
            raise click.ClickException(f"two formats would be written to {target}")
        seen.add(identity)
    if any(_identity(path) in seen for path in inputs) if names else False:
        raise click.ClickException("a report would be written over a file that is checked")


def _identity(path: str) -> tuple[int, int] | str:
    """Return what tells a file apart from others, also under another name."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return os.path.abspath(path)
    return status.st_dev, status.st_ino


def _opened(target: str) -> IO[str]:
    try:
        return open(target, "w", encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name cannot be used"
        raise click.ClickException(f"cannot write {target}: {reason}") from error


def _output(name: str, stream: IO[str], settings: Settings) -> Output:
    return _Json(stream) if name == "json" else _Lines(stream, settings, name)


def _width(stream: IO[str]) -> int:
    if "COLUMNS" in os.environ or stream.isatty():
        return max(40, min(_WIDTH, shutil.get_terminal_size((80, 24)).columns))
    return 80


def _painter(stream: IO[str]) -> Any:
    terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
    forced = os.environ.get("FORCE_COLOR", "0") not in ("", "0")
    if os.environ.get("NO_COLOR") or not (terminal or forced):
        return lambda text, colour: text
    return lambda text, colour: click.style(text, fg=colour or None, bold=True)
