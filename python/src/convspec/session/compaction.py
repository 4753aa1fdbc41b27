"""What is restored along a path: messages, and summaries in place of those before (session.md#compaction).

The context is a stack of summaries, newest first, then the messages from an offset on. (`_lowest` holds
for each level of the stack the lowest one up to it that is a compaction summary.) Going back to
an earlier state costs as little as going on, so a tree is walked in linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from convspec.session.records import Entry

SUMMARY = "compactionSummary"
_PLACE = re.compile("message:(0|[1-9][0-9]*)")


@dataclass(slots=True)
class Context:
    """The messages restored so far along one path, system messages left out.

    One that `remembers` can go back to an earlier state.
    """

    remembers: bool = False
    messages: list[Entry] = field(default_factory=list)
    offset: int = 0
    _stack: list[Entry] = field(default_factory=list)
    _height: int = 0
    _places: dict[str, list[int]] = field(default_factory=dict)
    _levels: dict[str, list[int]] = field(default_factory=dict)
    _summaries: list[int] = field(default_factory=list)
    _lowest: list[int] = field(default_factory=list)
    _undo: list[Callable[[], object] | None] = field(default_factory=list)

    def state(self) -> int:
        """Return what `restore` goes back to."""
        return len(self._undo)

    def restore(self, state: int) -> None:
        """Forget what was taken since."""
        while len(self._undo) > state:
            undo = self._undo.pop()
            if undo is None:
                self._take_back()
            else:
                undo()

    def _remember(self, undo: Callable[[], object] | None) -> None:
        if self.remembers:
            self._undo.append(undo)

    def restored(self) -> list[Entry]:
        """Return the context: summaries, newest first, then messages."""
        return [*reversed(self._stack[: self._height]), *self.messages[self.offset :]]

    def add(self, entry: Entry) -> None:
        """Take a message."""
        place = len(self.messages)
        self.messages.append(entry)
        if entry.message_id is not None:
            self._places.setdefault(entry.message_id, []).append(place)
        if entry.role == SUMMARY:
            self._summaries.append(place)
        self._remember(None)  # most steps are messages: no object for each

    def _take_back(self) -> None:
        """Undo the last `add`."""
        entry = self.messages.pop()
        if entry.message_id is not None:
            self._places[entry.message_id].pop()
        if entry.role == SUMMARY:
            self._summaries.pop()

    def compact(self, entry: Entry) -> bool:
        """Take a compaction; return False where it names something to keep that is not there."""
        kept = entry.kept.value if entry.kept else None
        found = None if kept is None else self._find(kept)
        self._remember(partial(self._back_to, self._height, self.offset))
        if found is not None and found < self._height:
            self._push(self._height - found, entry)
            return True
        self.offset = len(self.messages) if found is None else self.offset + found - self._height
        self._push(0, entry)
        return kept is None or found is not None

    def _back_to(self, height: int, offset: int) -> None:
        self._height, self.offset = height, offset

    def _push(self, level: int, entry: Entry) -> None:
        """Put a summary at a level; the levels above it are out of use."""
        lowest = self._lowest[level - 1] if level else -1
        if lowest < 0 and entry.role == SUMMARY:
            lowest = level
        if level < len(self._stack):
            old = self._stack[level]
            self._unlist(level, old)
            self._remember(partial(self._put_back, level, old, self._lowest[level]))
            self._stack[level], self._lowest[level] = entry, lowest
        else:
            self._stack.append(entry)
            self._lowest.append(lowest)
            self._remember(self._drop)
        self._list(level, entry)
        self._height = level + 1

    def _put_back(self, level: int, old: Entry, lowest: int) -> None:
        self._unlist(level, self._stack[level])
        self._stack[level], self._lowest[level] = old, lowest
        self._list(level, old)

    def _drop(self) -> None:
        self._unlist(len(self._stack) - 1, self._stack[-1])
        self._stack.pop()
        self._lowest.pop()

    def _list(self, level: int, entry: Entry) -> None:
        if entry.message_id is not None:
            insort(self._levels.setdefault(entry.message_id, []), level)

    def _unlist(self, level: int, entry: Entry) -> None:
        if entry.message_id is not None:
            _take_out(self._levels[entry.message_id], level)

    # Finding what is kept: an index into the context

    def _find(self, kept: str) -> int | None:
        begin = self._last_summary()
        found = self._search(kept, begin) if begin is not None else None
        return found if found is not None else self._search(kept, 0)

    def _length(self) -> int:
        return self._height + len(self.messages) - self.offset

    def _last_summary(self) -> int | None:
        """Return the index of the last compaction summary in the context."""
        if self._summaries and self._summaries[-1] >= self.offset:
            return self._height + self._summaries[-1] - self.offset
        lowest = self._lowest[self._height - 1] if self._height else -1
        return self._height - 1 - lowest if lowest >= 0 else None

    def _search(self, kept: str, begin: int) -> int | None:
        """Return the smallest index from `begin` on that has the id, or is the place, that is kept."""
        candidates = []
        levels = self._levels.get(kept, [])
        at = bisect_right(levels, self._height - 1 - begin) - 1
        if at >= 0:
            candidates.append(self._height - 1 - levels[at])
        places = self._places.get(kept, [])
        at = bisect_left(places, self.offset + max(0, begin - self._height))
        if at < len(places):
            candidates.append(self._height + places[at] - self.offset)
        match = _PLACE.fullmatch(kept)
        if match and len(match[1]) < 19 and begin + int(match[1]) < self._length():
            candidates.append(begin + int(match[1]))
        return min(candidates, default=None)


def _take_out(levels: list[int], level: int) -> None:
    del levels[bisect_left(levels, level)]


def take(context: Context, entry: Entry) -> bool:
    """Take any entry of a path; return False for a compaction that names what is not there."""
    if entry.type == "compaction":
        return context.compact(entry) if entry.kept is not None and entry.role is not None else True
    if entry.role is not None and entry.role != "system":
        context.add(entry)
    return True
