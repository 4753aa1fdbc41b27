"""The rules of the attachments layer. Per attachment the first that holds ends it.

The order is: form, path, needs-folder, symlink, missing, unreadable, digest, base64, empty, media.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from convspec import media
from convspec.findings import Fault, Path
from convspec.history.folder import ATTACHMENTS, Folder, Refusal, stored_name
from convspec.history.sound import Sound

_BAD_NAME = re.compile("[/\\\\\0-\x1f\x7f-\x9f]")


@dataclass(slots=True)
class Attachments:
    """Checks the attachments of one history; `sizes` then holds the bytes of each that was read."""

    history: Sound
    folder: Folder | None
    count: int = 0
    sizes: dict[Path, int] = field(default_factory=dict)
    _referred: set[str] = field(default_factory=set)

    def faults(self) -> Iterator[Fault]:
        """Yield every fault of the layer (history.md, section 6)."""
        for path, attachment in self.history.attachments():
            self.count += 1
            yield from islice(self._in_order(path, attachment), 1)
            yield from self._filename(path, attachment)
        if self.folder is not None and not self.history.names_lost():
            yield from self._unreferenced(self.folder)

    def _in_order(self, path: Path, attachment: dict[str, Any]) -> Iterator[Fault]:
        """Yield the faults of one attachment; the caller takes the first."""
        data, file = attachment.get("data"), attachment.get("file") or None
        digest = attachment.get("sha256")
        if file is not None and isinstance(file, str):
            self._referred.add(file)
        data_read = not self.history.is_bad(*path, "data")
        file_read = not self.history.is_bad(*path, "file")
        digest_read = not self.history.is_bad(*path, "sha256")
        if data_read and file_read and (data is None) == (file is None):
            yield _form("both" if file else "neither", path)
        if file_read and digest_read and file is not None and digest is None:
            yield Fault("attachment-form", 'it has "file" without "sha256"', path)
        if file_read and file is not None:
            yield from self._stored(path, attachment, file, digest if digest_read else None)
        if data_read and data is not None:
            yield from self._inline(path, attachment, data)

    def _stored(
        self, path: Path, attachment: dict[str, Any], file: str, digest: str | None
    ) -> Iterator[Fault]:
        place = (*path, "file")
        name = stored_name(file)
        if name is None:
            yield Fault(
                "attachment-path", f'"file" is not {ATTACHMENTS}/ and one name; it was not opened', place
            )
            return
        if self.folder is None:
            yield Fault(
                "attachment-needs-folder", "the document came without the folder it is stored in", place
            )
            return
        found = self.folder.read(name)
        if isinstance(found, Refusal):
            yield Fault(found.rule, found.message, place, target=file)
            return
        if digest is not None and digest != found.sha256:
            message = "the bytes do not have the recorded SHA-256: they changed, or are others"
            yield Fault("attachment-digest", message, (*path, "sha256"), target=file)
        self.sizes[path] = found.size
        yield from self._content(attachment, place, found.size, found.head)

    def _inline(self, path: Path, attachment: dict[str, Any], data: str) -> Iterator[Fault]:
        read = media.read_base64(data)
        if isinstance(read, str):
            yield Fault("attachment-base64", f"not strict base64: {read}", (*path, "data"))
            return
        self.sizes[path] = read.size
        yield from self._content(attachment, (*path, "data"), read.size, read.head)

    def _content(self, attachment: dict[str, Any], place: Path, size: int, head: bytes) -> Iterator[Fault]:
        if size == 0:
            yield Fault("attachment-empty", "the attachment has no bytes", place)
        path = place[:-1]
        declared = self.history.text(attachment, "mime", *path)
        actual = media.mismatch(declared, head) if declared else None
        if actual:
            yield Fault("attachment-media-mismatch", f"the bytes are {actual}", (*path, "mime"))

    def _filename(self, path: Path, attachment: dict[str, Any]) -> Iterator[Fault]:
        name = self.history.text(attachment, "filename", *path)
        if name is not None and (name == "" or _BAD_NAME.search(name)):
            what = "holds a separator or a control character" if name else "is empty"
            yield Fault("attachment-filename", f'"filename" {what}', (*path, "filename"))

    def _unreferenced(self, folder: Folder) -> Iterator[Fault]:
        for name in folder.names():
            target = f"{ATTACHMENTS}/{name}"
            if target not in self._referred:
                yield Fault("attachment-unreferenced", "no message refers to this file", target=target)


def _form(which: str, path: Path) -> Fault:
    words = {
        "both": 'it has both "data" and "file"; only one may be there',
        "neither": 'it has neither "data" nor "file", so no bytes',
    }
    return Fault("attachment-form", words[which], path)
