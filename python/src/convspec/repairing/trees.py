"""The tree of a log: ids used twice, parents that are not there, cycles, leaves that lead nowhere.

What was lost stood between its neighbours, so an entry without its parent follows the entry in force before
it, as the writer's next record would. Of a reference to an id used twice, the record that stands nearest
before it is meant.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from convspec.findings import Spot
from convspec.repairing.forest import Forest
from convspec.repairing.planning import Facts, is_entry, record_of
from convspec.repairing.stages import Plan, Stages
from convspec.repairing.steps import Step
from convspec.session.layers import Outcome
from convspec.session.log import Log
from convspec.session.records import Entry, Leaf, key_of
from convspec.session.tree import Parent, Tree
from convspec.text.edits import Edit

_RULES = ("entry-id-duplicate", "parent-missing", "parent-kind", "parent-cycle")
_LEAF_RULES = ("leaf-target-missing", "leaf-target-kind")
_ORPHANS = {Parent.MISSING: "parent-missing", Parent.KIND: "parent-kind"}
_LEAVES = {Parent.MISSING: "leaf-target-missing", Parent.KIND: "leaf-target-kind"}


def plan(stages: Stages, log: Log, tree: Tree | None, outcome: Outcome, facts: Facts) -> Plan:
    """Plan all of it at once, in one walk along the file."""
    if tree is None or log.version != 2 or not _is_broken(log, outcome):
        return Plan()
    walk = _Walk(log, tree, facts)
    for event in log.events:
        if isinstance(event, Entry):
            walk.entry(event)
        elif isinstance(event, Leaf):
            walk.leaf_record(event)
    walk.attach()
    walk.references()
    return walk.plan(_texts(stages, walk.long))


def _is_broken(log: Log, outcome: Outcome) -> bool:
    if any(fault.rule in _RULES + _LEAF_RULES for fault in outcome.faults):
        return True
    entries = any(entry.parent == "" and not entry.parent_sound for entry in log.entries())
    return entries or any(isinstance(one, Leaf) and not one.sound for one in log.events)


@dataclass(slots=True)
class _Change:
    """A member that gets another id."""

    spot: Spot
    key: str
    now: str | None
    step: Step


@dataclass(slots=True)
class _Walk:
    """The walk along the file: what each record refers to, and the leaf in force before it."""

    log: Log
    tree: Tree
    facts: Facts
    leaf: str | None = None
    entries: list[Entry] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    parents: list[str | None] = field(default_factory=list)
    before: list[str | None] = field(default_factory=list)
    orphans: dict[int, tuple[str | None, str]] = field(default_factory=dict)
    changes: list[_Change] = field(default_factory=list)
    _aliases: dict[str, tuple[list[int], list[str]]] = field(default_factory=dict)
    _places: dict[str, str | None] = field(default_factory=dict)

    def entry(self, entry: Entry) -> None:
        """Take an entry: its parent first, then the id it gets."""
        number, parent = len(self.entries), entry.parent
        found: str | None = None
        if parent == "" and not entry.parent_sound:
            self.orphans[number] = self.leaf, "schema-type"
        elif parent is not None:
            kind = self.tree.kind(parent)
            if kind is Parent.ENTRY:
                found = self._meant(parent, entry.spot)
                if found != parent:
                    self._move(entry.spot, "parentId", parent, found)
            elif kind in _ORPHANS:
                self.orphans[number] = self._place(parent), _ORPHANS[kind]
        id = entry.id
        if not entry.first:
            id = self._renamed(entry)
        self.entries.append(entry)
        self.ids.append(id)
        self.parents.append(found)
        self.before.append(self.leaf)
        self.leaf = id

    def leaf_record(self, leaf: Leaf) -> None:
        """Take a leaf record."""
        target = leaf.target or None
        if target is None and leaf.sound:
            self.leaf = None
            return
        kind, found = self.tree.kind(target), self.leaf
        if target is not None and kind is Parent.ENTRY:
            found = self._meant(target, leaf.spot)
            if found != target:
                self._move(leaf.spot, "targetId", target, found)
        elif target is None or kind in _LEAVES:
            found = found if target is None else self._place(target)
            message = "the leaf is the entry in force before" if found else "the leaf is none, as before"
            rule = "schema-type" if target is None else _LEAVES[kind]
            step = Step("move-leaf", rule, message, pointer="/targetId", was=target, now=found)
            self.changes.append(_Change(leaf.spot, "targetId", found, step))
        else:
            return  # it names a record of an unknown type, which may be an entry to others
        self.leaf = found

    def attach(self) -> None:
        """Give each orphan its place, and open each cycle at the member that comes first."""
        numbers = {id: number for number, id in enumerate(self.ids)}
        forest = Forest([None if parent is None else numbers[parent] for parent in self.parents])
        for number in forest.cut:
            self.orphans[number] = self.before[number], "parent-cycle"
        for number, (place, rule) in sorted(self.orphans.items()):
            if place is not None and not forest.attach(number, numbers[place]):
                place = None
            entry = self.entries[number]
            message = "the entry follows the one in force before it" if place else "the entry is made a root"
            step = Step(
                "attach-entry",
                rule,
                message,
                pointer="/parentId",
                record_id=self.ids[number],
                was=entry.parent or None,
                now=place,
            )
            self.changes.append(_Change(entry.spot, "parentId", place, step))

    def references(self) -> None:
        """Let labels and sources follow an entry that was renamed."""
        for target, spot, key in (
            *((label.target, label.spot, "targetId") for label in self.log.labels),
            *((source, spot, "fromId") for source, spot in self.log.sources),
        ):
            found = self._meant(target, spot)
            if found != target:
                self._move(spot, key, target, found)

    @property
    def long(self) -> set[str]:
        """Ids that are kept by their digests and must be written out."""
        wanted = {change.now for change in self.changes if change.now is not None}
        return {id for id in wanted if id.startswith("sha256:")} & self.tree.first.keys()

    def plan(self, texts: dict[str, str]) -> Plan:
        """Return the plan; `texts` are the ids behind digests."""
        made = Plan()
        for change in self.changes:
            now = None if change.now is None else texts.get(change.now, change.now)
            made.at(change.spot.line).edit(Edit((change.key,), now), change.step)
        return made

    def _renamed(self, entry: Entry) -> str:
        id = self.facts.mint(self.log)
        lines, ids = self._aliases.setdefault(entry.id, ([], []))
        lines.append(entry.spot.line)
        ids.append(id)
        step = Step(
            "rename-entry",
            "entry-id-duplicate",
            "the entry gets an id of its own",
            pointer="/id",
            was=entry.id,
            now=id,
        )
        self.changes.append(_Change(entry.spot, "id", id, step))
        return id

    def _meant(self, id: str, spot: Spot) -> str:
        """Return the entry that a reference means: of those with the id, the last one before it."""
        if id not in self._aliases:
            return id
        lines, ids = self._aliases[id]
        at = bisect_left(lines, spot.line)
        return ids[at - 1] if at else id

    def _place(self, missing: str) -> str | None:
        """Return what takes the place of an id that is not there; the same for all that name it."""
        if missing not in self._places:
            self._places[missing] = self._above(missing)
        return self._places[missing]

    def _above(self, missing: str) -> str | None:
        """Go up from an entry that was set aside; from any other, to the leaf in force."""
        seen: set[str] = set()
        at: str | None = missing
        while at is not None and at not in self.tree.first:
            if at in seen or at not in self.facts.above:
                return self.leaf
            seen.add(at)
            at = self.facts.above[at]
        return at

    def _move(self, spot: Spot, key: str, was: str, now: str) -> None:
        message = "the reference follows the entry that got another id"
        step = Step("move-reference", "entry-id-duplicate", message, pointer=f"/{key}", was=was, now=now)
        self.changes.append(_Change(spot, key, now, step))


def _texts(stages: Stages, keys: set[str]) -> dict[str, str]:
    """Return the ids behind digests, read from the rows."""
    found: dict[str, str] = {}
    for row in stages.rows() if keys else ():
        record = record_of(row)
        key = key_of(record.get("id")) if is_entry(record) else None
        if key in keys and key is not None:
            found[key] = str(record["id"])
    return found
