"""Random sequences of operations by two handles of one log, against a naive model of what is read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from convspec import check
from convspec.session.session import Session
from convspec.session.store import SessionStore
from stores import store_in

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12).map(lambda text: "x" + text)
NAMES = st.sampled_from(["a", "b", " c ", "", None])
HANDLES = st.sampled_from([0, 1])
PICK = st.integers(0, 1_000_000)


def restored(path: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages along a path: slow, and by the words of the specification."""
    context: list[dict[str, Any]] = []
    for entry in path:
        if entry["type"] != "compaction":
            context.append(entry)
            continue
        kept = entry["kept"]
        roles = [one["type"] == "compaction" for one in context]
        begin = len(roles) - 1 - roles[::-1].index(True) if True in roles else 0
        at = [index for index in range(begin, len(context)) if context[index]["id"] == kept]
        at = at or [index for index in range(len(context)) if context[index]["id"] == kept]
        context = [entry, *(context[at[0] :] if at else [])]
    return context


class TwoHandles(RuleBasedStateMachine):
    """Each handle has its leaf; the log has all that both have written."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store: SessionStore = store_in(Path(self.folder.name))
        first = self.store.create(provider="P")
        self.handles: list[Session] = [first, self.store.load(first.path)]
        self.entries: dict[str, dict[str, Any]] = {}
        self.leaves: list[str | None] = [None, None]
        self.in_force: str | None = None
        self.labels: dict[str, str] = {}
        self.name: str | None = None
        self.model: str | None = None
        self.prompts: list[str] = []
        self.memories: list[Any] = []
        self.torn = 0

    def _entered(self, handle: int, id: str, parent: str | None, **entry: Any) -> None:
        assert id not in self.entries
        self.entries[id] = {"id": id, "parent": parent, **entry}
        self._moved(handle, id)

    def _moved(self, handle: int, leaf: str | None) -> None:
        self.leaves[handle] = self.in_force = leaf

    def _path(self, leaf: str | None) -> list[dict[str, Any]]:
        path = []
        while leaf is not None:
            path.append(self.entries[leaf])
            leaf = self.entries[leaf]["parent"]
        return path[::-1]

    def _picked(self, pick: int) -> str:
        return list(self.entries)[pick % len(self.entries)]

    @rule(handle=HANDLES, text=TEXTS)
    def message(self, handle: int, text: str) -> None:
        id = self.handles[handle].append_message({"role": "user", "content": text})
        self._entered(handle, id, self.leaves[handle], type="message", text=text)

    @rule(handle=HANDLES, text=TEXTS, pick=PICK)
    def compaction(self, handle: int, text: str, pick: int) -> None:
        context = restored(self._path(self.leaves[handle]))
        kept = context[pick % len(context)]["id"] if context and pick % 3 else None
        id = self.handles[handle].compact(text, first_kept_entry_id=kept)
        self._entered(handle, id, self.leaves[handle], type="compaction", kept=kept, text=text)

    @precondition(lambda self: self.entries)
    @rule(handle=HANDLES, pick=PICK)
    def branch(self, handle: int, pick: int) -> None:
        target = self._picked(pick)
        self.handles[handle].branch(target)
        self._moved(handle, target)

    @rule(handle=HANDLES)
    def new_root(self, handle: int) -> None:
        self.handles[handle].reset_leaf()
        self._moved(handle, None)

    @precondition(lambda self: self.entries)
    @rule(handle=HANDLES, pick=PICK, text=TEXTS)
    def branch_summary(self, handle: int, pick: int, text: str) -> None:
        target = self._picked(pick)
        id = self.handles[handle].append_branch_summary(target, text)
        self._entered(handle, id, target, type="branch_summary", text=text)

    @precondition(lambda self: self.entries)
    @rule(handle=HANDLES, pick=PICK, label=NAMES)
    def label(self, handle: int, pick: int, label: str | None) -> None:
        target = self._picked(pick)
        self.handles[handle].append_label_change(target, label)
        if label and label.strip():
            self.labels[target] = label.strip()
        else:
            self.labels.pop(target, None)

    @rule(handle=HANDLES, name=NAMES)
    def rename(self, handle: int, name: str | None) -> None:
        self.handles[handle].rename(name)
        self.name = (name or "").strip() or None

    @rule(handle=HANDLES, model=st.sampled_from(["m", "n"]))
    def runtime(self, handle: int, model: str) -> None:
        self.handles[handle].update_runtime(model=model)
        self.model = model

    @rule(handle=HANDLES, prompt=st.sampled_from(["", "p", "q"]))
    def prompt(self, handle: int, prompt: str) -> None:
        written = self.handles[handle].append_system_prompt_snapshot(prompt)
        assert written == (prompt != "" and self.prompts[-1:] != [prompt])
        self.prompts += [prompt] if written else []

    @rule(handle=HANDLES, memory=st.lists(st.integers(0, 9), max_size=2))
    def memory(self, handle: int, memory: list[int]) -> None:
        self.handles[handle].update_memory_state(memory)
        self.memories = memory

    @rule(handle=HANDLES)
    def load_again(self, handle: int) -> None:
        self.handles[handle] = self.store.load(self.handles[handle].path)
        self.leaves[handle] = self.in_force

    @precondition(lambda self: self.torn < 2)
    @rule(torn=st.sampled_from([b"{", b'{"type":"message","id":"torn","timestamp":"2026', b'{"a":"\xc3']))
    def torn_line(self, torn: bytes) -> None:
        with open(self.handles[0].path, "r+b") as file:
            file.seek(0, 2)
            file.write(torn)
        self.torn += 1

    @precondition(lambda self: self.entries)
    @rule(handle=HANDLES, pick=PICK)
    def copies(self, handle: int, pick: int) -> None:
        before = self._picked(pick)
        fork = self.store.fork(self.handles[handle], before=before)
        path = restored(self._path(self.entries[before]["parent"]))
        assert [one["id"] for one in fork.messages()] == [entry["id"] for entry in path]
        clone = self.store.clone(self.handles[handle])
        path = restored(self._path(self.leaves[handle]))
        assert [one["id"] for one in clone.messages()] == [entry["id"] for entry in path]
        assert check(clone.path).counts.errors == check(fork.path).counts.errors == 0

    @invariant()
    def what_is_read_is_what_was_written(self) -> None:
        reading = self.handles[0].reading
        assert [entry.id for entry in reading.entries] == list(self.entries)
        assert reading.leaf == self.in_force
        assert [handle.leaf_id for handle in self.handles] == self.leaves
        assert [entry.id for entry in reading.branch()] == [one["id"] for one in self._path(self.in_force)]
        said = [(one.get("summary", one.get("content")), one["id"]) for one in reading.messages()]
        assert said == [(entry["text"], entry["id"]) for entry in restored(self._path(self.in_force))]
        assert (reading.labels, reading.name) == (self.labels, self.name)
        assert reading.runtime() == {"provider": "P", "model": self.model, "reasoningEffort": None}
        assert [one["content"] for one in reading.system_prompts()] == self.prompts
        assert reading.session_memories == self.memories
        rules = {finding.rule for finding in reading.report.findings}
        allowed = {"leaf-empty", "text-control", "text-nul"}
        assert rules <= (allowed | {"json-syntax", "line-torn", "encoding-utf8"} if self.torn else allowed)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestTwoHandles = TwoHandles.TestCase
TestTwoHandles.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
