"""The rules on the tree of a log (session.md, section 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from convspec.findings import Fault, Mention
from convspec.pointers import quoted
from convspec.session.log import Gap
from convspec.session.records import Entry, Leaf
from convspec.session.tree import Parent, Tree

_UNKNOWN = object()


def repeated_ids(tree: Tree) -> Iterator[Fault]:
    """No two entries have one id (session.md#entry-ids)."""
    for entry in tree.log.entries():
        if not entry.first and not entry.virtual:
            first = tree.first[entry.id]
            yield Fault(
                "entry-id-duplicate",
                f"the entry on line {first.spot.line} has this id already",
                ("id",),
                spot=entry.spot,
                record_id=entry.id,
                related=(Mention(("id",), "first used here", spot=first.spot),),
            )


def cycles(tree: Tree) -> Iterator[Fault]:
    """Following parents ends at a root (session.md#cycles)."""
    for cycle in tree.cycles:
        first = min(cycle, key=lambda entry: entry.order)
        others = [entry for entry in cycle if entry is not first]
        count = (
            f"{len(cycle)} entries are each other's ancestors" if others else "the entry is its own parent"
        )
        yield Fault(
            "parent-cycle",
            count,
            ("parentId",),
            spot=first.spot,
            record_id=first.id,
            related=tuple(Mention(("parentId",), "in the cycle", spot=entry.spot) for entry in others),
        )


def references(tree: Tree) -> Iterator[Fault]:
    """Parents and leaf targets are entries; each wrong id is told once (session.md#parents)."""
    found: dict[str, Fault] = {}
    more: dict[str, list[Mention]] = {}
    for event in tree.log.events:
        if isinstance(event, Entry) and event.first and event.parent_sound and not event.virtual:
            id, path, rules = event.parent, ("parentId",), ("parent-missing", "parent-kind")
        elif isinstance(event, Leaf) and event.sound:
            id, path, rules = event.target, ("targetId",), ("leaf-target-missing", "leaf-target-kind")
        else:
            continue
        kind = tree.kind(id)
        if id is None or kind not in (Parent.MISSING, Parent.KIND):
            continue
        if id in found:
            more.setdefault(id, []).append(Mention(path, "also named here", spot=event.spot))
            continue
        name = quoted(id, "this id")
        message = (
            f"no record has the id {name}" if kind is Parent.MISSING else f"{name} is no entry of the tree"
        )
        record_id = event.id if isinstance(event, Entry) else None
        found[id] = Fault(rules[kind is Parent.KIND], message, path, spot=event.spot, record_id=record_id)
    for id, fault in found.items():
        yield _with_more(fault, more.get(id, []))


def _with_more(fault: Fault, mentions: list[Mention]) -> Fault:
    return replace(fault, related=tuple(mentions)) if mentions else fault


def leaf_in_force(tree: Tree) -> Iterator[Fault]:
    """New entries follow the leaf in force (session.md#leaf, session.md#concurrent, session.md#roots)."""
    leaf: object = None
    last_leaf: Leaf | None = None
    for event in tree.log.events:
        if isinstance(event, Gap):
            leaf, last_leaf = _UNKNOWN, None
        elif isinstance(event, Leaf):
            known = event.target is None or event.target in tree.first
            sound = event.sound or event.target is None  # a target that is missing is none
            leaf, last_leaf = (event.target if known and sound else _UNKNOWN), event
        else:
            if event.first and event.type != "branch_summary" and leaf is not _UNKNOWN:
                yield from _appended(tree, event, leaf)
            leaf, last_leaf = event.id, None
    if leaf is None and last_leaf is not None and last_leaf.sound and tree.first:
        message = "the log ends with no entry in force: it is restored as an empty conversation"
        yield Fault("leaf-empty", message, ("targetId",), spot=last_leaf.spot)


def _appended(tree: Tree, entry: Entry, leaf: object) -> Iterator[Fault]:
    if entry.id in tree.in_cycle or not entry.parent_sound or entry.virtual:
        return
    if entry.parent is None:
        if leaf is not None:
            message = "a further root, which no null leaf announced"
            yield Fault(
                "tree-extra-root", message, entry.parent_path or (), spot=entry.spot, record_id=entry.id
            )
        return
    parent = tree.first.get(entry.parent)
    if parent is None or entry.parent == leaf:
        return
    if parent.order < entry.order:
        message = "the parent is not the entry in force here: two writers, or a leaf record was lost"
        yield Fault("tree-concurrent-append", message, ("parentId",), spot=entry.spot, record_id=entry.id)


def order(tree: Tree) -> Iterator[Fault]:
    """A parent stands before its children, and is no younger (session.md#parent-order)."""
    for entry in tree.entries():
        parent = tree.first.get(entry.parent) if entry.parent is not None else None
        if parent is None or entry.id in tree.in_cycle or not entry.parent_sound:
            continue
        if parent.order > entry.order:
            message = f"the parent stands later, on line {parent.spot.line}"
            yield Fault("parent-later", message, ("parentId",), spot=entry.spot, record_id=entry.id)
        if entry.time is not None and parent.time is not None and entry.time < parent.time:
            message = f"the entry is older than its parent on line {parent.spot.line}"
            yield Fault("timestamp-order", message, ("timestamp",), spot=entry.spot, record_id=entry.id)


def labels(tree: Tree) -> Iterator[Fault]:
    """Labels and summaries name what is there (session.md#labels)."""
    log = tree.log
    if log.gaps:
        return
    named = {entry.parent for entry in tree.entries()}
    named |= {event.target for event in log.events if isinstance(event, Leaf)}
    ids = log.names.known | log.names.unknown | tree.first.keys()
    for label in log.labels:
        if label.sound and label.target not in ids and label.target not in named:
            message = f"no record has the id {quoted(label.target, 'that is named')}"
            yield Fault("label-target-missing", message, ("targetId",), spot=label.spot)
    for source, spot in log.sources:
        if source not in ids:
            message = f"no record has the id {quoted(source, 'that is named')}"
            yield Fault("branch-summary-source-missing", message, ("fromId",), spot=spot)


RULES: tuple[Callable[[Tree], Iterator[Fault]], ...] = (
    repeated_ids,
    cycles,
    references,
    leaf_in_force,
    order,
    labels,
)
