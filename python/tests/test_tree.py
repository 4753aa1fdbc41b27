"""The tree of a log, against readings of the clauses that walk each entry's ancestors anew."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from convspec.findings import Fault, Spot
from convspec.session import tree_checks
from convspec.session.call_checks import results, unanswered
from convspec.session.log import Gap, Log
from convspec.session.records import NOTHING_SAID, Call, Entry, Leaf, Said
from convspec.session.tree import Parent, Tree, branch_of, leaf_of

LABEL, FOREIGN, GONE = "label", "foreign", "gone"
SEEDS = range(400)
MESSAGE = ("message",)
PATH = ("message", "tool_calls")


def random_said(rng: random.Random) -> Said:
    """Return what a message is: two call ids in all, so that they meet."""
    kind = rng.random()
    if kind < 0.3:
        ids = rng.choices("xy", k=rng.choice((1, 1, 2, 3)))
        calls = tuple(Call(id, (*PATH, at), (*PATH, at, "id")) for at, id in enumerate(ids))
        also = ("y",) if rng.random() < 0.15 and "y" not in ids else ()
        return Said(calls, also, calls_unread=rng.random() < 0.05)
    if kind < 0.35:
        return Said(also=("x",))
    if kind < 0.75:
        return Said(result=Call(rng.choice("xxyz"), (*MESSAGE, "tool_call_id")))
    if kind < 0.8:
        return Said(result_unread=True)
    return Said(calls_unread=True) if kind < 0.83 else NOTHING_SAID


def random_log(seed: int) -> Log:
    """Return a log of up to 25 events; most parents stand before their children."""
    rng = random.Random(seed)
    log = Log(2)
    log.names.known.add(LABEL)
    log.names.unknown.add(FOREIGN)
    gaps, cycles, repeats = (rng.random() < 0.3 for _ in range(3))
    ids: list[str] = []
    count = rng.randint(1, 25)
    for number in range(count):
        order = len(log.events)
        spot = Spot(order + 2, 100 * order, 0)
        kind = rng.random()
        if kind < 0.1:
            targets = [None, LABEL, FOREIGN, GONE, "lost", *ids, *ids]
            log.events.append(Leaf(rng.choice(targets), rng.random() < 0.95, spot, order))
        elif kind < 0.15 and gaps:
            log.events.append(Gap(order))
            log.gaps += 1
        else:
            id = rng.choice(ids) if repeats and ids and rng.random() < 0.1 else f"e{number}"
            parent: str | None = ids[-1] if ids else None
            if rng.random() < 0.35:
                others = [*ids] * 4 + [None, None, LABEL, FOREIGN, GONE, "lost"]
                parent = rng.choice([*others, *(f"e{n}" for n in range(count) if cycles)])
            entry = Entry(
                rng.choice(("message",) * 6 + ("compaction", "branch_summary")),
                id,
                parent,
                spot,
                number,
                order,
            )
            entry.parent_path = ("parentId",) if parent or rng.random() < 0.5 else ()
            entry.time = (rng.randint(0, 3), "")
            if entry.type == "message":
                entry.said = random_said(rng)
            log.events.append(entry)
            log.names.known.add(id)
            ids.append(id)
    return log


# The reference


def firsts(log: Log) -> list[Entry]:
    entries = list(log.entries())
    return [e for at, e in enumerate(entries) if e.id not in [other.id for other in entries[:at]]]


def entry_of(log: Log, id: str | None) -> Entry | None:
    return next((entry for entry in firsts(log) if entry.id == id), None)


def above(log: Log, entry: Entry) -> tuple[list[Entry], bool]:
    """Return the ancestors of an entry, nearest first, up to a repetition; and whether a root ends them."""
    found: list[Entry] = []
    at = entry
    while at.parent is not None:
        parent = entry_of(log, at.parent)
        if parent is None or parent in found:
            return found, False
        found.append(parent)
        at = parent
    return found, True


def in_cycle(log: Log, entry: Entry) -> bool:
    return entry in above(log, entry)[0]


def is_repeated(log: Log, id: str) -> bool:
    return [entry.id for entry in log.entries()].count(id) > 1


def is_whole(log: Log, entry: Entry) -> bool:
    ancestors, rooted = above(log, entry)
    return rooted and not any(is_repeated(log, one.id) for one in [entry, *ancestors])


def path_to(log: Log, entry: Entry) -> list[Entry]:
    return [*reversed(above(log, entry)[0]), entry]


def made(entry: Entry) -> list[str]:
    said = entry.said or NOTHING_SAID
    return [call.id for call in said.calls] + list(said.also)


def answered(entry: Entry) -> str | None:
    said = entry.said or NOTHING_SAID
    return said.result.id if said.result and not made(entry) else None


def judged(path: list[Entry]) -> str | None:
    """Say what is wrong with the result at the end of a path."""
    *before, entry = path
    id = answered(entry)
    owners = [at for at, one in enumerate(before) if id in made(one)]
    if not owners:
        unread = any(one.said and one.said.calls_unread for one in before)
        return None if unread else "tool-result-unmatched"
    owner = owners[-1]
    between = before[owner + 1 :]
    if sum(answered(one) == id for one in between) >= made(before[owner]).count(str(id)):
        return "tool-result-duplicate"
    if any(
        answered(one) is None and not (one.said and one.said.result_unread and not made(one))
        for one in between
    ):
        return "tool-result-misplaced"
    return None


def reused(path: list[Entry]) -> list[tuple[str, object]]:
    """Return the places of calls whose id an earlier message of the path used."""
    *before, entry = path
    used = {id for one in before for id in made(one)}
    calls = entry.said.calls if entry.said else ()
    return [
        ("tool-call-id-reused", call.id_path)
        for at, call in enumerate(calls)
        if call.id in used and call.id not in [other.id for other in calls[:at]]
    ]


def wanted_results(log: Log) -> list[tuple[str, str, object]]:
    found: list[tuple[str, str, object]] = []
    for entry in firsts(log):
        if not is_whole(log, entry):
            continue
        path = path_to(log, entry)
        found += [(rule, entry.id, place) for rule, place in reused(path)]
        if answered(entry) is not None:
            rule = judged(path)
            if rule is not None:
                assert entry.said is not None
                assert entry.said.result is not None
                found.append((rule, entry.id, entry.said.result.path))
    return found


def wanted_branch(log: Log) -> list[Entry]:
    last = {entry.id: entry for entry in log.entries()}
    set_by = [event for event in log.events if not isinstance(event, Gap)]
    if not set_by:
        return []
    end = set_by[-1]
    id = end.target if isinstance(end, Leaf) else end.id
    found: list[Entry] = []
    while id is not None and id in last and last[id] not in found:
        found.insert(0, last[id])
        id = found[0].parent
    return found


def wanted_unanswered(log: Log) -> list[tuple[str, str, object]]:
    branch = wanted_branch(log)
    if any(is_repeated(log, entry.id) or in_cycle(log, entry) for entry in branch):
        return []
    gaps = [event.order for event in log.events if isinstance(event, Gap)]
    found: list[tuple[str, str, object]] = []
    for at, entry in enumerate(branch):
        calls = entry.said.calls if entry.said else ()
        for id in dict.fromkeys(call.id for call in calls):
            behind = branch[at + 1 :]
            taken = [n for n, one in enumerate(behind) if id in made(one)]
            reach = behind[: taken[0] + 1] if taken else behind
            sure = not any(one.said and (answered(one) == id or one.said.result_unread) for one in reach)
            if sure and not any(gap > entry.order for gap in gaps):
                place = next(call.path for call in calls if call.id == id)
                found.append(("tool-call-unanswered", entry.id, place))
    return found


def wanted_tree(log: Log) -> list[tuple[str, int]]:
    """Return rule and line of all that the tree rules say, labels aside."""
    found: list[tuple[str, int]] = []
    entries = firsts(log)
    found += [("entry-id-duplicate", e.spot.line) for e in log.entries() if e not in entries]
    told: set[frozenset[str]] = set()
    for entry in entries:
        ancestors = above(log, entry)[0]
        if entry in ancestors and frozenset(one.id for one in ancestors) not in told:
            told.add(frozenset(one.id for one in ancestors))
            found.append(("parent-cycle", entry.spot.line))
        parent = entry_of(log, entry.parent)
        if parent is not None and entry not in ancestors:
            if parent.order > entry.order:
                found.append(("parent-later", entry.spot.line))
            assert entry.time is not None
            assert parent.time is not None
            if entry.time < parent.time:
                found.append(("timestamp-order", entry.spot.line))
    return found + wanted_references(log) + wanted_appended(log)


def wanted_references(log: Log) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    named: set[str] = set()
    for event in log.events:
        if isinstance(event, Gap) or (isinstance(event, Leaf) and not event.sound):
            continue
        if isinstance(event, Entry) and event not in firsts(log):
            continue
        id = event.target if isinstance(event, Leaf) else event.parent
        if id in (None, FOREIGN) or id in named or entry_of(log, id) or (id != LABEL and log.gaps):
            continue
        assert id is not None
        named.add(id)
        what = "leaf-target" if isinstance(event, Leaf) else "parent"
        found.append((f"{what}-{'kind' if id == LABEL else 'missing'}", event.spot.line))
    return found


def wanted_appended(log: Log) -> list[tuple[str, int]]:
    """Follow the leaf in force; for each entry all events before it are looked through again."""
    found: list[tuple[str, int]] = []
    for event in log.events:
        if not isinstance(event, Entry) or event not in firsts(log) or event.type == "branch_summary":
            continue
        in_force = _in_force(log, event.order)
        if in_force == "unknown" or in_cycle(log, event):
            continue
        parent = entry_of(log, event.parent)
        if event.parent is None and in_force is not None:
            found.append(("tree-extra-root", event.spot.line))
        elif parent is not None and parent.order < event.order and event.parent != in_force:
            found.append(("tree-concurrent-append", event.spot.line))
    last = log.events[-1]
    if isinstance(last, Leaf) and last.sound and last.target is None and firsts(log):
        found.append(("leaf-empty", last.spot.line))
    return found


def _in_force(log: Log, order: int) -> str | None:
    if order == 0:
        return None
    event = log.events[order - 1]
    if isinstance(event, Entry):
        return event.id
    if isinstance(event, Gap):
        return "unknown"
    if event.target is None:
        return None
    return event.target if event.sound and entry_of(log, event.target) else "unknown"


def places(faults: list[Fault]) -> list[tuple[str, str, object]]:
    return sorted((fault.rule, fault.record_id or "", fault.path) for fault in faults)


@pytest.mark.parametrize("seed", SEEDS)
class TestRandomTrees:
    def test_cycles_and_what_is_whole(self, seed: int) -> None:
        log = random_log(seed)
        tree = Tree(log)
        assert list(tree.entries()) == firsts(log)
        assert tree.in_cycle == {entry.id for entry in firsts(log) if in_cycle(log, entry)}
        assert tree.whole == {entry.id for entry in firsts(log) if is_whole(log, entry)}
        for cycle in tree.cycles:
            assert [entry.parent for entry in cycle] == [entry.id for entry in [*cycle[1:], cycle[0]]]
        assert sum(len(cycle) for cycle in tree.cycles) == len(tree.in_cycle)

    def test_what_parents_are(self, seed: int) -> None:
        log = random_log(seed)
        tree = Tree(log)
        assert tree.kind(None) is Parent.ROOT
        assert tree.kind(LABEL) is Parent.KIND
        assert tree.kind(FOREIGN) is Parent.UNJUDGED
        assert tree.kind(GONE) is (Parent.UNJUDGED if log.gaps else Parent.MISSING)
        assert {tree.kind(entry.id) for entry in log.entries()} <= {Parent.ENTRY}

    def test_children_are_whole_and_in_file_order(self, seed: int) -> None:
        log = random_log(seed)
        roots, below = Tree(log).children()
        whole = [entry for entry in firsts(log) if is_whole(log, entry)]
        assert roots == [entry for entry in whole if entry.parent is None]
        for entry in whole:
            assert below.get(entry.id, []) == [one for one in whole if one.parent == entry.id]

    def test_leaf_and_branch(self, seed: int) -> None:
        log = random_log(seed)
        assert branch_of(log, Tree(log)) == wanted_branch(log)
        told = [event for event in log.events if not isinstance(event, Gap)]
        end = told[-1] if told else None
        assert leaf_of(log) == (end.target if isinstance(end, Leaf) else end and end.id)
        assert branch_of(log, None) == list(log.entries())

    def test_results(self, seed: int) -> None:
        log = random_log(seed)
        assert places(list(results(log, Tree(log)))) == sorted(wanted_results(log))

    def test_calls_without_an_answer(self, seed: int) -> None:
        log = random_log(seed)
        assert places(list(unanswered(log, Tree(log)))) == sorted(wanted_unanswered(log))

    def test_the_rules_on_the_tree(self, seed: int) -> None:
        log = random_log(seed)
        tree = Tree(log)
        faults = [fault for rule in tree_checks.RULES for fault in rule(tree)]
        assert sorted((f.rule, f.spot.line) for f in faults if f.spot) == sorted(wanted_tree(log))


class TestRandomTreesTogether:
    """The trees above have in them what is to be tested."""

    @pytest.mark.parametrize(
        ("wanted", "rules"),
        [
            (wanted_results, {"unmatched", "duplicate", "misplaced", "reused"}),
            (wanted_unanswered, {"unanswered"}),
            (
                wanted_tree,
                {"duplicate", "cycle", "later", "order", "missing", "kind", "append", "root", "empty"},
            ),
        ],
    )
    def test_every_rule_is_met(
        self, wanted: Callable[[Log], list[tuple[str, object]]], rules: set[str]
    ) -> None:
        met = {fault[0].rsplit("-", 1)[1] for seed in SEEDS for fault in wanted(random_log(seed))}
        assert met == rules

    def test_long_chains_do_not_recurse(self) -> None:
        log = Log(2)
        for number in range(30_000):
            parent = f"e{number - 1}" if number else None
            log.events.append(Entry("message", f"e{number}", parent, Spot(1, 0, 0), number, number))
        tree = Tree(log)
        assert (len(tree.whole), len(branch_of(log, tree)), tree.cycles) == (30_000, 30_000, [])
        first = next(tree.entries())
        first.parent = "e29999"
        assert [len(cycle) for cycle in Tree(log).cycles] == [30_000]
