"""What a reader makes of a log, valid or not (session.md, section 7). One place for all who need it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from convspec.blank import is_blank
from convspec.session.compaction import Context, take
from convspec.session.log import Log
from convspec.session.tree import Tree, branch_of, leaf_of

RECOVERING = frozenset(("message", "session_info", "system_prompt", "memory_state"))
"""Records any of which lets a lost header be recovered from the file's name."""

_STORE_NAME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T)([0-9]{2})-([0-9]{2})-([0-9]{2}\.[0-9]{3}Z)_([0-9a-fA-F-]{36})\.jsonl"
)
_FACTS = ("id", "timestamp", "cwd", "provider", "model", "reasoningEffort", "parentId", "parentPath")
_RUNTIME = ("provider", "model", "reasoningEffort")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the log says: header, leaf, branch, messages, name, runtime, labels, memory, prompt.

    `leaf` and `branch` mean nothing in version 1, which has no tree.
    """

    header: dict[str, Any] | None
    leaf: str | None
    branch: tuple[str, ...]
    messages: tuple[tuple[str, str | None], ...]
    name: str | None
    runtime: dict[str, str | None]
    labels: dict[str, str]
    memory: tuple[list[Any], Any]
    system_prompt: str | None
    linear: bool

    def value(self) -> dict[str, Any]:
        """Return the reading in the form in which cases state it (schema/conformance)."""
        value: dict[str, Any] = {
            "header": self.header,
            "messages": [{"role": role, "id": id} for role, id in self.messages],
            "name": self.name,
            "runtime": self.runtime,
            "labels": self.labels,
            "memory": {"sessionMemories": self.memory[0], "lastRetrieval": self.memory[1]},
            "system_prompt": self.system_prompt,
        }
        if not self.linear:
            value |= {"leaf": self.leaf, "branch": list(self.branch)}
        return value


def store_name(name: str | None) -> tuple[str, str] | None:
    """Return id and timestamp that a file's name in the store's pattern holds, else None."""
    match = _STORE_NAME.fullmatch(name or "")
    return None if match is None else (match[5], f"{match[1]}{match[2]}:{match[3]}:{match[4]}")


def header_of(log: Log, name: str | None) -> dict[str, Any] | None:
    """Return the header in force, or one recovered from the file's name (session.md#reading-header)."""
    if log.headers:
        _, facts, _ = next((one for one in log.headers if one[2]), log.headers[0])
        return {key: facts[key] or None for key in _FACTS} | {"recovered": False}
    known = store_name(name)
    if known is None or not log.types & RECOVERING:
        return None
    return dict.fromkeys(_FACTS) | {"id": known[0], "timestamp": known[1], "recovered": True}


def read(log: Log, tree: Tree | None, name: str | None) -> Reading:
    """Return the reading of a log; `tree` is None for version 1, `name` the file's name."""
    branch = branch_of(log, tree)
    context = Context()
    for entry in branch:
        take(context, entry)
    header = header_of(log, name)
    runtime = {key: (header or {}).get(key) for key in _RUNTIME} | log.infos.runtime
    labels: dict[str, str] = {}
    for label in log.labels:
        if label.text is not None and not is_blank(label.text):
            labels[label.target] = label.text
        else:
            labels.pop(label.target, None)
    return Reading(
        header=header,
        leaf=None if tree is None else leaf_of(log),
        branch=tuple(entry.id for entry in branch),
        messages=tuple((entry.role or "", entry.message_id) for entry in context.restored()),
        name=log.infos.name,
        runtime=runtime,
        labels=labels,
        memory=log.infos.memory,
        system_prompt=log.infos.prompt,
        linear=tree is None,
    )


def tally(log: Log, tree: Tree | None, reading: Reading) -> dict[str, int]:
    """Count what the log holds (session.md#tally)."""
    return {
        "records": log.records,
        "entries": sum(1 for _ in log.entries()) if tree is None else len(tree.first),
        "branch": len(reading.branch),
        "messages": len(reading.messages),
        "skipped": log.skipped,
    }
