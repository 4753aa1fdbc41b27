"""Stores for tests: with a clock that steps, ids that count, and disks that fail when they are told to."""

from __future__ import annotations

import errno
import itertools
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from convspec import check
from convspec.session.log_disk import LogDisk
from convspec.session.session import Session
from convspec.session.store import SessionStore

BEGIN = datetime(2026, 2, 11, 8, 15, 30, 120_999, tzinfo=UTC)
USER = {"role": "user", "content": "look"}
CALL = {"id": "k1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"a.txt"}'}}


def clock(step: float = 1.0) -> Callable[[], datetime]:
    """Return a clock that goes on a second each time it is looked at."""
    count = itertools.count()
    return lambda: BEGIN + timedelta(seconds=step * next(count))


def entry_id(number: int) -> str:
    """Return the id that a counting store gives to its entry of a number, from 0."""
    return f"{number:032x}"


def session_id(number: int) -> str:
    """Return the id that a counting store gives to its session of a number, from 0."""
    return f"00000000-0000-4000-8000-{number:012x}"


def store_in(folder: Path, **options: Any) -> SessionStore:
    """Return a store below a folder whose clock steps and whose ids count."""
    entries, sessions = itertools.count(), itertools.count()
    defaults: dict[str, Any] = {
        "clock": clock(),
        "mint": lambda: entry_id(next(entries)),
        "mint_session": lambda: session_id(next(sessions)),
    }
    return SessionStore(folder / "config", folder / "work", **(defaults | options))


def lines_of(session: Session | str | Path) -> list[str]:
    """Return the lines of a log."""
    path = session.path if isinstance(session, Session) else session
    return Path(path).read_text(encoding="utf-8").splitlines()


def records_of(session: Session | str | Path) -> list[dict[str, Any]]:
    """Return the records of a log."""
    return [json.loads(line) for line in lines_of(session)]


def last(session: Session) -> dict[str, Any]:
    """Return the last record of a log."""
    return records_of(session)[-1]


def is_clean(session: Session | str | Path) -> bool:
    """Say whether a check finds neither errors nor warnings."""
    counts = check(session.path if isinstance(session, Session) else session).counts
    return (counts.errors, counts.warnings) == (0, 0)


class FailingDisk(LogDisk):
    """A disk on which one step fails. Steps are counted once it is armed."""

    def __init__(self) -> None:
        self.fail_at: int | None = None
        self.partly = False
        self.code = errno.ENOSPC
        self.steps: list[str] = []

    def arm(self, at: int | None, code: int = errno.ENOSPC, *, partly: bool = False) -> None:
        """Let step number `at` fail, counted from 0; None for none. A write may be taken partly first."""
        self.fail_at, self.code, self.partly, self.steps = at, code, partly, []

    def step(self, name: str) -> None:
        """Take a step, or fail."""
        self.steps.append(name)
        if self.fail_at == len(self.steps) - 1:
            raise OSError(self.code, os.strerror(self.code))

    def open_log(self, path: str) -> int:
        self.step("open_log")
        return super().open_log(path)

    def look(self, descriptor: int) -> Any:
        self.step("look")
        return super().look(descriptor)

    def read_at(self, descriptor: int, offset: int, count: int) -> bytes:
        self.step("read_at")
        return super().read_at(descriptor, offset, count)

    def append(self, descriptor: int, data: bytes | memoryview) -> int:
        try:
            self.step("append")
        except OSError:
            if self.partly and len(data) > 1:
                super().append(descriptor, data[: len(data) // 2])
            raise
        return super().append(descriptor, data)

    def sync(self, descriptor: int) -> None:
        self.step("sync")
        super().sync(descriptor)

    def make_folder(self, path: str, mode: int = 0o777) -> bool:
        self.step("make_folder")
        return super().make_folder(path, mode)

    def write(self, path: str, data: bytes, mode: int | None) -> None:
        self.step("write")
        super().write(path, data, mode)

    def put(self, path: str, new: str) -> bool:
        self.step("put")
        return super().put(path, new)

    def replace(self, path: str, by: str) -> None:
        self.step("replace")
        super().replace(path, by)

    def sync_folder(self, path: str) -> None:
        self.step("sync_folder")
        super().sync_folder(path)


class StutteringDisk(LogDisk):
    """A disk that takes a few bytes at a time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.calls = 0

    def append(self, descriptor: int, data: bytes | memoryview) -> int:
        self.calls += 1
        return super().append(descriptor, data[: self.most])
