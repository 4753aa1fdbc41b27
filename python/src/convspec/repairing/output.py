"""Files that are written whole or not at all, and never over another.

All are drafts beside their place until each is down on the disk. Then each gets its name, the repaired file
last: where that stands, everything that belongs to it does.
"""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO

from convspec.disk import Disk, created, lasting, temporary

_PRIVATE = 0o600


@dataclass(slots=True)
class _Draft:
    path: str
    target: str
    file: IO[bytes] | None
    last: bool


@dataclass(slots=True)
class Drafts:
    """The drafts of one repair. Those that were not published are removed at the end."""

    mode: int = _PRIVATE
    """The mode of new files: that of the damaged one, so that what was private stays so."""
    disk: Disk = field(default_factory=Disk)
    _drafts: list[_Draft] = field(default_factory=list)

    def __enter__(self) -> Drafts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.forget()

    def forget(self) -> None:
        """Remove the drafts."""
        for draft in self._drafts:
            if draft.file is not None:
                draft.file.close()
            if os.path.isdir(draft.path) and not os.path.islink(draft.path):
                shutil.rmtree(draft.path, ignore_errors=True)
            else:
                with suppress(OSError):
                    self.disk.remove(draft.path)
        self._drafts.clear()

    def file(self, target: str, *, last: bool = False) -> tuple[str, IO[bytes]]:
        """Begin a file; return where its draft is, and the file. `last` is named last. Raises OSError."""
        path = temporary(os.path.dirname(target) or ".", os.path.basename(target))
        file = created(path, self.mode)
        self._drafts.append(_Draft(path, target, file, last))
        return path, file

    def folder(self, target: str) -> str:
        """Begin a folder, which is named last; return where its draft is. Raises OSError."""
        path = temporary(os.path.dirname(target) or ".", os.path.basename(target))
        self.below(path)
        self._drafts.append(_Draft(path, target, None, True))
        return path

    def below(self, path: str) -> None:
        """Make a folder that who may read the file may enter. Raises OSError."""
        os.mkdir(path, self.mode | (self.mode & 0o444) >> 2 | 0o700)

    def inside(self, path: str, data: IO[bytes]) -> None:
        """Write a file of a folder that is a draft. Raises OSError."""
        with created(path, self.mode) as file:
            shutil.copyfileobj(data, file, 1 << 20)
            lasting(file)

    def ended(self) -> None:
        """Bring the drafts down to the disk. Raises OSError."""
        for draft in self._drafts:
            if draft.file is not None:
                lasting(draft.file)
                draft.file.close()
                draft.file = None

    def published(self) -> None:
        """Give every draft its name, the last one last. A file in which nothing is gets none.

        Raises OSError, and FileExistsError where something has a name already; then none is published.
        """
        self.ended()
        done: list[_Draft] = []
        try:
            for draft in sorted(self._drafts, key=lambda draft: draft.last):
                if not (draft.last or os.path.getsize(draft.path)):
                    continue
                self._name(draft)
                done.append(draft)
                self.disk.sync_folder(os.path.dirname(draft.target) or ".")
        except OSError:
            for draft in done:
                with suppress(OSError):
                    self.disk.remove(draft.target)
            raise

    def _name(self, draft: _Draft) -> None:
        if os.path.isdir(draft.path):
            self.disk.sync_folder(draft.path)
            if os.path.lexists(draft.target):
                raise FileExistsError(errno.EEXIST, "it is there already", draft.target)
            os.rename(draft.path, draft.target)
        elif not self.disk.put(draft.target, draft.path):
            raise FileExistsError(errno.EEXIST, "it is there already", draft.target)
