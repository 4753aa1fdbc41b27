"""What a session that is open for writing knows of itself, and how its log reads."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from convspec.instants import moment
from convspec.pointers import quoted
from convspec.session.appending import Appender
from convspec.session.errors import SessionError
from convspec.session.opening import read_session
from convspec.session.records import key_of
from convspec.session.standing import Standing
from convspec.session.view import SessionReading

_DIGEST = re.compile("sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Runtime:
    """Provider, model and reasoning effort; None for what is not known."""

    provider: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the caller brings to a session, and the log does not hold."""

    clock: Callable[[], str]
    mint: Callable[[], str]
    workspace: str
    defaults: Runtime = Runtime()
    read_paths: tuple[str, ...] = ()


class Handle:
    """What a session is, for whoever holds it."""

    def __init__(
        self, appender: Appender, header: Mapping[str, Any], created_at: datetime, surroundings: Surroundings
    ) -> None:
        self._appender = appender
        self._standing: Standing = appender.standing
        self._header = header
        self._created_at = created_at
        self._around = surroundings
        self._read: tuple[tuple[int, int, int], SessionReading] | None = None

    # What it is

    @property
    def id(self) -> str:
        """The session's id."""
        return str(self._header["id"])

    @property
    def path(self) -> str:
        """The absolute path of its log."""
        return self._appender.path

    @property
    def cwd(self) -> str:
        """The working folder; that of the store where the log does not say."""
        return str(self._header["cwd"])

    @property
    def created_at(self) -> datetime:
        """When it began."""
        return self._created_at

    @property
    def modified_at(self) -> datetime:
        """When it was last used."""
        return moment(self._standing.activity, self._created_at)

    @property
    def parent_id(self) -> str | None:
        """The id of the session it is a copy of."""
        return self._header["parentId"] or None

    @property
    def parent_path(self) -> str | None:
        """Where the log of that session was."""
        return self._header["parentPath"] or None

    @property
    def name(self) -> str | None:
        """Its name."""
        return self._standing.name

    @property
    def leaf_id(self) -> str | None:
        """The entry that the next one follows; None for a new root. What others append does not move it."""
        return self._standing.leaf

    @property
    def runtime(self) -> Runtime:
        """Provider, model and effort in force; what the log does not say, as the caller gave it."""
        told, defaults = self._standing.runtime, self._around.defaults
        return Runtime(
            told.get("provider") or defaults.provider,
            told.get("model") or defaults.model,
            told.get("reasoningEffort") or defaults.reasoning_effort,
        )

    @property
    def read_only(self) -> str | None:
        """Why the log is not written to; None where it is."""
        return self._standing.refusal

    @property
    def workspace(self) -> str:
        """Where the files are that its tools name."""
        return self._around.workspace

    @property
    def given_read_paths(self) -> tuple[str, ...]:
        """The files that the caller said the model knows; the log does not hold them."""
        return self._around.read_paths

    @property
    def reading(self) -> SessionReading:
        """What a reader makes of the log as it is now; read again only if it has changed.

        Raises SessionError.
        """
        try:
            found = os.stat(self.path)
        except OSError:
            return read_session(self.path)  # says what is wrong
        now = (found.st_ino, found.st_size, found.st_mtime_ns)
        if self._read is None or self._read[0] != now:
            self._read = now, read_session(self.path)
        return self._read[1]

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield the conversation up to the leaf of this handle, as `SessionReading.messages` does."""
        if self.read_only:
            return self.reading.messages()
        known = self._standing.holds(self.leaf_id)
        return self.reading.messages(key_of(self.leaf_id)) if known else iter(())

    @property
    def read_paths(self) -> tuple[str, ...]:
        """The files of the workspace that the model has read, those that the caller gave first."""
        found = self.reading.read_paths(self._around.workspace)
        return tuple(dict.fromkeys((*self._around.read_paths, *found)))

    def _spelled(self, id: str | None) -> str | None:
        """Return an id as the file has it: readings show very long ones by their digest."""
        if id and _DIGEST.fullmatch(id):
            with contextlib.suppress(KeyError):
                return str(self.reading.record(id)["id"])
        return id or None

    def _refuse_unknown(self, standing: Standing, id: str | None) -> None:
        if id is not None and not standing.holds(id):
            raise SessionError(f"there is no entry {quoted(id, 'with this id')}: go on elsewhere by branch()")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} at {self.path}>"
