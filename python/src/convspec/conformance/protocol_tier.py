"""The protocol tier: one process, asked line by line, restarted when it dies or falls silent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convspec.conformance import protocol
from convspec.conformance.compare import newer
from convspec.conformance.process import Gone, Launcher, Process, Silent, Unstartable
from convspec.conformance.protocol import BadAnswer
from convspec.conformance.results import Answered, Fault, Skipped, Trial, Trouble
from convspec.conformance.runner import NoAdapter

_START_SECONDS = 30.0
"""At least so long may a start take: there are languages that compile first."""

_TOLD = ("name", "language", "version", "protocol", "spec", "formats", "kinds", "levels", "abilities")
"""What is kept of an introduction, which may say more."""


class ProtocolTier:
    """Asks one long-lived process. `begin` comes first, `end` last."""

    def __init__(self, launcher: Launcher, seconds: float) -> None:
        self._launcher = launcher
        self._seconds = seconds
        self._process: Process | None = None
        self._asked = 0
        self.adapter: Mapping[str, Any] = {}

    def begin(self) -> None:
        """Start the process and let it introduce itself. Raises NoAdapter."""
        introduced = self._started()
        if isinstance(introduced, Fault):
            words = introduced.stderr.split("\n")
            last = next((line.strip() for line in reversed(words) if line.strip()), "")
            said = f"; it said last: {last[-300:]}" if last else ""
            raise NoAdapter(f"the adapter {introduced.text}{said}")
        self.adapter = {"tier": "protocol", **{key: introduced[key] for key in _TOLD}}

    def leaves_out(self, case: Mapping[str, Any]) -> str:
        """Return why a case is not asked for, by what the adapter says of itself; else nothing."""
        lacks = [ability for ability in case.get("requires", ()) if ability not in self.adapter["abilities"]]
        if case["format"] not in self.adapter["formats"]:
            return f"the adapter does not read the format {case['format']}"
        if case["kind"] not in self.adapter["kinds"]:
            return f"the adapter does not know the kind {case['kind']}"
        if newer(case["since"], self.adapter["spec"]):
            return f"the case is of specification {case['since']}"
        return f"the adapter lacks {', '.join(lacks)}" if lacks else ""

    def ask(self, case: Mapping[str, Any], path: str) -> Trial:
        """Ask for one input."""
        if self._process is None:
            again = self._started()
            if isinstance(again, Fault):
                return again
        self._asked += 1
        line = self._said(protocol.case(self._asked, case, path), self._seconds)
        if isinstance(line, Fault):
            return line
        try:
            answer = protocol.answer(line, self._asked, case["kind"])
        except BadAnswer as error:
            return self._lost(Trouble.BAD_ANSWER, str(error))
        if "failed" in answer:
            return Fault(Trouble.CRASH, f"failed: {answer['failed']}")
        if "skipped" in answer:
            return Skipped(answer["skipped"])
        if case["kind"] != "check":
            return Answered(answer)
        return Answered(answer, frozenset({answer["verdict"]}), f"verdict {answer['verdict']}")

    def end(self) -> list[str]:
        """Stop the process; return what is to be complained of."""
        if self._process is None:
            return []
        process, self._process = self._process, None
        try:
            process.send(protocol.stop())
            how = process.ended(self._seconds)
        except Gone as gone:
            how = f"{gone} before it was stopped"
        except Silent:
            how = f"did not end within {self._seconds:g} seconds after stop"
        finally:
            process.kill()
        return [f"the adapter {how}"] if how else []

    def _started(self) -> dict[str, Any] | Fault:
        try:
            self._process = self._launcher.start()
        except Unstartable as error:
            return Fault(Trouble.CRASH, f"cannot be started: {error}")
        line = self._said(protocol.start(), max(_START_SECONDS, self._seconds))
        if isinstance(line, Fault):
            return line
        try:
            return protocol.introduction(line)
        except BadAnswer as error:
            return self._lost(Trouble.BAD_ANSWER, f"did not introduce itself: {error}")

    def _said(self, request: bytes, seconds: float) -> bytes | Fault:
        """Send a line and return the next one. A process that gives none is ended."""
        assert self._process is not None
        try:
            self._process.send(request)
            return self._process.receive(seconds)
        except Gone as gone:
            return self._lost(Trouble.CRASH, str(gone))
        except Silent:
            return self._lost(Trouble.TIMEOUT, f"gave no answer within {seconds:g} seconds")

    def _lost(self, trouble: Trouble, text: str) -> Fault:
        """End a process that cannot be relied on any more; a late answer must not meet a later question."""
        assert self._process is not None
        process, self._process = self._process, None
        process.kill()
        return Fault(trouble, text, process.stderr())
