"""The tree of a session, drawn so that it stays narrow however deep it is.

Entries that follow each other stand below each other. Where a branch goes off, it is moved to the right;
the active branch goes straight on, or else the child with the most below it. So a line is moved at most as
often as the number of entries can be halved, and the drawing is nearly as short as the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from convspec.reporters.columns import columns, cut
from convspec.reporters.words import printable
from convspec.session.view import SessionEntry, SessionReading, TreeNode

_LONGEST_LABEL = 40
_SHORTEST_ID = 16


def tree_lines(session: SessionReading, width: int) -> Iterator[str]:
    """Yield the drawing: `*` marks the active branch, `[…]` a label."""
    active = {entry.id for entry in session.branch()}
    leaf = session.branch()[-1].id if active else None
    known = {entry.id for entry in session.entries}
    roots = session.tree()
    sizes = _sizes(roots)
    for place, root in enumerate(roots):
        if place:
            yield ""
        work: list[tuple[TreeNode, str, str]] = [(root, "", "")]
        while work:
            node, lead, below = work.pop()
            entry = node.entry
            notes = [f"[{cut(printable(entry.label), _LONGEST_LABEL)}]"] if entry.label else []
            notes += ["<- leaf"] if entry.id == leaf else []
            notes += [_why(entry, known)] if node is root and entry.parent_id else []
            yield _line(entry, lead, notes, width, active=entry.id in active)
            if not node.children:
                continue
            straight = max(
                reversed(node.children), key=lambda child: (child.entry.id in active, sizes[child.entry.id])
            )
            work.append((straight, below, below))
            aside = [child for child in node.children if child is not straight]
            work += [(child, f"{below}├─ ", f"{below}│  ") for child in reversed(aside)]


def tree_parents(session: SessionReading) -> dict[str, str]:
    """Return the parent of each entry that has one in the tree: no way from parent to parent goes round."""
    found: dict[str, str] = {}
    work = list(session.tree())
    while work:
        node = work.pop()
        found |= {child.entry.id: node.entry.id for child in node.children}
        work += node.children
    return found


def _sizes(roots: Sequence[TreeNode]) -> dict[str, int]:
    """Return how many entries each entry stands for: itself, and all below it."""
    order: list[TreeNode] = []
    work = list(roots)
    while work:
        node = work.pop()
        order.append(node)
        work += node.children
    sizes: dict[str, int] = {}
    for node in reversed(order):
        sizes[node.entry.id] = 1 + sum(sizes[child.entry.id] for child in node.children)
    return sizes


def _why(entry: SessionEntry, known: set[str]) -> str:
    """Say why an entry with a parent is a root all the same."""
    return "(parents in a circle)" if entry.parent_id in known else "(its parent is not in the log)"


def _line(entry: SessionEntry, lead: str, notes: Sequence[str], width: int, *, active: bool) -> str:
    kind = "compaction" if entry.type == "compaction" else cut(printable(entry.role or entry.type), 24)
    tail = " ".join((kind, *notes))
    begin = f"{lead}{'*' if active else 'o'} "
    room = max(_SHORTEST_ID, width - len(begin) - columns(tail) - 1)
    return f"{begin}{cut(printable(entry.id), room)} {tail}"
