"""A session that is open for writing: each method appends what happened, and nothing else ever changes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from convspec.pointers import quoted
from convspec.session import records_to_write as records
from convspec.session import tool_executions
from convspec.session.errors import SessionError
from convspec.session.handle import Handle
from convspec.session.opening import read_session
from convspec.session.records import LONGEST_ID, key_of
from convspec.session.records_to_write import Record
from convspec.session.standing import Standing


class Session(Handle):
    """One session. Made by `SessionStore`.

    Every method that appends raises SessionError for what readers would refuse, and where the log is gone
    or is not written to; OSError where the system refuses. Then `leaf_id` and all else is as before.
    """

    # Entries

    def append_message(self, message: Mapping[str, Any]) -> str:
        """Append a message, and return the id of its entry: its own `id` where it has one, else a new one."""
        if isinstance(message, Mapping) and message.get("role") == "system":
            raise SessionError("a system prompt is no message: use append_system_prompt_snapshot")
        return self._append_entry("message", message)

    def compact(
        self,
        summary: str | Mapping[str, Any],
        *,
        first_kept_entry_id: str | None = None,
        tokens_before: int | None = None,
        read_files: Iterable[str] = (),
        modified_files: Iterable[str] = (),
    ) -> str:
        """Append a summary in place of the messages before it, and return the id of its entry.

        The messages from `first_kept_entry_id` on stay in the conversation; it must be one of them. A whole
        message may be given in place of the summary's text, and is then written as it stands.
        """
        if isinstance(summary, Mapping):
            message = dict(summary)
        else:
            files = tuple(read_files), tuple(modified_files)
            message = records.compaction_message(summary, first_kept_entry_id, tokens_before, *files)
        kept = message.get("first_kept_entry_id") or message.get("firstKeptEntryId")
        if isinstance(kept, str) and not self.reading.can_keep(kept, key_of(self.leaf_id)):
            raise SessionError(
                f"{quoted(kept, 'the id')} is no message of the conversation: nothing would be kept"
            )
        return self._append_entry("compaction", message)

    def append_branch_summary(
        self,
        parent_id: str | None,
        summary: str,
        *,
        from_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> str:
        """Go on behind another entry, and write there what became of a branch; return the new entry's id.

        `parent_id` None begins a new root. The branch is the one that is left, or the one of `from_id`.
        """
        target, source, id = self._spelled(parent_id), self._spelled(from_id), self._around.mint()

        def build(standing: Standing) -> list[Record]:
            self._refuse_unknown(standing, target)
            stamp = self._around.clock()
            return [
                records.branch_summary(id, target, stamp, source or standing.leaf, summary, details or {})
            ]

        self._appender.append(build)
        return id

    def _append_entry(self, type: str, message: Mapping[str, Any]) -> str:
        if not isinstance(message, Mapping):
            raise SessionError("a message is an object")
        id = message.get("id") or self._around.mint()
        if not isinstance(id, str) or len(id) > LONGEST_ID:
            raise SessionError(f"an id is a string of at most {LONGEST_ID} characters")

        def build(standing: Standing) -> list[Record]:
            if standing.holds(id):
                raise SessionError(
                    f"there is an entry {quoted(id, 'with this id')} already [entry-id-duplicate]"
                )
            self._refuse_unknown(standing, standing.leaf)
            stamp = self._around.clock()
            entry = records.entry(type, id, standing.leaf, stamp, message)
            return [records.leaf(stamp, standing.leaf), entry] if standing.is_elsewhere else [entry]

        self._appender.append(build)
        return id

    # Where it goes on

    def branch(self, entry_id: str | None) -> None:
        """Go on behind another entry; None, or an empty id, begins a new root."""
        target = self._spelled(entry_id)

        def build(standing: Standing) -> list[Record]:
            self._refuse_unknown(standing, target)
            return [records.leaf(self._around.clock(), target)]

        self._appender.append(build)

    def reset_leaf(self) -> None:
        """Begin a new root with the next message."""
        self.branch(None)

    def append_label_change(self, entry_id: str, label: str | None) -> None:
        """Give an entry a label; None, or a blank one, takes it away."""
        target = self._spelled(entry_id)
        if target is None:
            raise SessionError("a label is for an entry")

        def build(standing: Standing) -> list[Record]:
            self._refuse_unknown(standing, target)
            return [records.label(self._around.mint(), self._around.clock(), target, label)]

        self._appender.append(build)

    # What is told beside the conversation

    def append_tool_execution(self, call: Mapping[str, Any], content: str) -> None:
        """Append what a tool did: its call, in the form messages have it, and its whole output."""
        self._append(lambda _: tool_executions.execution(self._around.clock(), call, content))

    def append_system_prompt_snapshot(self, content: str, *, reason: str = "changed") -> bool:
        """Append the system prompt, unless it is empty or the last one again; return whether it was."""
        written = False

        def build(standing: Standing) -> list[Record]:
            nonlocal written
            record = records.system_prompt(self._around.clock(), reason, content)
            # A prompt that has no hash is no text; it goes on, to be refused.
            written = bool(content) and (record["hash"] is None or record["hash"] != standing.prompt_hash)
            return [record] if written else []

        self._appender.append(build)
        return written

    def update_memory_state(
        self, session_memories: Iterable[Any] = (), last_retrieval: Mapping[str, Any] | None = None
    ) -> None:
        """Append what the program remembers of the session, and what it last looked up."""
        memories = list(session_memories)
        self._append(lambda _: records.memory_state(self._around.clock(), memories, last_retrieval))

    def rename(self, name: str | None) -> None:
        """Give the session a name; None, or a blank one, takes it away."""
        self._append(lambda _: records.rename(self._around.clock(), name))

    def update_runtime(
        self,
        *,
        provider: str | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
    ) -> None:
        """Append that another model is in use. What is not given stays; the name is said again."""
        told = (provider, model, reasoning_effort)
        self._append(lambda standing: records.runtime(self._around.clock(), standing.name, *told))

    def _append(self, record: Callable[[Standing], Record]) -> None:
        self._appender.append(lambda standing: [record(standing)])

    # Its end

    def delete_if_unused(self) -> bool:
        """Remove the log if nothing was ever said, named or remembered in it; return whether it was.

        A log that could not be read whole is kept.
        """
        try:
            return self._appender.remove_if(lambda: read_session(self.path).is_unused)
        except SessionError:
            return False

    @contextlib.contextmanager
    def attach(self, system_prompt: str = "") -> Iterator[Session]:
        """Use the session in a `with` block: it begins with the prompt, and an unused log is removed."""
        self.append_system_prompt_snapshot(system_prompt, reason="attach")
        try:
            yield self
        finally:
            with contextlib.suppress(
                OSError
            ):  # an empty file left behind is no reason to hide what was raised
                self.delete_if_unused()
