"""Records as writers write them: members, their order, what is left out (session.md, section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convspec.blank import WHITE_SPACE
from convspec.session.compaction import SUMMARY
from convspec.session.record_checks import prompt_hash

VERSION = 2
"""The version that is written."""

Record = dict[str, Any]


def header(
    id: str,
    timestamp: str,
    cwd: str,
    *,
    provider: str | None = None,
    model: str | None = None,
    reasoning_effort: str | None = None,
    parent_id: str | None = None,
    parent_path: str | None = None,
) -> Record:
    """Return a header (session.md#header)."""
    optional = _runtime(provider, model, reasoning_effort)
    optional |= {"parentId": parent_id, "parentPath": parent_path}
    begin = {"type": "session", "version": VERSION, "id": id, "timestamp": timestamp, "cwd": cwd}
    return begin | _filled(optional)


def entry(type: str, id: str, parent_id: str | None, timestamp: str, message: Mapping[str, Any]) -> Record:
    """Return a message or compaction record; the message says its id too (session.md#message-id)."""
    return {**_tree(type, id, parent_id, timestamp), "message": {**message, "id": id}}


def branch_summary(
    id: str,
    parent_id: str | None,
    timestamp: str,
    from_id: str | None,
    summary: str,
    details: Mapping[str, Any],
) -> Record:
    """Return a branch summary (session.md#branch-summary)."""
    source = {} if from_id is None else {"fromId": from_id}
    begin = _tree("branch_summary", id, parent_id, timestamp)
    return {**begin, **source, "summary": summary, "details": details}


def _tree(type: str, id: str, parent_id: str | None, timestamp: str) -> Record:
    parent = {} if parent_id is None else {"parentId": parent_id}
    return {"type": type, "id": id, **parent, "timestamp": timestamp}


def compaction_message(
    summary: str,
    first_kept_entry_id: str | None,
    tokens_before: int | None,
    read_files: tuple[str, ...],
    modified_files: tuple[str, ...],
) -> Record:
    """Return the message of a compaction (session.md#compaction-record)."""
    optional = {"first_kept_entry_id": first_kept_entry_id or None, "tokens_before": tokens_before}
    details = {"read_files": sorted(set(read_files)), "modified_files": sorted(set(modified_files))}
    begin = {"role": SUMMARY, "summary": summary}
    kept = {key: value for key, value in optional.items() if value is not None}
    return {**begin, **kept, "from_hook": False, "details": details}


def leaf(timestamp: str, target_id: str | None) -> Record:
    """Return a leaf record; the target is always there (session.md#leaf-record)."""
    return {"type": "leaf", "timestamp": timestamp, "targetId": target_id}


def label(id: str, timestamp: str, target_id: str, text: str | None) -> Record:
    """Return a label record; the label is always there (session.md#label-record)."""
    return {
        "type": "label",
        "id": id,
        "timestamp": timestamp,
        "targetId": target_id,
        "label": stripped(text),
    }


def rename(timestamp: str, name: str | None) -> Record:
    """Return a session_info that sets or clears the name (session.md#session-info)."""
    return {"type": "session_info", "timestamp": timestamp, "name": stripped(name)}


def runtime(
    timestamp: str,
    name: str | None,
    provider: str | None,
    model: str | None,
    reasoning_effort: str | None,
) -> Record:
    """Return a session_info on the model; it repeats the name, which would be lost otherwise."""
    told = {"name": name, **_runtime(provider, model, reasoning_effort)}
    return {"type": "session_info", "timestamp": timestamp, **_filled(told)}


def system_prompt(timestamp: str, reason: str, content: str) -> Record:
    """Return a snapshot of a system prompt (session.md#system-prompt)."""
    return {
        "type": "system_prompt",
        "timestamp": timestamp,
        "reason": reason,
        "hash": prompt_hash(content),
        "content": content,
    }


def memory_state(timestamp: str, memories: list[Any], retrieval: Mapping[str, Any] | None) -> Record:
    """Return a memory record; both members are always there (session.md#memory-state)."""
    return {
        "type": "memory_state",
        "timestamp": timestamp,
        "sessionMemories": memories,
        "lastRetrieval": retrieval,
    }


def stripped(text: str | None) -> str | None:
    """Return a name or label without white space around it, None where nothing is left."""
    return (text or "").strip(WHITE_SPACE) or None


def _runtime(provider: str | None, model: str | None, reasoning_effort: str | None) -> Record:
    return {"provider": provider, "model": model, "reasoningEffort": reasoning_effort}


def _filled(members: Mapping[str, Any]) -> Record:
    return {key: value for key, value in members.items() if value not in (None, "")}
