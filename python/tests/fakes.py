"""A corpus and adapters in memory: the runner's other side, without files, processes or waiting."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from convspec.conformance.adapter import introduction
from convspec.conformance.process import Gone, Silent, Unstartable
from convspec.conformance.results import Logs

Request = dict[str, Any]
Says = bytes | Exception
"""A line that a fake process writes, or what becomes of it instead: Silent, Gone."""
Script = Callable[[Request], Iterable[Says]]
"""What a fake process says to a request."""


class MemoryCorpus:
    """Cases without files: the path of an input is the id of its case.

    `files` holds the logs at each path; an adapter that writes changes them.
    """

    def __init__(self, cases: Iterable[Mapping[str, Any]], files: dict[str, Logs] | None = None) -> None:
        self.cases = {case["id"]: case for case in cases}
        self.files: dict[str, Logs] = {} if files is None else files
        self.laid: list[str] = []
        self.open = 0

    def about(self) -> Mapping[str, Any]:
        return {"cases": len(self.cases), "manifest_sha256": "0" * 64}

    def case(self, id: str) -> Mapping[str, Any]:
        return self.cases[id]

    @contextmanager
    def laid_out(self, id: str) -> Iterator[str]:
        self.laid.append(id)
        self.open += 1
        try:
            yield id
        finally:
            self.open -= 1

    def logs(self, path: str) -> Logs:
        assert self.open, "what was laid out is gone"
        return self.files.get(path, {})

    def expected(self, id: str) -> Logs:
        return self.files.get(f"{id}/expected", {})


@dataclass
class FakeProcess:
    """A process that follows a script. It notices whoever speaks to it after its end."""

    script: Script
    how_it_ends: str | Exception = ""
    complaints: str = ""
    heard: list[Request] = field(default_factory=list)
    killed: bool = False
    _said: list[Says] = field(default_factory=list)

    def send(self, line: bytes) -> None:
        assert not self.killed, "a process that was ended is spoken to"
        assert line.endswith(b"\n")
        request = json.loads(line)
        self.heard.append(request)
        if request["cmd"] != "stop":
            self._said += self.script(request)
        elif self._said and isinstance(self._said[0], Gone):
            raise self._said[0]

    def receive(self, seconds: float) -> bytes:
        assert not self.killed, "a process that was ended is listened to"
        assert seconds > 0
        if not self._said:
            raise Silent
        says = self._said[0]
        if isinstance(says, Exception):
            raise says  # and again: the dead stay dead, the silent silent
        return self._said.pop(0)  # type: ignore[return-value]

    def ended(self, seconds: float) -> str:
        assert not self.killed
        if any(isinstance(says, bytes) for says in self._said):
            return "wrote more than it was asked for"
        if isinstance(self.how_it_ends, Exception):
            raise self.how_it_ends
        return self.how_it_ends

    def kill(self) -> None:
        self.killed = True

    def stderr(self) -> str:
        return self.complaints


class FakeLauncher:
    """Starts a process from what `make` gives; an exception in its place is raised."""

    def __init__(self, make: Callable[[], FakeProcess | Unstartable]) -> None:
        self._make = make
        self.started: list[FakeProcess] = []

    def start(self) -> FakeProcess:
        made = self._make()
        if isinstance(made, Exception):
            raise made
        self.started.append(made)
        return made

    def run(self, path: str, seconds: float) -> tuple[int, str]:
        raise AssertionError("the protocol tier runs nothing once")


class FakeCommand:
    """The plain tier's side: what comes of a path, an exit code or an exception."""

    def __init__(self, judge: Callable[[str], int | Exception], stderr: str = "") -> None:
        self._judge = judge
        self._stderr = stderr

    def start(self) -> FakeProcess:
        raise AssertionError("the plain tier starts nothing that stays")

    def run(self, path: str, seconds: float) -> tuple[int, str]:
        came = self._judge(path)
        if isinstance(came, Exception):
            raise came
        return came, self._stderr


INTRODUCTION: dict[str, Any] = {**introduction(), "name": "fake"}


def line(value: Any) -> bytes:
    """Return a value as an adapter writes it."""
    return json.dumps(value).encode() + b"\n"


def script(judge: Callable[[Request], Iterable[Says]], **changes: Any) -> Script:
    """Return the script of a process that introduces itself and judges cases with `judge`."""

    def follow(request: Request) -> Iterable[Says]:
        if request["cmd"] == "start":
            return [line({**INTRODUCTION, **changes})]
        return judge(request)

    return follow


def case_document(id: str, **changes: Any) -> dict[str, Any]:
    """Return a case that expects a valid file, with changes."""
    return {
        "id": id,
        "kind": "check",
        "format": id.split("/")[0],
        "level": "must",
        "clause": "history.md#root",
        "since": "1.0",
        "expect": {"verdict": "valid", "findings": []},
        **changes,
    }
