"""Keep sessions on disk: make, copy, load and list them. No log is written over, and no list removes one."""

from __future__ import annotations

import os
import secrets
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from convspec.pointers import quoted
from convspec.session import creating, last_session, placement
from convspec.session import records_to_write as records
from convspec.session.appending import Appender
from convspec.session.errors import SessionError
from convspec.session.handle import Runtime, Surroundings
from convspec.session.lists import SessionLists, StrPath
from convspec.session.loading import known_of, refusal_of
from convspec.session.log_disk import LogDisk
from convspec.session.opening import read_session
from convspec.session.records import NON_ACTIVITY
from convspec.session.records_to_write import Record
from convspec.session.session import Session
from convspec.session.standing import Standing

_DISK = LogDisk()


@dataclass(frozen=True, slots=True)
class SessionLocation:
    """Where a session is, and the working folder that it belongs to."""

    path: str
    cwd: str


class SessionStore(SessionLists):
    """The sessions of one working folder, in one configuration folder.

    `fsync` makes every record last before the call returns. `clock`, `mint`, `mint_session` and `disk` are
    there to be replaced in tests.
    """

    VERSION = records.VERSION
    LAST_SESSION_FILENAME = placement.LAST_SESSION_FILENAME
    NON_ACTIVITY_RECORD_TYPES = NON_ACTIVITY

    def __init__(
        self,
        config_dir: StrPath | None = None,
        cwd: StrPath | None = None,
        *,
        fsync: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        mint: Callable[[], str] = lambda: secrets.token_hex(16),
        mint_session: Callable[[], str] = lambda: str(uuid.uuid4()),
        disk: LogDisk = _DISK,
    ) -> None:
        super().__init__(config_dir, cwd)
        self._fsync = fsync
        self._clock = clock
        self._mint = mint
        self._mint_session = mint_session
        self._disk = disk

    # Make and copy

    def create(
        self,
        *,
        provider: str | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
        parent_id: str | None = None,
        parent_path: str | None = None,
    ) -> Session:
        """Make a new session; its log holds a header. Raises SessionError, OSError."""
        runtime = Runtime(provider, model, reasoning_effort)
        return self._created(runtime, (parent_id, parent_path), None, (), None, ())

    def create_from_messages(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        name: str | None = None,
        provider: str | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
        parent_session: Session | None = None,
        workspace: StrPath | None = None,
        read_paths: Iterable[str] = (),
    ) -> Session:
        """Make a new session that begins with messages; each keeps its `id` where it has one.

        It is independent, unless `parent_session` is given: then its header says where it comes from, and it
        has the name of that, if no other. `read_paths` are files that the model knows already; the log does
        not hold them. The log is whole, or there is none. Raises SessionError, OSError.
        """
        runtime = Runtime(provider, model, reasoning_effort)
        parent = (None, None) if parent_session is None else (parent_session.id, parent_session.path)
        named = name or (parent_session.name if parent_session else None)
        return self._created(runtime, parent, named, messages, workspace, read_paths)

    def clone(self, session: Session) -> Session:
        """Copy a session as it goes on: its messages, name and runtime. Raises SessionError, OSError."""
        return self._copy(session, session.messages())

    def fork(self, session: Session, *, before: str) -> Session:
        """Copy what led to an entry of a session, without the entry. Raises SessionError, OSError."""
        reading = session.reading
        try:
            path = reading.branch(before)
        except KeyError:
            raise SessionError(f"there is no entry {quoted(before, 'with this id')}") from None
        return self._copy(session, reading.messages(path[-2].id) if len(path) > 1 else ())

    def _copy(self, session: Session, messages: Iterable[Mapping[str, Any]]) -> Session:
        runtime = session.runtime
        return self.create_from_messages(
            creating.with_own_ids(messages),
            provider=runtime.provider,
            model=runtime.model,
            reasoning_effort=runtime.reasoning_effort,
            parent_session=session,
            workspace=session.workspace,
            read_paths=session.given_read_paths,
        )

    def _created(
        self,
        runtime: Runtime,
        parent: tuple[str | None, str | None],
        name: str | None,
        messages: Iterable[Mapping[str, Any]],
        workspace: StrPath | None,
        read_paths: Iterable[str],
    ) -> Session:
        id, timestamp = self._mint_session(), self._timestamp()
        header = records.header(
            id,
            timestamp,
            self.cwd,
            provider=runtime.provider,
            model=runtime.model,
            reasoning_effort=runtime.reasoning_effort,
            parent_id=parent[0],
            parent_path=parent[1],
        )
        path = os.path.join(self.session_dir, placement.file_name(timestamp, id))
        begin = [header] if records.stripped(name) is None else [header, records.rename(timestamp, name)]
        lines = self._with_messages(begin, messages, timestamp)
        standing = creating.publish(path, lines, self._disk)
        whole = dict.fromkeys(("parentId", "parentPath")) | header
        standing.runtime = {key: header.get(key) for key in ("provider", "model", "reasoningEffort")}
        created_at = datetime.fromisoformat(timestamp)
        return self._session(path, standing, whole, created_at, self._around(workspace, runtime, read_paths))

    def _with_messages(
        self, begin: Iterable[Record], messages: Iterable[Mapping[str, Any]], timestamp: str
    ) -> Iterator[Record]:
        yield from begin
        yield from creating.chained(messages, timestamp, iter(self._mint, None))

    # Load

    def load(
        self,
        path: StrPath,
        *,
        workspace: StrPath | None = None,
        provider: str | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
    ) -> Session:
        """Return the session of a log; it goes on at the leaf that the log says.

        `workspace` is where the files are that its tools name, else its own working folder; the others are
        what holds where the log does not say. A log without a header of version 2 can be read and copied,
        but is not written to. Raises SessionError where the log cannot be read, holds no session, or is of a
        newer version.
        """
        found = self._resolved(path)
        standing, reading = known_of(found, self._disk)
        header = dict(reading.header or {})
        if not header.get("id"):
            raise SessionError(f"{found}: no header says which session it is", reading.report)
        header["cwd"] = header.get("cwd") or self.cwd
        standing.refusal = refusal_of(reading)
        around = self._around(workspace or header["cwd"], Runtime(provider, model, reasoning_effort), ())
        return self._session(found, standing, header, reading.created_at, around)

    def location(self, path: StrPath) -> SessionLocation:
        """Return the path of a log, and its working folder, else the store's. Raises SessionError."""
        found = self._resolved(path)
        header = read_session(found).header
        if header is None or not header.get("id"):
            raise SessionError(f"{found}: no header says which session it is")
        return SessionLocation(found, header["cwd"] or self.cwd)

    def _around(
        self, workspace: StrPath | None, defaults: Runtime, read_paths: Iterable[str]
    ) -> Surroundings:
        folder = placement.expanded(workspace or self.cwd, self.cwd)
        return Surroundings(self._timestamp, self._mint, folder, defaults, tuple(read_paths))

    def _session(
        self,
        path: str,
        standing: Standing,
        header: Mapping[str, Any],
        created_at: datetime,
        around: Surroundings,
    ) -> Session:
        appender = Appender(path, standing, self._disk, fsync=self._fsync)
        return Session(appender, header, created_at, around)

    def _timestamp(self) -> str:
        return placement.stamp(self._clock())

    # The one used last

    @property
    def last_session_path(self) -> str:
        """The file that remembers which session was used last."""
        return os.path.join(self.session_dir, placement.LAST_SESSION_FILENAME)

    def remember_last_session(self, session: Session) -> None:
        """Remember that a session was used last. Raises SessionError, OSError."""
        last_session.remember(self.last_session_path, session.path, self._timestamp(), self._disk)

    def remembered_last_session_path(self) -> str | None:
        """Return the log of the session that was used last; None where it is not known, or gone."""
        return last_session.remembered(self.last_session_path)

    def delete_unused(self, session: Session) -> bool:
        """Remove a session's log if nothing was said, named or remembered in it, and all of it was read.

        Return whether it was removed. Raises OSError.
        """
        return session.delete_if_unused()
