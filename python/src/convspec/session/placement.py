"""Where logs are kept and how they are called: one folder for each working folder, one name for each log."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime

LAST_SESSION_FILENAME = "last_session.json"
SESSIONS = "sessions"
SUFFIX = ".jsonl"
CONFIG_PATH = "KWARD_CONFIG_PATH"

_SEPARATOR = re.compile(r"[/\\:]")


def default_config_dir() -> str:
    """Return `~/.kward`, or the folder of the file that KWARD_CONFIG_PATH names."""
    named = os.environ.get(CONFIG_PATH)
    if named:
        return os.path.dirname(os.path.abspath(os.path.expanduser(named)))
    return os.path.join(os.path.expanduser("~"), ".kward")


def safe_cwd(cwd: str | os.PathLike[str]) -> str:
    """Return the name of the folder for the sessions of a working folder.

    Two working folders may share one: `/a/b` and `/a-b` both give `--a-b--`.
    """
    whole = expanded(cwd)
    return f"--{_SEPARATOR.sub('-', whole[1:] if whole[:1] in ('/', chr(92)) else whole)}--"


def expanded(path: str | os.PathLike[str], within: str | None = None) -> str:
    """Return an absolute path; `~` is the home folder, links stay."""
    spelled = os.path.expanduser(os.fsdecode(path))
    return os.path.abspath(spelled if within is None else os.path.join(within, spelled))


def stamp(moment: datetime) -> str:
    """Return an instant as writers write it: UTC, milliseconds, the rest cut off (session.md#timestamps)."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def file_name(timestamp: str, id: str) -> str:
    """Return the name of a log by its header (session.md#header-name)."""
    return f"{timestamp.replace(':', '-')}_{id}{SUFFIX}"
