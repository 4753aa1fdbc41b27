"""Tool calls and their results along one path of a conversation (history.md#pairing).

A result answers the nearest earlier call with its id. What a result is depends on the messages
before it alone; whether a call is answered, on those behind it: so the two are judged apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Generic, TypeVar

P = TypeVar("P")


class Judgement(StrEnum):
    """What is wrong with a result, the heavier first."""

    UNMATCHED = "unmatched"
    DUPLICATE = "duplicate"
    MISPLACED = "misplaced"


@dataclass(slots=True)
class _Open(Generic[P]):
    place: P
    owner: int
    calls: int
    first_answer: P | None = None
    answers: int = 0


@dataclass(slots=True)
class Results(Generic[P]):
    """Judges results in the order of the conversation; `P` is how the caller names a place.

    In a tree the caller takes the messages of one path after the other: it remembers `state()` on
    entering a branch, and goes back to it with `restore()` on leaving.
    """

    _open: dict[str, _Open[P]] = field(default_factory=dict)
    _owner: int = 0
    _run: int | None = None
    _undo: list[Callable[[], object]] = field(default_factory=list)
    remembers: bool = False

    def state(self) -> tuple[int, int | None]:
        """Return what `restore` goes back to."""
        return len(self._undo), self._run

    def restore(self, state: tuple[int, int | None]) -> None:
        """Forget what was taken since."""
        length, self._run = state
        while len(self._undo) > length:
            self._undo.pop()()

    def _set(self, id: str, call: _Open[P]) -> None:
        if self.remembers:
            old = self._open.get(id)
            self._undo.append(
                partial(self._open.pop, id) if old is None else partial(self._open.__setitem__, id, old)
            )
        self._open[id] = call

    def calls(self, made: Iterable[tuple[str, P]]) -> Iterator[tuple[P, P]]:
        """Take a message with calls; yield (place, earlier place) of each id used before."""
        self._owner += 1
        self._run = self._owner
        for id, place in made:
            known = self._open.get(id)
            if known is not None and known.owner == self._owner:
                known.calls += 1
                continue
            if known is not None:
                yield place, known.place
            self._set(id, _Open(place, self._owner, 1))

    def result(self, id: str, place: P) -> tuple[Judgement, P | None] | None:
        """Take a result; return what is wrong with it and the place that belongs to it."""
        call = self._open.get(id)
        if call is None:
            return Judgement.UNMATCHED, None
        if call.answers == call.calls:
            return Judgement.DUPLICATE, call.first_answer
        first = place if call.first_answer is None else call.first_answer
        self._set(id, replace(call, answers=call.answers + 1, first_answer=first))
        if self._run != call.owner:
            return Judgement.MISPLACED, call.place
        return None

    def other(self) -> None:
        """Take any other message: it ends the run of answers."""
        self._run = None


@dataclass(slots=True)
class Unanswered(Generic[P]):
    """Finds the calls that no later message answers."""

    _waiting: dict[str, P] = field(default_factory=dict)

    def calls(self, made: Iterable[tuple[str, P]]) -> Iterator[P]:
        """Take a message with calls; yield the places of calls whose id it takes over."""
        first: dict[str, P] = {}
        for id, place in made:
            first.setdefault(id, place)
        for id, place in first.items():
            replaced = self._waiting.pop(id, None)
            if replaced is not None:
                yield replaced
            self._waiting[id] = place

    def result(self, id: str) -> None:
        """Take a result."""
        self._waiting.pop(id, None)

    def unsure(self) -> None:
        """Take something that may have answered any call so far."""
        self._waiting.clear()

    def left(self) -> Iterator[P]:
        """Yield the places of the calls that are still without an answer at the end."""
        yield from self._waiting.values()
