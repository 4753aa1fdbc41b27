"""Animals of the plain tier: commands whose exit codes are wrong."""

from __future__ import annotations

from collections.abc import Callable

from convspec.conformance.plain_tier import PlainTier
from convspec.conformance.process import Silent
from fakes import FakeCommand
from zoo.keeper import Animal, Reference

_CODES = {"valid": 0, "invalid": 1, "unreadable": 2, "unsupported": 3}
_SEGFAULT = -11


def _exits(name: str, wrong: str, code: Callable[[str], int | Exception], *by: str) -> Animal:
    """Return an animal; `code` gives the exit code, or what happens instead, for a right verdict."""

    def tier(reference: Reference) -> PlainTier:
        command = FakeCommand(lambda path: code(reference.answers[path]["verdict"]))
        return PlainTier(command, name, 1.0)

    return Animal(name, wrong, tier, frozenset(("verdict",)), by)


def _but(verdict: str, instead: int | Exception) -> Callable[[str], int | Exception]:
    return lambda right: instead if right == verdict else _CODES[right]


_EASY = "history/document/two-messages"
_HARD = "session/tree/parent-missing"

ANIMALS = (
    _exits("always-zero", "exits with 0 whatever it finds", lambda right: 0, _HARD, "history/version/two"),
    _exits("traceback", "dies of an unhandled exception, with exit code 1", lambda right: 1, _EASY),
    _exits("fainter", "is ended by a signal at what it should reject", _but("invalid", _SEGFAULT), _HARD),
    _exits("dozer", "hangs at what it should reject", _but("invalid", Silent()), _HARD),
    _exits("undecided", "cannot judge what it should reject", _but("invalid", 2), _HARD),
    _exits("out-of-date", "says newer version of what it should reject", _but("invalid", 3), _HARD),
    _exits(
        "shell-less", "exits with 127 for want of a program that it calls", lambda right: 127, _EASY, _HARD
    ),
    _exits("pipe-blind", "rejects what it cannot read", _but("unreadable", 1), "history/bytes/fifo"),
)
