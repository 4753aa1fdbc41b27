"""Lists of sessions. The newest are found by the ends of their logs, and only they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from operator import attrgetter

from convspec.session.activity import last_activity
from convspec.session.placement import SESSIONS, SUFFIX
from convspec.session.session_info import SessionInfo, changed_at, summary_of, unreadable


def logs_in(folder: str) -> Iterator[str]:
    """Yield whatever in a folder has a log's name. A folder that is not there has none. Raises OSError."""
    try:
        with os.scandir(folder) as entries:
            names = [
                one.name for one in entries if one.name.endswith(SUFFIX) and not one.name.startswith(".")
            ]
    except FileNotFoundError:
        return
    yield from (os.path.join(folder, name) for name in sorted(names, reverse=True))


def all_logs(config_dir: str) -> Iterator[str]:
    """Yield the logs of all working folders. Links to folders are not followed. Raises OSError."""
    sessions = os.path.join(config_dir, SESSIONS)
    try:
        with os.scandir(sessions) as entries:
            folders = [one.path for one in entries if one.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return
    for folder in sorted(folders):
        yield from logs_in(folder)


def newest(paths: Iterable[str], limit: int | None, keep_empty: Iterable[str] = ()) -> list[SessionInfo]:
    """Return up to `limit` sessions, the one used last first; None means all.

    Unused ones are left out, but for those of `keep_empty`. What cannot be read is listed with its problem.
    """
    kept = {os.path.abspath(path) for path in keep_empty}
    found: list[SessionInfo] = []
    for _, path in sorted(((_order(path), path) for path in paths), reverse=True):
        if limit is not None and len(found) >= limit:
            break
        one = _summary(path)
        if not one.is_unused or os.path.abspath(path) in kept:
            found.append(one)
    return sorted(found, key=attrgetter("modified_at"), reverse=True)


def _summary(path: str) -> SessionInfo:
    if os.path.islink(path):
        return unreadable(path, "a link, which is not followed")
    return summary_of(path)


def _order(path: str) -> datetime:
    try:
        if not os.path.islink(path):
            return last_activity(path)
    except OSError:
        pass
    return changed_at(path)
