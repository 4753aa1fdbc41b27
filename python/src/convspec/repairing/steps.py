"""What a repair does, step by step: each step has a name, and is safe or changes what the file says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import IO


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of step: whether it leaves what readers make of the file as it is, and what it does."""

    safe: bool
    title: str


KINDS: Mapping[str, Kind] = {
    "remove-mark": Kind(True, "remove a byte order mark"),
    "drop-nuls": Kind(True, "drop a run of NUL bytes"),
    "drop-tail": Kind(True, "drop the torn record at the end"),
    "drop-fragment": Kind(True, "drop what is left of a record beside one that is whole"),
    "drop-unreadable": Kind(True, "drop what no reader can read"),
    "drop-value": Kind(True, "drop a value that is no object"),
    "split-records": Kind(True, "put each record on its own line"),
    "end-line": Kind(True, "end the last line"),
    "drop-duplicate": Kind(True, "drop the second of two records or messages that are the same"),
    "keep-leaf": Kind(True, "put a leaf record where a dropped duplicate had set the leaf"),
    "drop-trailing": Kind(True, "drop what stands behind the document"),
    "replace-bytes": Kind(False, "put U+FFFD in place of bytes that are not UTF-8"),
    "replace-surrogates": Kind(False, "put U+FFFD in place of halves of surrogate pairs"),
    "drop-keys": Kind(False, "keep the last of the members with one name"),
    "write-header": Kind(False, "write a header from the file's name"),
    "set-version": Kind(False, "set the version"),
    "set-member": Kind(False, "set a member that is missing or of the wrong form"),
    "set-aside": Kind(False, "take out a record of which nothing can be made"),
    "upgrade-record": Kind(False, "write out the id and parent that a version 1 record has by its place"),
    "rename-entry": Kind(False, "give a new id to the later of two records with one id"),
    "attach-entry": Kind(False, "attach an entry to the one before it"),
    "move-reference": Kind(False, "let a reference follow the entry it means"),
    "move-leaf": Kind(False, "set the leaf to the entry in force before"),
    "keep-summary": Kind(False, "let a compaction keep nothing but its summary"),
    "answer-call": Kind(False, "answer an interrupted tool call"),
    "close-document": Kind(False, "close a document behind its last whole message"),
    "rename-message": Kind(False, "give a new id to the later of two messages with one id"),
}
"""Every kind of step by its name."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done. `line` and `record` are those of the damaged file, as in a finding.

    `was` and `now` are ids. `rejected` says where in the rejected bytes the step's own stand, and how many.
    """

    name: str
    rule: str
    message: str
    line: int | None = None
    record: int | None = None
    pointer: str | None = None
    record_id: str | None = None
    was: str | None = None
    now: str | None = None
    rejected: tuple[int, int] | None = None

    @property
    def safe(self) -> bool:
        """Whether readers make the same of the file before and after."""
        return KINDS[self.name].safe


class Journal:
    """Takes down the steps, and keeps the bytes that are dropped, one piece to a line.

    Without a sink the bytes are only counted.
    """

    def __init__(self, sink: IO[bytes] | None = None) -> None:
        self.steps: list[Step] = []
        self.rejected = 0
        """Bytes that were dropped, line feeds included."""
        self._sink = sink

    def add(self, step: Step, dropped: bytes = b"") -> None:
        """Take down a step, and what it drops."""
        if dropped:
            step = replace(step, rejected=(self.rejected, len(dropped)))
            self.rejected += len(dropped) + 1
            if self._sink is not None:
                self._sink.write(dropped)
                self._sink.write(b"\n")
        self.steps.append(step)
