"""The command line: a thin face over the package. One file per command."""

from convspec.cli.app import main

__all__ = ["main"]
