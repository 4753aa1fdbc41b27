"""What is kept of a log: entries, leaves, gaps, labels, and what it says last; never what was said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from convspec.findings import Fault, Spot
from convspec.session.records import Entry, Label, Leaf, Names

FORMAT = "session"


@dataclass(frozen=True, slots=True)
class Gap:
    """A place whose bytes gave no record."""

    order: int


@dataclass(slots=True)
class Infos:
    """What the log says last of name, runtime, memory and system prompt."""

    name: str | None = None
    runtime: dict[str, str | None] = field(default_factory=dict)
    memory: tuple[list[Any], Any] = field(default_factory=lambda: ([], None))
    prompt: str | None = None
    prompt_hash: str | None = None
    last_info: tuple[Spot, bool] | None = None
    last_named: str | None = None


@dataclass(slots=True)
class Log:
    """What is kept of a log."""

    version: int
    faults: list[Fault] = field(default_factory=list)
    events: list[Entry | Leaf | Gap] = field(default_factory=list)
    headers: list[tuple[Spot, dict[str, Any], bool]] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    sources: list[tuple[str, Spot]] = field(default_factory=list)
    executions: list[tuple[str, Spot]] = field(default_factory=list)
    outputs: list[Spot] = field(default_factory=list)
    prompts: list[Spot] = field(default_factory=list)
    activity: str | None = None
    names: Names = field(default_factory=Names)
    infos: Infos = field(default_factory=Infos)
    types: set[str] = field(default_factory=set)
    records: int = 0
    skipped: int = 0
    blank: bool = True
    before_header: int = 0
    gap_first: bool = False
    gaps: int = 0
    mixed: bool = False

    def entries(self) -> Iterator[Entry]:
        """Yield the tree records in file order."""
        return (event for event in self.events if isinstance(event, Entry))
