"""The record of a tool's run: its call under common names, its whole output, what it changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from convspec.session.records_to_write import Record
from convspec.session.restored import NORMALISED, arguments

DEFAULT_TIMEOUT = 30
"""Seconds; what a command is given that was called without a timeout."""

_FAILED = ("Error:", "Declined:", "Cancelled.")
_CHANGING = ("edit", "write")
_DIFF = re.compile(r"^--- ", re.MULTILINE)
_HUNK = re.compile(r"^@@ -[0-9]+(?:,[0-9]+)? \+([0-9]{1,15})(?:,[0-9]+)? @@.*\n?", re.MULTILINE)
_SNAKE = re.compile("_([a-z0-9])")
_DEEPEST = 100


def execution(timestamp: str, call: Mapping[str, Any], content: str) -> Record:
    """Return the record of a call, as messages have it, and what it gave (session.md#tool-execution)."""
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    raw = function.get("name")
    name = NORMALISED.get(raw, raw) if isinstance(raw, str) else raw
    given = function.get("arguments")
    args = _args(name, arguments(dict(given) if isinstance(given, Mapping) else given))
    result = _result(name, args, content)
    return {
        "type": "tool_execution_end",
        "timestamp": timestamp,
        "toolCallId": call.get("id"),
        "toolName": name,
        "args": args,
        "result": result,
        "isError": result["isError"],
    }


def _result(name: Any, args: Mapping[str, Any], content: str) -> Record:
    failed = content.startswith(_FAILED)
    result: Record = {"content": content, "isError": failed, "images": []}
    if failed or name not in _CHANGING:
        return result
    begin = _DIFF.search(content)
    if begin is not None:
        result["diff"] = content[begin.start() :]
        line = first_changed_line(result["diff"])
        if line is not None:
            result["firstChangedLine"] = line
    if args.get("path"):
        result["changedFiles"] = [args["path"]]
    return result


def first_changed_line(diff: str) -> int | None:
    """Return the line of the new text at which the first hunk of a diff adds or takes away."""
    hunk = _HUNK.search(diff)
    if hunk is None:
        return None
    line, at = int(hunk[1]), hunk.end()
    while diff[at : at + 1] == " ":
        line, at = line + 1, (diff.find("\n", at) + 1) or len(diff)
    return max(line, 1) if diff[at : at + 1] in ("+", "-") else None


def _args(name: Any, given: Mapping[str, Any]) -> Record:
    if name == "edit":
        edits = given.get("edits")
        listed = [_edit(one) for one in edits if isinstance(one, Mapping)] if isinstance(edits, list) else []
        return _present({"path": given.get("path"), "edits": listed or None})
    if name == "write":
        return _present({"path": given.get("path"), "content": given.get("content")})
    if name == "bash":
        timeout = _first(given, "timeout", "timeout_seconds")
        told = {"command": given.get("command"), "timeout": DEFAULT_TIMEOUT if timeout is None else timeout}
        return _present(told)
    return {_camel_key(key): _camel(item, 1) for key, item in given.items()}


def _edit(one: Mapping[str, Any]) -> Record:
    old, new = _first(one, "oldText", "old_text"), _first(one, "newText", "new_text")
    return _present({"oldText": old, "newText": new})


def _first(given: Mapping[str, Any], *keys: str) -> Any:
    return next((given[key] for key in keys if given.get(key) is not None), None)


def _present(members: Mapping[str, Any]) -> Record:
    return {key: value for key, value in members.items() if value is not None}


def _camel(value: Any, depth: int) -> Any:
    """Turn keys like `max_lines` into `maxLines`. What is nested too deep is refused later, not here."""
    if depth > _DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {_camel_key(key): _camel(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_camel(item, depth + 1) for item in value]
    return value


def _camel_key(key: str) -> str:
    return _SNAKE.sub(lambda found: found[1].upper(), key) if isinstance(key, str) else key
