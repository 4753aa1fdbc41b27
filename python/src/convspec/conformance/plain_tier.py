"""The plain tier: a command that is run once for each input and judges it by its exit code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from convspec.conformance.process import Launcher, Silent, Unstartable, how
from convspec.conformance.results import Answered, Fault, Trial, Trouble
from convspec.conformance.runner import NoAdapter

# What an exception that nobody caught leaves behind, in languages that then end with 1.
_TRACE = re.compile(
    r"^Traceback \(most recent call last\):|^\s+at .+:\d+:\d+\)?$|^[^\n]+:\d+:in [`'].+ \([A-Z]\w*\)$", re.M
)
_MEANING = {0: "accepts", 1: "rejects", 2: "cannot judge", 3: "newer version"}
_RIGHT_FOR = {0: {"valid"}, 1: {"invalid", "unsupported"}, 2: {"unreadable"}, 3: {"unsupported"}}


class PlainTier:
    """Asks a command for its verdicts. There is nothing to start, and nothing to end."""

    def __init__(self, launcher: Launcher, name: str, seconds: float) -> None:
        self._launcher = launcher
        self._seconds = seconds
        self._started = False
        self._codes: set[int] = set()
        self._said = ""
        self.adapter: Mapping[str, Any] = {"tier": "plain", "name": name, "levels": ["verdict"]}

    def begin(self) -> None:
        """Do nothing."""

    def leaves_out(self, case: Mapping[str, Any]) -> str:
        """Ask for every kind that has a verdict."""
        return "" if case["kind"] == "check" else f"the plain tier has no kind {case['kind']}"

    def ask(self, case: Mapping[str, Any], path: str) -> Trial:
        """Run the command on the input. Raises NoAdapter where it cannot be started the first time."""
        try:
            code, stderr = self._launcher.run(path, self._seconds)
        except Silent:
            self._started = True
            return Fault(Trouble.TIMEOUT, f"no end within {self._seconds:g} seconds")
        except Unstartable as error:
            if not self._started:
                raise NoAdapter(f"the adapter cannot be started: {error}") from error
            return Fault(Trouble.CRASH, f"cannot be started: {error}")
        self._started = True
        self._codes.add(code)
        self._said = stderr
        if code not in _MEANING:
            return Fault(Trouble.CRASH, how(code), stderr)
        if code == 1 and _TRACE.search(stderr):
            return Fault(Trouble.CRASH, "exited with 1 behind a stack trace, which is no rejection", stderr)
        return Answered({}, frozenset(_RIGHT_FOR[code]), f"exit code {code} ({_MEANING[code]})")

    def end(self) -> list[str]:
        """Complain where nothing was ever judged: a script that is not there ends with 2 as well."""
        if self._codes != {2}:
            return []
        last = next((line.strip() for line in reversed(self._said.split("\n")) if line.strip()), "")
        said = f"; it said last: {last[-300:]}" if last else ""
        return [f"the command ended with exit code 2 each time; is it the right one?{said}"]
