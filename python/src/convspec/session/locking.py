"""The advisory lock that keeps writers of one log apart. Readers need none: a log only grows."""

from __future__ import annotations

import errno
import os
import sys

_NO_LOCKS = {errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOLCK, errno.EINVAL}

if sys.platform == "win32":  # pragma: no cover - not run in our own checks
    import msvcrt

    _FAR = 1 << 62  # a byte that no log has: locks keep others even from reading there

    def lock(descriptor: int) -> None:
        """Wait for the lock of an open file, and take it."""
        while True:
            os.lseek(descriptor, _FAR, os.SEEK_SET)
            try:
                return msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
            except OSError as error:  # it gives up after ten seconds
                if error.errno not in (errno.EACCES, errno.EDEADLK):
                    raise

    def unlock(descriptor: int) -> None:
        """Give the lock of an open file back."""
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    try:
        import fcntl
    except ImportError:  # pragma: no cover - the browser: one process, nobody to keep apart
        fcntl = None  # type: ignore[assignment]

    def lock(descriptor: int) -> None:
        """Wait for the lock of an open file, and take it. A file system without locks is no fault."""
        if fcntl is None:  # pragma: no cover
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise

    def unlock(descriptor: int) -> None:
        """Give the lock of an open file back; closing it would, too."""
        if fcntl is None:  # pragma: no cover
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
