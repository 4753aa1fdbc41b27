"""The rules on calls and results in the tree of a log (session.md, section 4).

A result depends on its ancestors alone, so it is judged once, on its own path from the root. A call is
answered below it, so it is judged on the active branch alone: every abandoned branch would warn for
ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from convspec.findings import Fault, Mention, Path
from convspec.pairing import Judgement, Results, Unanswered
from convspec.pointers import quoted
from convspec.session.log import Gap, Log
from convspec.session.records import NOTHING_SAID, Call, Entry, Said
from convspec.session.tree import Tree, branch_of

_RULES = {
    Judgement.UNMATCHED: "tool-result-unmatched",
    Judgement.DUPLICATE: "tool-result-duplicate",
    Judgement.MISPLACED: "tool-result-misplaced",
}


_REUSED = "tool-call-id-reused"


@dataclass(frozen=True, slots=True)
class _Place:
    entry: Entry
    path: Path
    id: str
    id_path: Path = ()


class _Path:
    """The messages of one path from a root, taken one by one."""

    def __init__(self, *, remembers: bool) -> None:
        self._judge: Results[_Place] = Results(remembers=remembers)
        self._unread = False

    def state(self) -> tuple[tuple[int, int | None], bool]:
        return self._judge.state(), self._unread

    def restore(self, state: tuple[tuple[int, int | None], bool]) -> None:
        self._judge.restore(state[0])
        self._unread = state[1]

    def take(self, entry: Entry) -> Iterator[Fault]:
        said = entry.said or NOTHING_SAID
        self._unread = self._unread or said.calls_unread
        if said.calls or said.also:
            for place, earlier in self._judge.calls(_made(entry, said)):
                if place.path != ("message",):
                    yield _reused(place, earlier)
        elif said.result is not None:
            judged = self._judge.result(said.result.id, _Place(entry, said.result.path, said.result.id))
            if judged is not None and not (self._unread and judged[0] is Judgement.UNMATCHED):
                yield _wrong(entry, said.result, *judged)
        elif not said.result_unread:
            self._judge.other()


def _reused(place: _Place, earlier: _Place) -> Fault:
    return Fault(
        _REUSED,
        f"the message on line {earlier.entry.spot.line} used this call id before",
        place.id_path,
        spot=place.entry.spot,
        record_id=place.entry.id,
        related=(Mention(earlier.path, "used here before", spot=earlier.entry.spot),),
    )


def _wrong(entry: Entry, result: Call, judgement: Judgement, other: _Place | None) -> Fault:
    name = quoted(result.id, "that id")
    line = other.entry.spot.line if other else 0
    words = {
        Judgement.UNMATCHED: f"no earlier message on its path made a call {name}",
        Judgement.DUPLICATE: f"the message on line {line} has answered {name} already",
        Judgement.MISPLACED: f"{name} is a call of the message on line {line}, which this does not follow",
    }
    what = "first answer here" if judgement is Judgement.DUPLICATE else "the call is here"
    related = (Mention(other.path, what, spot=other.entry.spot),) if other else ()
    return Fault(
        _RULES[judgement], words[judgement], result.path, spot=entry.spot, record_id=entry.id, related=related
    )


def results(log: Log, tree: Tree | None) -> Iterator[Fault]:
    """A result answers an earlier call of its path, once, right behind it (session.md#results)."""
    if tree is None:
        path = _Path(remembers=False)
        behind = False
        for event in log.events:
            behind = behind or isinstance(event, Gap)
            if isinstance(event, Entry):  # of results behind a gap nothing is said
                yield from (one for one in path.take(event) if not behind or one.rule == _REUSED)
        return
    path = _Path(remembers=True)
    states: list[tuple[tuple[int, int | None], bool]] = []
    for entry, left in tree.walk():
        if left:
            path.restore(states.pop())
            continue
        states.append(path.state())
        yield from path.take(entry)


def unanswered(log: Log, tree: Tree | None) -> Iterator[Fault]:
    """Every call on the active branch is answered (session.md#unanswered)."""
    branch = branch_of(log, tree)
    if tree is not None and any(e.id in tree.in_cycle or e.id in tree.repeated for e in branch):
        return
    last_gap = max((event.order for event in log.events if isinstance(event, Gap)), default=-1)
    judge: Unanswered[_Place] = Unanswered()
    found: list[_Place] = []
    for entry in branch:
        said = entry.said or NOTHING_SAID
        if said.result_unread:
            judge.unsure()
        if said.calls or said.also:
            found += judge.calls(_made(entry, said))
        if said.result is not None:
            judge.result(said.result.id)
    for place in [*found, *judge.left()]:
        if place.entry.order > last_gap and place.path != ("message",):
            yield Fault(
                "tool-call-unanswered",
                f"no later message answers {quoted(place.id, 'this call')}",
                place.path,
                spot=place.entry.spot,
                record_id=place.entry.id,
            )


def _made(entry: Entry, said: Said) -> Iterable[tuple[str, _Place]]:
    made = [(call.id, _Place(entry, call.path, call.id, call.id_path)) for call in said.calls]
    return made + [(id, _Place(entry, ("message",), id)) for id in said.also]


def call_ids(log: Log, tree: Tree | None) -> Iterator[Fault]:
    """The calls of one message have different ids (session.md#call-ids)."""
    for entry in log.entries():
        first: dict[str, Call] = {}
        for call in entry.said.calls if entry.said and entry.first else ():
            known = first.setdefault(call.id, call)
            if known is not call:
                yield Fault(
                    "tool-call-id-duplicate",
                    "an earlier call of this message has the same id",
                    call.id_path,
                    spot=entry.spot,
                    record_id=entry.id,
                    related=(Mention(known.id_path, "first used here", spot=entry.spot),),
                )


def executions(log: Log, tree: Tree | None) -> Iterator[Fault]:
    """A tool execution belongs to a result (session.md#tool-execution)."""
    if log.gaps:
        return
    answered = {entry.said.result.id for entry in log.entries() if entry.said and entry.said.result}
    for id, spot in log.executions:
        if id not in answered:
            message = f"no tool message answers {quoted(id, 'that call')}"
            yield Fault("tool-execution-unmatched", message, ("toolCallId",), spot=spot)
