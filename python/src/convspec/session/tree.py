"""The tree of a log: entries, parents, cycles, what is whole, the leaf, the active branch.

Every walk is a loop over tables; nothing recurses on the depth of the tree, and cycles end.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from convspec.session.log import Log
from convspec.session.records import Entry, Leaf


class Parent(Enum):
    """What a parentId leads to."""

    ROOT = "root"
    ENTRY = "entry"
    MISSING = "missing"
    KIND = "kind"
    UNJUDGED = "unjudged"


class Tree:
    """The tree records of a version 2 (or mixed) log, with the first record of each id as its entry."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.first: dict[str, Entry] = {}
        self.last: dict[str, Entry] = {}
        self.repeated: set[str] = set()
        before: Entry | None = None
        for entry in log.entries():
            if log.mixed and entry.virtual:
                entry.parent = None if before is None else before.id
            before = entry
            if log.mixed and entry.message_id is None:
                entry.message_id = entry.id
            if entry.id in self.first:
                self.repeated.add(entry.id)
                entry.first = False
            self.first.setdefault(entry.id, entry)
            self.last[entry.id] = entry
        self.cycles = list(self._find_cycles())
        self.in_cycle = {entry.id for cycle in self.cycles for entry in cycle}
        self.whole = self._find_whole()

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in file order: the first record of each id."""
        return iter(self.first.values())

    def kind(self, id: str | None) -> Parent:
        """Say what an id that a record refers to is."""
        if id is None:
            return Parent.ROOT
        if id in self.first:
            return Parent.ENTRY
        if id == "" or id in self.log.names.unknown:
            return Parent.UNJUDGED
        if id in self.log.names.known:
            return Parent.KIND
        return Parent.UNJUDGED if self.log.gaps else Parent.MISSING

    def _find_cycles(self) -> Iterator[list[Entry]]:
        """Yield each cycle once, its members in the order of parents. Each entry is walked once."""
        state: dict[str, int] = {}
        for number, start in enumerate(self.first.values()):
            path: list[Entry] = []
            at: Entry | None = start
            while at is not None and at.id not in state:
                state[at.id] = number
                path.append(at)
                at = self.first.get(at.parent) if at.parent is not None else None
            if at is not None and state[at.id] == number:
                yield path[path.index(at) :]

    def _find_whole(self) -> set[str]:
        """Return the ids that are reached from a root without passing a repeated id or a cycle."""
        known: dict[str, bool] = dict.fromkeys(self.in_cycle, False)
        for start in self.first.values():
            path: list[Entry] = []
            at: Entry | None = start
            while at is not None and at.id not in known:
                path.append(at)
                at = self.first.get(at.parent) if at.parent is not None else None
            sound = known[at.id] if at is not None else path[-1].parent is None if path else True
            for entry in reversed(path):
                sound = sound and entry.id not in self.repeated
                known[entry.id] = sound
        return {id for id, sound in known.items() if sound}

    def children(self) -> tuple[list[Entry], dict[str, list[Entry]]]:
        """Return the whole roots, and the whole children of each entry, both in file order."""
        roots: list[Entry] = []
        below: dict[str, list[Entry]] = {}
        for entry in self.first.values():
            if entry.id in self.whole:
                (roots if entry.parent is None else below.setdefault(entry.parent, [])).append(entry)
        return roots, below

    def walk(self) -> Iterator[tuple[Entry, bool]]:
        """Yield each whole entry on entering it (False) and on leaving it (True), children in file order."""
        roots, below = self.children()
        work = [(root, False) for root in reversed(roots)]
        while work:
            entry, left = work.pop()
            yield entry, left
            if not left:
                work.append((entry, True))
                work.extend((child, False) for child in reversed(below.get(entry.id, ())))


def leaf_of(log: Log) -> str | None:
    """Return the id that the last tree or leaf record sets, as it stands (session.md#reading-leaf)."""
    for event in reversed(log.events):
        if isinstance(event, Leaf):
            return event.target or None
        if isinstance(event, Entry):
            return event.id
    return None


def branch_of(log: Log, tree: Tree | None) -> list[Entry]:
    """Return the active branch, root first (session.md#reading-branch)."""
    return list(log.entries()) if tree is None else path_to(tree, leaf_of(log))


def path_to(tree: Tree, id: str | None) -> list[Entry]:
    """Return the entries that lead to one, root first; of records with one id the last."""
    branch: list[Entry] = []
    seen: set[str] = set()
    while id is not None and id not in seen and id in tree.last:
        seen.add(id)
        branch.append(tree.last[id])
        id = tree.last[id].parent
    branch.reverse()
    return branch
