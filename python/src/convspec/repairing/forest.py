"""Parents without cycles: which entry may be put under which, in near-linear time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Forest:
    """Entries by number, each with its parent's number or None; roots can be put below other entries."""

    def __init__(self, parents: Sequence[int | None]) -> None:
        self._up = list(parents)
        self._top: list[int] = list(range(len(parents)))
        for cut in list(self._cuts()):
            self._up[cut] = None
            self.cut.append(cut)
        for number, parent in enumerate(self._up):
            if parent is not None:
                self._top[number] = parent

    cut: list[int]
    """The first member of each cycle: it was made a root."""

    def _cuts(self) -> Iterator[int]:
        """Yield of each cycle the member that comes first. Each entry is walked once."""
        self.cut = []
        walked: list[int] = [-1] * len(self._up)
        for start in range(len(self._up)):
            path: list[int] = []
            at: int | None = start
            while at is not None and walked[at] < 0:
                walked[at] = start
                path.append(at)
                at = self._up[at]
            if at is not None and walked[at] == start:
                yield min(path[path.index(at) :])

    def attach(self, root: int, below: int) -> bool:
        """Put a root below another entry; return False where that would close a cycle."""
        if self._root(below) == root:
            return False
        self._top[root] = below
        return True

    def _root(self, number: int) -> int:
        path = []
        while self._top[number] != number:
            path.append(number)
            number = self._top[number]
        for passed in path:
            self._top[passed] = number
        return number
