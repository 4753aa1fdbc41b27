"""Save a history into a folder so that a crash at any moment leaves the old value or the new one.

Attachments come first, history.json last: it is the commit point. Nothing is ever deleted, and no
attachment is written over.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from typing import Any

from convspec.disk import Disk, make_folders, put_in_place, put_new
from convspec.findings import Fault, Path
from convspec.history import encoding
from convspec.history.doors import refused, writable
from convspec.history.model import ATTACHMENTS_DIR, HISTORY_FILE, Attachment, Message
from convspec.history.sound import MESSAGES
from convspec.regular import NotRegular


def save(
    version: int,
    messages: Iterable[Message],
    extra: Mapping[str, Any],
    folder: str,
    disk: Disk,
) -> None:
    """Write the messages into `folder`, which is made where it is missing.

    Raises HistoryError for a value that could not be read again, or where a file with other bytes has the
    name of an attachment; OSError where the system refuses. Either way the old history stays.
    """
    messages = tuple(messages)
    text = writable(version, messages, encoding.stored, extra)
    folder = os.path.abspath(folder)
    target = os.path.join(folder, HISTORY_FILE)
    mode = disk.mode(target)
    if mode is None:
        make_folders(folder, disk)
    _save_attachments(messages, folder, disk)
    put_in_place(target, text.encode() + b"\n", mode, disk)
    disk.sync_folder(folder)


def _save_attachments(messages: Iterable[Message], folder: str, disk: Disk) -> None:
    wanted: dict[str, tuple[Attachment, Path]] = {}
    for index, message in enumerate(messages):
        for place, attachment in enumerate(message.attachments):
            path: Path = (MESSAGES, index, "attachments", place, "sha256")
            wanted.setdefault(attachment.stored_name, (attachment, path))
    if not wanted:
        return
    below = os.path.join(folder, ATTACHMENTS_DIR)
    if disk.is_link(below):
        raise NotRegular(errno.EEXIST, "readers follow no link; put a folder in its place", below)
    disk.make_folder(below)
    for name, (attachment, path) in wanted.items():
        _save_attachment(attachment, path, os.path.join(below, name), disk)
    disk.sync_folder(below)
    disk.sync_folder(folder)  # also where the folder was there: whoever made it may have been stopped


def _save_attachment(attachment: Attachment, path: Path, target: str, disk: Disk) -> None:
    if disk.mode(target) is None and put_new(target, attachment.bytes, None, disk):
        return
    if not disk.holds(target, attachment.bytes):
        message = "a file of this name is there already and holds other bytes: move it away, then save again"
        fault = Fault(
            "attachment-digest", message, path, target=f"{ATTACHMENTS_DIR}/{os.path.basename(target)}"
        )
        raise refused(fault, os.path.join(os.path.dirname(os.path.dirname(target)), HISTORY_FILE))
