"""The `convspec` command: its subcommands, loaded when asked for, and its exit codes.

Bad usage is one line on stderr and exit code 2; a closed pipe ends quietly; Ctrl-C exits 130.
"""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress

import click

from convspec.reporters.words import printable

COMMANDS = (
    "check",
    "explain",
    "rules",
    "show",
    "repair",
    "pack",
    "unpack",
    "convert",
    "schema",
    "conformance",
)
"""Each in a module of its name."""
_USAGE, _INTERRUPTED, _PIPE = 2, 130, 141


class _Lazy(click.Group):
    """Imports a command's module when the command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. A closed pipe is met here: click itself would exit with 1, "invalid"."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return _silenced()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"convspec.cli.{cmd_name}")
        command: click.Command = module.command
        return command


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from convspec import __version__

        click.echo(f"convspec {__version__}")
        ctx.exit()


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
)
def app() -> None:
    """Check, look at and mend the files in which AI agents keep their conversations."""


def main() -> None:
    """Run the command and exit."""
    _mend_streams()
    sys.exit(run(sys.argv[1:]))


def _mend_streams() -> None:
    """Give a closed stdout or stderr somewhere to go, and let no character be unprintable."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - for the process
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def run(arguments: list[str]) -> int:
    """Run the command with `arguments` and return its exit code."""
    try:
        code = app.main(args=arguments, prog_name="convspec", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        _say(error.format_message())
        return _USAGE
    except click.ClickException as error:
        _complain(error)
        return _USAGE
    except click.Abort:
        return _INTERRUPTED
    except BrokenPipeError:
        return _silenced()
    except OSError as error:  # the disk is full, say
        _silenced()
        _say(f"convspec: cannot write the output: {error.strerror}")
        return _USAGE
    return code if isinstance(code, int) else 0


def _say(text: str) -> None:
    with suppress(OSError, ValueError):
        click.echo(text, err=True)


def _silenced() -> int:
    """Let nothing more be written to the closed pipe, also when Python flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _PIPE


def _complain(error: click.ClickException) -> None:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "convspec"
    text = printable(" ".join(error.format_message().split())).removesuffix(".")
    _say(f"{command}: {text} (see {command} --help)")
