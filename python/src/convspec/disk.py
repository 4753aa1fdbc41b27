"""The file operations that writing is made of. A test puts another disk in their place."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from typing import IO

from convspec.regular import NotRegular, open_regular

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_CHUNK = 1 << 20
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS, errno.EACCES}


class Disk:
    """The real one. Each method is one step, after any of which the machine may stop."""

    def make_folder(self, path: str, mode: int = 0o777) -> bool:
        """Make a folder where there is nothing; return whether it was made. Its parent must be there."""
        try:
            os.mkdir(path, mode)
        except FileExistsError:
            if not os.path.isdir(path):
                raise
            return False
        return True

    def is_folder(self, path: str) -> bool:
        """Return whether there is a folder, or a link to one."""
        return os.path.isdir(path)

    def is_link(self, path: str) -> bool:
        """Return whether a name is a link."""
        return os.path.islink(path)

    def mode(self, path: str) -> int | None:
        """Return the mode of a regular file, None where there is nothing. Raises NotRegular."""
        try:
            found = os.lstat(path).st_mode
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found):
            raise NotRegular(errno.EEXIST, "a link, or no regular file, is not written over", path)
        return stat.S_IMODE(found)

    def write(self, path: str, data: bytes, mode: int | None) -> None:
        """Write a new file, whole and down to the disk. `mode` is that of the file it will replace."""
        with created(path, mode) as file:
            file.write(data)
            lasting(file)

    def holds(self, path: str, data: bytes) -> bool:
        """Return whether a file that is there already holds exactly these bytes."""
        with os.fdopen(open_regular(path), "rb") as file:
            if os.fstat(file.fileno()).st_size != len(data):
                return False
            view = memoryview(data)
            return all(
                file.read(_CHUNK) == view[start : start + _CHUNK] for start in range(0, len(data), _CHUNK)
            )

    def replace(self, path: str, by: str) -> None:
        """Let the file `by` take the place of `path`, at once."""
        os.replace(by, path)

    def put(self, path: str, new: str) -> bool:
        """Give the file `new` the name `path` as well; return False where something has that name already."""
        try:
            os.link(new, path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if os.path.lexists(path):
                return False
            os.rename(new, path)  # a file system without links; the moment in between is all it costs
        return True

    def remove(self, path: str) -> None:
        """Remove a temporary file of our own; that it is gone already is no fault."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)

    def sync_folder(self, path: str) -> None:
        """Make the names in a folder last. Systems that cannot do that do it by themselves."""
        if not hasattr(os, "O_DIRECTORY"):
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(descriptor)


def created(path: str, mode: int | None) -> IO[bytes]:
    """Make a file that is not there yet, and open it to write. Without a mode it gets the usual one."""
    file = os.fdopen(os.open(path, _CREATE, 0o666 if mode is None else mode), "wb")
    if mode is not None:
        with contextlib.suppress(OSError, AttributeError):
            os.fchmod(file.fileno(), mode)
    return file


def lasting(file: IO[bytes]) -> None:
    """Bring what was written down to the disk."""
    file.flush()
    os.fsync(file.fileno())


def temporary(folder: str, name: str) -> str:
    """Return a new name in the same folder, hence on the same file system."""
    return os.path.join(folder, f".{name[:100]}.{secrets.token_hex(8)}.tmp")


@contextlib.contextmanager
def cleared(disk: Disk, path: str) -> Iterator[str]:
    """Remove a temporary file when done with it, whatever happened."""
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):
            disk.remove(path)


def put_new(path: str, data: bytes, mode: int | None, disk: Disk) -> bool:
    """Write a file that has its name once it is whole; return False where the name is taken."""
    with cleared(disk, temporary(os.path.dirname(path) or ".", os.path.basename(path))) as draft:
        disk.write(draft, data, mode)
        return disk.put(path, draft)


def put_in_place(path: str, data: bytes, mode: int | None, disk: Disk) -> None:
    """Write a file whole, in place of what has its name."""
    with cleared(disk, temporary(os.path.dirname(path) or ".", os.path.basename(path))) as draft:
        disk.write(draft, data, mode)
        disk.replace(path, draft)


def make_folders(folder: str, disk: Disk, mode: int = 0o777) -> None:
    """Make what is missing, and make it last; also what is there, for its maker may have been stopped."""
    missing = []
    while not disk.is_folder(folder):
        missing.append(folder)
        if os.path.dirname(folder) == folder:
            break
        folder = os.path.dirname(folder)
    with contextlib.suppress(PermissionError):  # we may not look into it, and so did not make what is there
        disk.sync_folder(os.path.dirname(folder))
    for path in reversed(missing):
        disk.make_folder(path, mode)
        disk.sync_folder(os.path.dirname(path))
