"""What is made of restored messages: payloads, the files that were read, the outputs of tools."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from convspec.session.compaction import Context, take
from convspec.session.records import Entry, text_of

NORMALISED = {"read_file": "read", "edit_file": "edit", "write_file": "write", "run_shell_command": "bash"}
"""Names of tools, and what they are called in the record of a run. All others keep theirs."""

_RAW_NAMES = {short: raw for raw, short in NORMALISED.items()}
_READ = "read_file"


@dataclass(frozen=True, slots=True)
class Artifact:
    """The full output of a tool. `id` is made from name and content, so it is the same in every copy."""

    id: str
    tool_name: str
    content: str = field(repr=False)


def context(branch: Iterable[Entry]) -> Context:
    """Return what is restored along a branch (session.md#reading-messages)."""
    found = Context()
    for entry in branch:
        take(found, entry)
    return found


def message(entry: Entry, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message of a record (session.md#reading-messages)."""
    if entry.type == "branch_summary":
        return {"role": "branchSummary", "content": record.get("summary"), "id": entry.id}
    payload = dict(record["message"])
    own = payload.get("id")
    if not (isinstance(own, str) and own) and entry.message_id is not None:
        payload["id"] = text_of(record.get("id")) or entry.message_id
    return payload


def read_paths(messages: Iterable[Mapping[str, Any]], workspace: str) -> tuple[str, ...]:
    """Return the paths that `read_file` was asked for and gave, each once, that are in the workspace now.

    An answer that begins with `Error:` is none.
    """
    asked: dict[str, str] = {}
    found: dict[str, None] = {}
    root = os.path.realpath(workspace)
    for one in messages:
        if one.get("role") == "assistant":
            asked |= _asked_paths(one)
        elif one.get("role") == "tool" and one.get("name") == _READ:
            call, content = one.get("tool_call_id") or one.get("toolCallId"), one.get("content")
            path = asked.get(call) if isinstance(call, str) else None
            failed = isinstance(content, str) and content.startswith("Error:")
            if path is not None and not failed and _is_inside(path, root):
                found[path] = None
    return tuple(found)


def _asked_paths(one: Mapping[str, Any]) -> dict[str, str]:
    calls = one.get("tool_calls") or one.get("toolCalls")
    found = {}
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and function.get("name") == _READ and isinstance(call.get("id"), str):
            path = arguments(function.get("arguments")).get("path")
            if isinstance(path, str):
                found[call["id"]] = path
    return found


def arguments(value: Any) -> dict[str, Any]:
    """Return the arguments of a call, written as an object or as text; none where they are neither."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _is_inside(path: str, root: str) -> bool:
    """Say whether a path leads to a file in the workspace, links followed."""
    try:
        real = os.path.realpath(os.path.join(root, path), strict=True)
        return os.path.commonpath((real, root)) == root and os.path.isfile(real)
    except (OSError, ValueError):
        return False


def artifacts(
    results: Iterable[Mapping[str, Any]], executions: Iterable[Mapping[str, Any]]
) -> Iterator[Artifact]:
    """Yield the output of each execution, under the name that the model knows its tool by."""
    names: dict[str, str] = {}
    for one in results:
        call, name = one.get("tool_call_id") or one.get("toolCallId"), one.get("name")
        if isinstance(call, str) and isinstance(name, str):
            names[call] = name
    for record in executions:
        result = record.get("result")
        content = result.get("content") if isinstance(result, dict) else None
        if not isinstance(content, str):
            continue
        call, normalised = record.get("toolCallId"), record.get("toolName")
        known = names.get(call) if isinstance(call, str) else None
        tool = known or _RAW_NAMES.get(str(normalised), str(normalised or ""))
        yield Artifact(artifact_id(tool, content), tool, content)


def artifact_id(tool_name: str, content: str) -> str:
    """Return `toolout_` and 16 hexadecimal digits of the SHA-256 of name, NUL and content."""
    data = f"{tool_name}\0{content}".encode("utf-8", "surrogatepass")
    return "toolout_" + hashlib.sha256(data).hexdigest()[:16]
