"""Adapters as processes: the only code of the runner that starts one, waits for it, or ends it."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import IO, Protocol

from convspec.conformance.protocol import LONGEST_ANSWER

_KEPT = 4096
"""Bytes of standard error that are kept for the report."""


class Silent(Exception):
    """Nothing came within the time limit."""


class Gone(Exception):
    """The process ended; the text says how."""


class Unstartable(Exception):
    """The command cannot be run; the text says why."""


class Process(Protocol):
    """A process that is spoken to line by line."""

    def send(self, line: bytes) -> None:
        """Write a line. Raises Gone."""

    def receive(self, seconds: float) -> bytes:
        """Return the next line, at most LONGEST_ANSWER bytes and one. Raises Silent, Gone."""

    def ended(self, seconds: float) -> str:
        """Wait for the end after the last line; return how it ended, empty for exit code 0. Raises Silent."""

    def kill(self) -> None:
        """End it, with all that it started."""

    def stderr(self) -> str:
        """Return the end of what it wrote to standard error."""


class Launcher(Protocol):
    """Starts processes."""

    def start(self) -> Process:
        """Start the adapter for the protocol tier. Raises Unstartable."""

    def run(self, path: str, seconds: float) -> tuple[int, str]:
        """Run it once on a path; return its exit code, negative for a signal, and the end of its stderr.

        Raises Silent, Unstartable.
        """


def how(code: int) -> str:
    """Say how a process ended, by its exit code as Python gives it."""
    if code >= 0:
        return f"exited with {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


class _Child:
    """A child process with its pipes, each emptied by a thread so that neither side can block the other.

    One that is not `spoken` to gets nothing on standard input, and what it prints is not kept.
    """

    def __init__(self, command: Sequence[str], *, spoken: bool) -> None:
        plain = subprocess.PIPE if spoken else subprocess.DEVNULL
        try:
            self._child = subprocess.Popen(
                command, stdin=plain, stdout=plain, stderr=subprocess.PIPE, start_new_session=True
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Unstartable(f"{command[0]}: {reason}") from error
        self._lines: queue.Queue[bytes] = queue.Queue(maxsize=1)  # a line may be long
        self._complaints: deque[bytes] = deque(maxlen=_KEPT // 64)
        self._over = threading.Event()  # no more lines are wanted
        self._deaf = threading.Event()  # nor any more complaints
        self._readers = {self._child.stderr: threading.Thread(target=self._read_complaints, daemon=True)}
        if spoken:
            self._readers[self._child.stdout] = threading.Thread(target=self._read_lines, daemon=True)
        for reader in self._readers.values():
            reader.start()

    def _read_lines(self) -> None:
        assert self._child.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while not self._over.is_set() and (line := self._child.stdout.readline(LONGEST_ANSWER + 1)):
                self._put(line)
        self._put(b"")

    def _put(self, line: bytes) -> None:
        """Hand a line over; wait for as long as somebody may still want it."""
        while not self._over.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=0.2)
                break

    def _read_complaints(self) -> None:
        assert self._child.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            while not self._deaf.is_set() and (piece := self._child.stderr.readline(_KEPT)):
                self._complaints.append(piece)

    def send(self, line: bytes) -> None:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(line)
            self._child.stdin.flush()
        except (OSError, ValueError) as error:
            raise Gone(self._end()) from error

    def receive(self, seconds: float) -> bytes:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise Silent from None
        if not line:
            raise Gone(self._end())
        return line

    def ended(self, seconds: float) -> str:
        assert self._child.stdin is not None
        limit = time.monotonic() + seconds
        with contextlib.suppress(OSError, ValueError):
            self._child.stdin.close()
        try:
            self.receive(seconds)
            return "wrote more than it was asked for"
        except Gone:
            pass
        except Silent:
            if self._child.poll() is None:
                raise
            return "left a process behind that holds its output open"
        code = self._waited(max(0.0, limit - time.monotonic()))
        if code is None:
            raise Silent
        return how(code) if code else ""

    def finished(self, seconds: float) -> int:
        """Return the exit code, once there is one. Raises Silent."""
        code = self._waited(seconds)
        if code is None:
            raise Silent
        return code

    def _waited(self, seconds: float) -> int | None:
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def _end(self) -> str:
        """Say how a process whose pipe is closed ended."""
        code = self._waited(1.0)
        return "closed its output and went on" if code is None else how(code)

    def kill(self) -> None:
        self._over.set()
        with contextlib.suppress(OSError, AttributeError):  # not every system has process groups
            os.killpg(self._child.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._child.kill()
        self._child.wait()
        _close(self._child.stdin)
        for reader in self._readers.values():
            reader.join(0.5)  # to the end of what the dead have written
        self._deaf.set()
        for pipe, reader in self._readers.items():
            reader.join(0.1)
            if not reader.is_alive():  # else a process that left the group holds the pipe open
                _close(pipe)

    def stderr(self) -> str:
        if self._child.poll() is not None:
            self._readers[self._child.stderr].join(0.2)
        return b"".join(list(self._complaints))[-_KEPT:].decode("utf-8", "backslashreplace")


def _close(pipe: IO[bytes] | None) -> None:
    with contextlib.suppress(OSError, ValueError):
        if pipe is not None:
            pipe.close()


class Command:
    """Launches a command: its words, to which the plain tier adds the path."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def start(self) -> Process:
        """Start it for the protocol tier."""
        return _Child(self.words, spoken=True)

    def run(self, path: str, seconds: float) -> tuple[int, str]:
        """Run it once on a path."""
        child = _Child((*self.words, path), spoken=False)
        try:
            return child.finished(seconds), child.stderr()
        finally:
            child.kill()
