"""The rules on compactions (session.md, section 6)."""

from __future__ import annotations

from collections.abc import Iterator

from convspec.findings import Fault, Mention
from convspec.pointers import quoted
from convspec.session.compaction import Context, take
from convspec.session.log import Gap, Log
from convspec.session.records import Entry
from convspec.session.tree import Tree, branch_of


def kept_missing(log: Log, tree: Tree | None) -> Iterator[Fault]:
    """What a compaction keeps is in the context it replaces (session.md#kept)."""
    context = Context(remembers=True)
    if tree is None:
        for event in log.events:
            if isinstance(event, Gap):
                return
            if isinstance(event, Entry) and not take(context, event):
                yield _missing(event)
        return
    states: list[int] = []
    for entry, left in tree.walk():
        if left:
            context.restore(states.pop())
            continue
        states.append(context.state())
        if not take(context, entry):
            yield _missing(entry)


def _missing(entry: Entry) -> Fault:
    kept = entry.kept
    name = quoted(kept.value or "", "this id") if kept else "this id"
    return Fault(
        "compaction-kept-missing",
        f"no message before it has the id {name}: all but the summary is lost",
        kept.path if kept else ("message",),
        spot=entry.spot,
        record_id=entry.id,
    )


def splits_pair(log: Log, tree: Tree | None) -> Iterator[Fault]:
    """A compaction keeps a call with its result (session.md#kept-pair)."""
    branch = branch_of(log, tree)
    if tree is not None and not (branch and all(entry.id in tree.whole for entry in branch)):
        return
    gap = len(log.events)
    if tree is None:  # what stands behind a gap is not judged, but what is kept goes by it
        gap = next((event.order for event in log.events if isinstance(event, Gap)), gap)
    context, compactions = Context(), list[tuple[int, int, Entry, bool]]()
    for entry in branch:
        before = len(context.messages)
        resolved = take(context, entry)
        if entry.type == "compaction":
            compactions.append((before, context.offset, entry, resolved))
    split: dict[int, list[Entry]] = {}
    called: dict[str, int] = {}
    for place, entry in enumerate(context.messages):
        said = entry.said
        if said is None:
            continue
        for id in (*(call.id for call in said.calls), *said.also):
            called[id] = place
        if said.calls or said.also or said.result is None or place < context.offset or entry.order > gap:
            continue
        at = called.get(said.result.id)
        if at is not None and at < context.offset:
            number = _first_past(compactions, at)
            if number is not None:
                split.setdefault(number, []).append(entry)
    for number, results in sorted(split.items()):
        _, _, entry, resolved = compactions[number]
        if resolved and entry.order < gap:
            yield _split(entry, results)


def _first_past(compactions: list[tuple[int, int, Entry, bool]], place: int) -> int | None:
    """Return the first compaction behind a place whose offset exceeds it; offsets never fall."""
    low, high = 0, len(compactions)
    while low < high:
        middle = (low + high) // 2
        before, offset, _, _ = compactions[middle]
        if before > place and offset > place:
            high = middle
        else:
            low = middle + 1
    return low if low < len(compactions) else None


def _split(entry: Entry, results: list[Entry]) -> Fault:
    return Fault(
        "compaction-splits-pair",
        f"a result is kept (line {results[0].spot.line}) whose call is not",
        entry.kept.path if entry.kept else ("message",),
        spot=entry.spot,
        record_id=entry.id,
        related=tuple(
            Mention(result.said.result.path, "kept without its call", spot=result.spot)
            for result in results
            if result.said and result.said.result
        ),
    )
