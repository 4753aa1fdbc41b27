"""What a handle knows of its log without reading it again: who is in it, and how far it was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from convspec.session.log import Log
from convspec.session.log_disk import Identity
from convspec.session.records import Entry, Leaf, key_of
from convspec.session.writable import Line

TAIL = 64
"""Bytes before the end that are compared, to notice a file that was written anew."""


@dataclass(slots=True)
class Standing:
    """The state of one log as one handle knows it.

    `leaf` is the handle's own, and moves only with what the handle writes. `in_force` is that of the file,
    which other writers move as well. `end` is a line's beginning up to which the file is known, `tail` the
    last bytes before it. `refusal` says why the log is not written to, where it is not.
    """

    identity: Identity
    end: int = 0
    tail: bytes = b""
    leaf: str | None = None
    in_force: str | None = None
    ids: set[str] = field(default_factory=set)
    name: str | None = None
    runtime: dict[str, str | None] = field(default_factory=dict)
    prompt_hash: str | None = None
    activity: str | None = None
    refusal: str | None = None

    def take(self, log: Log) -> None:
        """Learn what stands in the log, or in a further part of it. To learn it twice does no harm."""
        for event in log.events:
            if isinstance(event, Entry):
                self.ids.add(event.id)
                self.in_force = event.id
            elif isinstance(event, Leaf):
                self.in_force = event.target
        if log.infos.last_info is not None:
            self.name = log.infos.name
        self.runtime |= log.infos.runtime
        if log.prompts:
            self.prompt_hash = log.infos.prompt_hash
        self.activity = log.activity or self.activity

    def wrote(self, lines: Iterable[Line]) -> None:
        """Learn what the handle itself has written, its leaf included."""
        for line in lines:
            self.take(line.log)
            if any(isinstance(event, Entry) for event in line.log.events):
                self.leaf = line.record["id"]
            elif line.log.events:
                self.leaf = line.record["targetId"]

    def advance(self, data: bytes) -> None:
        """Go on behind bytes that are known now; they end a line."""
        self.end += len(data)
        self.tail = (self.tail + data[-TAIL:])[-TAIL:]

    def holds(self, id: str | None) -> bool:
        """Say whether there is an entry with an id."""
        return id is not None and key_of(id) in self.ids

    @property
    def is_elsewhere(self) -> bool:
        """Whether the file goes on from another entry than the handle."""
        return key_of(self.leaf) != self.in_force


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Yield lines with their number and offset, counted from the first one given."""
    offset = 0
    for number, line in enumerate(lines, 1):
        yield number, offset, line
        offset += len(line)
