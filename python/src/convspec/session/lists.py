"""Lists of the sessions in a configuration folder. Nothing here writes or removes a file."""

from __future__ import annotations

import os
from collections.abc import Iterable

from convspec.session import listing, placement
from convspec.session.session_info import SessionInfo, as_tree

StrPath = str | os.PathLike[str]


class SessionLists:
    """The logs of one working folder, and of all, in one configuration folder."""

    safe_cwd = staticmethod(placement.safe_cwd)

    def __init__(self, config_dir: StrPath | None, cwd: StrPath | None) -> None:
        self.config_dir = placement.expanded(config_dir or placement.default_config_dir())
        self.cwd = placement.expanded(cwd or os.getcwd())

    @property
    def session_dir(self) -> str:
        """The folder of the logs of this working folder. It is made with the first of them."""
        return os.path.join(self.config_dir, placement.SESSIONS, self.safe_cwd(self.cwd))

    def _resolved(self, path: StrPath) -> str:
        return placement.expanded(path, self.cwd)

    def recent(self, limit: int | None = 20, keep_empty: Iterable[StrPath] = ()) -> list[SessionInfo]:
        """Return the sessions of this working folder, the one used last first; a limit of None means all.

        Unused ones are left out, but for those whose paths `keep_empty` gives. Nothing is removed, and what
        cannot be read is listed with its `problem`. Raises OSError where the folder cannot be read.
        """
        paths = listing.logs_in(self.session_dir)
        return listing.newest(paths, limit, map(self._resolved, keep_empty))

    def recent_tree(self, limit: int | None = 20, keep_empty: Iterable[StrPath] = ()) -> list[SessionInfo]:
        """Return the same with copies below what they were copied from."""
        return as_tree(self.recent(limit, keep_empty))

    def all_sessions(self, limit: int | None = None) -> list[SessionInfo]:
        """Return the sessions of every working folder, as `recent` does."""
        return listing.newest(listing.all_logs(self.config_dir), limit)

    def capture_candidates(self) -> list[SessionInfo]:
        """Return those of `all_sessions` that can be read and have messages to go on from."""
        return [one for one in self.all_sessions() if one.message_count]
