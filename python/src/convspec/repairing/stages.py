"""A damaged log as it is after the steps that are planned so far. The file is read anew for each pass.

A plan changes rows by their number, and is made from what a check says of the rows before it. So no more
than one line is held at a time, and nothing is written until all is planned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace

from convspec.repairing.framing import Row, framed
from convspec.repairing.steps import Journal, Step
from convspec.sources import Source
from convspec.text.edits import Edit, edited


@dataclass(frozen=True, slots=True)
class Insert:
    """A row that was not there, and the step that says so."""

    data: bytes
    step: Step


@dataclass(slots=True)
class Action:
    """What is done to a row. The steps get the row's line when they are taken down."""

    steps: list[Step] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    change: Callable[[bytes], bytes] | None = None
    drop: bool = False
    before: list[Insert] = field(default_factory=list)

    def edit(self, edit: Edit, step: Step) -> None:
        """Add an edit and the step that names it."""
        self.edits.append(edit)
        self.steps.append(step)


@dataclass(slots=True)
class Plan:
    """What is done to the rows, by their number from 1; rows put before all others and behind them."""

    actions: dict[int, Action] = field(default_factory=dict)
    head: list[Insert] = field(default_factory=list)
    tail: list[Insert] = field(default_factory=list)

    def at(self, number: int) -> Action:
        """Return the action on a row, a new one where there is none."""
        return self.actions.setdefault(number, Action())

    def __bool__(self) -> bool:
        return bool(self.actions or self.head or self.tail)

    def applied(self, rows: Iterable[Row], journal: Journal) -> Iterator[Row]:
        """Yield the rows as they are after the plan."""
        yield from _inserted(self.head, journal)
        ended = True
        for number, row in enumerate(rows, 1):
            action = self.actions.get(number)
            for one in (row,) if action is None else _acted(action, row, journal):
                ended = one.data.endswith(b"\n")
                yield one
        if self.tail and not ended:  # white space, which needs no line feed while nothing follows
            yield Row(b"\n", None)
        yield from _inserted(self.tail, journal)


def _acted(action: Action, row: Row, journal: Journal) -> Iterator[Row]:
    yield from _inserted(action.before, journal)
    dropped = b"" if row.kept else row.data.strip(b" \t\r\n")
    for step in action.steps:
        journal.add(replace(step, line=row.line, record=row.record), dropped)
        dropped = b""
    if action.drop:
        return
    data = row.data
    if action.change is not None:
        data = action.change(data)
    if action.edits:
        data = edited(data, action.edits)
    yield Row(data, row.line, row.record, kept=row.kept or bool(action.steps))


def _inserted(rows: Iterable[Insert], journal: Journal) -> Iterator[Row]:
    for row in rows:
        journal.add(row.step)
        yield Row(row.data, None, kept=True)


class Stages:
    """A log with the plans made so far."""

    def __init__(self, source: Source, *, unsafe: bool) -> None:
        self.plans: list[Plan] = []
        self._source = source
        self._unsafe = unsafe

    def rows(self, journal: Journal | None = None) -> Iterator[Row]:
        """Yield the rows as they are after all plans; take down the steps where there is a journal."""
        with self._source.open() as stream:
            rows = framed(stream, unsafe=self._unsafe, journal=journal)
            for plan in self.plans:
                rows = plan.applied(rows, journal or Journal())
            yield from rows

    def numbered(self) -> Iterator[tuple[int, Row]]:
        """Yield the rows with their numbers, as plans count them."""
        return enumerate(self.rows(), 1)

    @contextmanager
    def lines(self) -> Iterator[Iterator[bytes]]:
        """Open the rows as the lines of a log."""
        with closing(self.rows()) as rows:  # type: ignore[type-var]
            yield (row.data for row in rows)
