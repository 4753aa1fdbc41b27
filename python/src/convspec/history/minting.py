"""Ids for messages: short, unique, and sorted by the time they were made."""

from __future__ import annotations

import secrets
import threading
import time

_WRAP = 0x10000


class _Counter:
    """Counts the ids of a process, from 0 to 65535 and round again. Safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0

    def draw(self) -> tuple[int, int]:
        """Return milliseconds since 1970 and a number, such that both together rise from draw to draw."""
        with self._lock:
            number, self._next = self._next, (self._next + 1) % _WRAP
            return time.time_ns() // 1_000_000, number


_counter = _Counter()


def mint_id() -> str:
    """Return 22 lower-case hexadecimal digits: 12 of the time, 4 of a counter, 6 by chance.

    Ids of one process sort in the order in which they were made, except where the clock is set back, or
    the counter begins again within a millisecond. The order of messages is that of their list, never that
    of their ids (history.md#order).
    """
    milliseconds, number = _counter.draw()
    return f"{milliseconds:012x}{number:04x}{secrets.token_hex(3)}"
