"""The folder of a history: attachments stored beside the document.

Containment is tested on the name before any file is opened; then every step is taken inside the
folder, and nothing but a regular file is opened (history.md#stored, history.md#attachment-links).
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from dataclasses import dataclass
from functools import partial
from types import TracebackType

from convspec.media import HEAD
from convspec.regular import Inside, NotRegular

ATTACHMENTS = "attachments"
_CHUNK = 1 << 20
_ONE_NAME = re.compile(rf"{ATTACHMENTS}/(?!\.{{1,2}}\Z)(?![A-Za-z]:)([^/\\\0]+)")


@dataclass(frozen=True, slots=True)
class Stored:
    """The bytes of a stored attachment: how many, their SHA-256, the first few, and all where kept."""

    size: int
    sha256: str
    head: bytes
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there are no bytes: the rule, and the reason in words."""

    rule: str
    message: str


def stored_name(file: str) -> str | None:
    """Return the one name in `attachments/<name>`, or None where `file` is anything else."""
    match = _ONE_NAME.fullmatch(file)
    return match[1] if match else None


_NO_SUCH_NAME = Refusal("attachment-missing", "no file can have this name")
_IMPOSSIBLE_NAME = (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)


class Folder:
    """Reads stored attachments of one folder; each file once, however often it is referred to.

    `keep`: hold the bytes, so that what was judged is what is handed on.
    """

    def __init__(self, path: str, *, keep: bool = False) -> None:
        self._path = path
        self._keep = keep
        self._inside: Inside | Refusal | None = None
        self._read: dict[str, Stored | Refusal] = {}

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(self._inside, Inside):
            self._inside.close()

    def read(self, name: str) -> Stored | Refusal:
        """Return what the file `attachments/<name>` holds, or why it cannot be had."""
        if name not in self._read:
            self._read[name] = self._looked_up(name)
        return self._read[name]

    def kept(self) -> dict[str, bytes]:
        """Return the bytes of every file that was read, by `attachments/<name>`, where they are kept."""
        return {
            f"{ATTACHMENTS}/{name}": found.data
            for name, found in self._read.items()
            if isinstance(found, Stored) and found.data is not None
        }

    def names(self) -> list[str]:
        """Return the regular files in `attachments`; none where it is no folder or cannot be read."""
        inside = self._attachments()
        if isinstance(inside, Refusal):
            return []
        try:
            return inside.names()
        except OSError:
            return []

    def _looked_up(self, name: str) -> Stored | Refusal:
        inside = self._attachments()
        if isinstance(inside, Refusal):
            return inside
        if not name.isascii() and not _is_text(name):
            return _NO_SUCH_NAME
        try:
            descriptor = inside.open(name)
            with os.fdopen(descriptor, "rb") as file:
                digest, size, head = hashlib.sha256(), 0, b""
                kept: list[bytes] = []
                for chunk in iter(partial(file.read, _CHUNK), b""):
                    head = head or chunk[:HEAD]
                    digest.update(chunk)
                    size += len(chunk)
                    if self._keep:
                        kept.append(chunk)
        except OSError as error:
            return _refusal(error, "the file")
        return Stored(size, digest.hexdigest(), head, b"".join(kept) if self._keep else None)

    def _attachments(self) -> Inside | Refusal:
        if self._inside is None:
            try:
                folder = Inside.folder(self._path)
                try:
                    self._inside = folder.below(ATTACHMENTS)
                finally:
                    folder.close()
            except OSError as error:
                self._inside = _refusal(error, f"the folder {ATTACHMENTS}")
            except ValueError:  # a NUL or half a surrogate pair in the name the caller gave
                self._inside = Refusal("attachment-missing", "no folder can have the name that was given")
        return self._inside


def _refusal(error: OSError, what: str) -> Refusal:
    if isinstance(error, NotRegular):
        kind = "folder" if what != "the file" else "file"
        return Refusal("attachment-symlink", f"{what} is a link or no regular {kind}; it was not opened")
    if isinstance(error, FileNotFoundError) or error.errno in _IMPOSSIBLE_NAME:
        return Refusal("attachment-missing", f"{what} does not exist")
    reason = error.strerror or "input/output error"
    return Refusal("attachment-unreadable", f"{what} cannot be read: {reason}")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False
    return True
