"""The file that remembers which session was used last. It is a hint: what is wrong with it means nothing."""

from __future__ import annotations

import json
import os

from convspec.disk import make_folders, put_in_place
from convspec.regular import open_regular
from convspec.session.creating import FILE_MODE, FOLDER_MODE
from convspec.session.errors import SessionError
from convspec.session.log_disk import LogDisk
from convspec.text.strict_json import parse

_LONGEST = 1 << 16  # bytes; a path is far shorter


def remember(pointer: str, path: str, timestamp: str, disk: LogDisk) -> None:
    """Write which log was used last, in place of what was there, at once. Raises OSError, SessionError."""
    text = json.dumps({"path": path, "timestamp": timestamp}, indent=2, ensure_ascii=False)
    try:
        data = text.encode() + b"\n"
    except UnicodeEncodeError as error:
        raise SessionError(f"{path!a}: a path that is no text cannot be remembered") from error
    folder = os.path.dirname(pointer)
    make_folders(folder, disk, FOLDER_MODE)
    put_in_place(pointer, data, FILE_MODE, disk)
    disk.sync_folder(folder)


def remembered(pointer: str) -> str | None:
    """Return the path of the log that was used last; None where that is not known, or the log is gone."""
    try:
        with os.fdopen(open_regular(pointer), "rb") as file:
            data = file.read(_LONGEST)
    except OSError:
        return None
    value = parse(data).value
    path = value.get("path") if isinstance(value, dict) else None
    return path if isinstance(path, str) and os.path.isfile(path) else None
