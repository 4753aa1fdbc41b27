"""A session log as a reader sees it: everything in session.md, section 7, and the records behind it.

Opening reads the file once, line by line, and keeps ids, parents and places. Bodies are read again when
they are asked for, one at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import IO, Any

from convspec.findings import FileReport, Spot
from convspec.instants import datetime_of, moment
from convspec.session import layers, restored
from convspec.session.bodies import bodies
from convspec.session.compaction import SUMMARY
from convspec.session.log import Log
from convspec.session.records import HOUSEKEEPING, Entry, Kept, key_of
from convspec.session.tree import Tree, branch_of, path_to

Opener = layers.Opener


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One tree record: ids, parent and facts, without its body (session.md#entries).

    `parent_id` is as the file has it, also where it leads nowhere. `label` is the one in force, `time` when
    the record was written, None where its timestamp names no instant that a datetime can hold.
    """

    id: str
    type: str
    parent_id: str | None
    role: str | None
    line: int
    label: str | None = field(default=None, repr=False)
    time: datetime | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """An entry and the entries that name it as their parent, in file order."""

    entry: SessionEntry
    children: tuple[TreeNode, ...] = field(default=(), repr=False)


class SessionReading:
    """What a reader makes of a log, valid or not. Made by `read_session`; nothing in it changes."""

    def __init__(self, opener: Opener, outcome: layers.Outcome, report: FileReport, changed: float) -> None:
        assert outcome.log is not None
        assert outcome.reading is not None
        self._opener = opener
        self._log: Log = outcome.log
        self._tree: Tree | None = outcome.tree
        self._reading = outcome.reading
        self._changed = changed
        self.report = report
        """What `check` says of the file."""

    def open(self) -> AbstractContextManager[IO[bytes]]:
        """Open the bytes of the log, from its beginning. Raises OSError."""
        return self._opener()

    @property
    def log(self) -> Log:
        """Everything that is kept of the log; for this package's own use."""
        return self._log

    @property
    def version(self) -> int:
        """The version that the log was read as."""
        return self._log.version

    @property
    def header(self) -> Mapping[str, Any] | None:
        """The header in force, or the one recovered from the file's name; None where there is none."""
        return self._reading.header

    @property
    def leaf(self) -> str | None:
        """The id that the next entry goes on from, as the file says; None for a new root."""
        return self._reading.leaf

    @property
    def name(self) -> str | None:
        """The session's name."""
        return self._reading.name

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels in force, by the id they name."""
        return self._reading.labels

    def label_times(self) -> dict[str, str]:
        """Return the timestamp of each label in force, by the id it names. Raises OSError."""
        last = {label.target: label.spot for label in self._log.labels if label.target in self.labels}
        stamps = (
            (id, body.get("timestamp")) for id, body in zip(last, self._bodies([*last.values()]), strict=True)
        )
        return {id: stamp for id, stamp in stamps if isinstance(stamp, str)}

    @property
    def session_memories(self) -> Sequence[Any]:
        """What the last memory record holds of the session's own memories."""
        return self._reading.memory[0]

    @property
    def last_retrieval(self) -> Any:
        """What the last memory record says of the last retrieval."""
        return self._reading.memory[1]

    @property
    def system_prompt_hash(self) -> str | None:
        """The hash that the last system prompt record states."""
        return self._log.infos.prompt_hash

    @property
    def tally(self) -> Mapping[str, int]:
        """How many records, entries, reachable entries, messages, and places that could not be read."""
        return self.report.tally or {}

    def runtime(self, **defaults: str | None) -> dict[str, str | None]:
        """Return provider, model and reasoningEffort in force; what the log does not say, by `defaults`."""
        return {key: value or defaults.get(key) for key, value in self._reading.runtime.items()}

    @property
    def created_at(self) -> datetime:
        """When the session began: the header's time, else the file's own."""
        return self._time((self.header or {}).get("timestamp"))

    @property
    def modified_at(self) -> datetime:
        """When the session was last used: the time of the last record that is more than housekeeping."""
        return self._time(self._log.activity) if self._log.activity else self.created_at

    def _time(self, stamp: str | None) -> datetime:
        return moment(stamp, datetime.fromtimestamp(self._changed, UTC))

    @property
    def is_unused(self) -> bool:
        """Whether all of the log was read, and nothing was ever said, named or remembered in it."""
        log = self._log
        unknown = any(finding.rule == "record-unknown-type" for finding in self.report.findings)
        whole = self.report.valid and bool(log.headers) and not log.skipped and not unknown
        return whole and log.types <= HOUSEKEEPING and not log.infos.last_named and not log.infos.memory[0]

    # The tree

    @cached_property
    def entries(self) -> tuple[SessionEntry, ...]:
        """Every tree record in the order of the file; of records with one id, the last."""
        return tuple(self._seen(entry) for entry in self._last.values())

    @cached_property
    def _last(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self._log.entries()} if self._tree is None else self._tree.last

    def _seen(self, entry: Entry) -> SessionEntry:
        label, time = self.labels.get(entry.id), None if entry.time is None else datetime_of(entry.time)
        return SessionEntry(entry.id, entry.type, entry.parent, entry.role, entry.spot.line, label, time)

    def entry(self, id: str) -> SessionEntry | None:
        """Return the entry with an id, None where there is none."""
        found = self._last.get(id)
        return None if found is None else self._seen(found)

    def branch(self, at: str | None = None) -> tuple[SessionEntry, ...]:
        """Return the active branch, root first (session.md#reading-branch); in version 1 every entry.

        With `at`, the entries that lead to that one, itself the last. Raises KeyError where there is none.
        """
        return tuple(self._seen(entry) for entry in self._path(at))

    def _path(self, at: str | None) -> list[Entry]:
        if at is None:
            return branch_of(self._log, self._tree)
        if self._tree is None:
            return branch_of(self._log, None)[: self._last[at].number + 1]
        return path_to(self._tree, self._last[at].id)

    def tree(self) -> tuple[TreeNode, ...]:
        """Return the roots of the tree, each with all below it; in version 1 one row of entries.

        An entry whose parent is not there, or that is its own parent, is a root. Of a longer cycle, the
        member that stands first in the file is.
        """
        below: dict[str, list[Entry]] = {}
        roots: list[Entry] = []
        before: str | None = None
        for entry in self._last.values():
            parent = before if self._tree is None else entry.parent
            before = entry.id
            lost = parent is None or parent == entry.id or parent not in self._last
            (roots if lost else below.setdefault(str(parent), [])).append(entry)
        built = _Nodes(below, self._seen)
        tops = [(root, built.node(root)) for root in roots]
        loops = [entry for entry in self._last.values() if entry.id not in built.done]
        for entry in loops:
            if entry.id not in built.done:
                tops.append((entry, built.node(entry)))
        return tuple(node for _, node in sorted(tops, key=lambda top: top[0].order))

    # Bodies

    def record(self, id: str) -> dict[str, Any]:
        """Return the whole record of an entry. Raises KeyError, OSError."""
        (body,) = self._bodies([self._last[id].spot])
        return body

    def messages(self, at: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield the messages of the conversation as it goes on: summaries in place of what they sum up.

        With `at`, as it stood at that entry. Each is as the file has it, with the id of its entry where it
        has none of its own. Raises OSError, and KeyError where there is no such entry.
        """
        entries = restored.context(self._path(at)).restored()
        for entry, body in zip(entries, self._bodies([entry.spot for entry in entries]), strict=True):
            yield restored.message(entry, body)

    def can_keep(self, id: str, at: str | None) -> bool:
        """Say whether a compaction behind the entry `at` can keep the messages from `id` on.

        `at` is None before the first entry (session.md#kept).
        """
        kept = Kept(key_of(id), ("message", "first_kept_entry_id"))
        compaction = Entry("compaction", "", None, Spot(0, 0, 0), 0, 0, role=SUMMARY, kept=kept)
        return restored.context([] if at is None else self._path(at)).compact(compaction)

    def system_prompts(self) -> Iterator[dict[str, Any]]:
        """Yield every system prompt record, oldest first. Raises OSError."""
        return self._bodies(self._log.prompts)

    def read_paths(self, workspace: str | os.PathLike[str]) -> tuple[str, ...]:
        """Return the files that the model has read and that are still in the workspace. Raises OSError."""
        return restored.read_paths(self.messages(), os.fsdecode(workspace))

    def artifacts(self) -> Iterator[restored.Artifact]:
        """Yield the full outputs of tools, of all branches, oldest first. Raises OSError."""
        return restored.artifacts(self._all_messages(), self._bodies(self._log.outputs))

    def _all_messages(self) -> Iterator[dict[str, Any]]:
        entries = [entry for entry in self._log.entries() if entry.role == "tool"]
        for entry, body in zip(entries, self._bodies([entry.spot for entry in entries]), strict=True):
            yield restored.message(entry, body)

    def _bodies(self, spots: Sequence[Spot]) -> Iterator[dict[str, Any]]:
        if spots:
            with self._opener() as stream:
                yield from bodies(stream, spots)


class _Nodes:
    """Builds nodes from the leaves up, without recursion: a chain may be as long as the file."""

    def __init__(self, below: Mapping[str, Sequence[Entry]], seen: Any) -> None:
        self._below = below
        self._seen = seen
        self.done: dict[str, TreeNode] = {}

    def node(self, root: Entry) -> TreeNode:
        work = [(root, False)]
        entered = {root.id}
        while work:
            entry, left = work.pop()
            below = self._below.get(entry.id, ())
            if left:
                children = tuple(self.done[child.id] for child in below if child.id in self.done)
                self.done[entry.id] = TreeNode(self._seen(entry), children)
            else:
                work.append((entry, True))
                fresh = [child for child in below if child.id not in entered and child.id not in self.done]
                entered.update(child.id for child in fresh)
                work += [(child, False) for child in reversed(fresh)]
        return self.done[root.id]
