"""Turn a twin's input into a case's input by the edits the case declares.

Works on a tree: a mapping of file paths, relative to the case's folder, to bytes, and a list of
setup steps for what git cannot hold. Nothing is read or written here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Tree:
    """The input of a case: its name, its files by path, and the steps that complete it."""

    input: str
    files: Mapping[str, bytes]
    setup: tuple[Mapping[str, str], ...] = field(default=())


def apply_edits(tree: Tree, edits: list[dict[str, Any]]) -> Tree:
    """Return the tree that the edits make of `tree`. Raises ValueError for an edit that does not fit."""
    for edit in edits:
        tree = _apply(tree, edit)
    return tree


def _apply(tree: Tree, edit: dict[str, Any]) -> Tree:
    operation = edit["op"]
    if operation == "rename":
        return _renamed(tree, edit["to"])
    if operation == "file-op":
        return _file_op(tree, edit)
    path = tree.input
    if path not in tree.files:  # a folder
        path = f"{tree.input}/{edit.get('file', 'history.json')}"
    data = tree.files[path]
    if operation == "bytes":
        start, stop = edit["offset"], edit["offset"] + edit.get("delete", 0)
        if stop > len(data):
            raise ValueError(f"edit reaches past the end of {path}")
        data = data[:start] + _inserted(edit) + data[stop:]
    elif operation == "truncate":
        data = data[: edit["length"]]
    elif "line" in edit:
        lines = data.split(b"\n")
        index = edit["line"] - 1
        lines[index] = _json_edited(lines[index], edit, indent=None)
        data = b"\n".join(lines)
    else:
        data = _json_edited(data, edit, indent=2) + b"\n"
    return Tree(tree.input, {**tree.files, path: data}, tree.setup)


def _inserted(edit: dict[str, Any]) -> bytes:
    once = bytes.fromhex(edit["insert_hex"]) if "insert_hex" in edit else edit.get("insert", "").encode()
    return once * int(edit.get("repeat", 1))


def _renamed(tree: Tree, name: str) -> Tree:
    def moved(path: str) -> str:
        head, slash, rest = path.partition("/")
        return name + slash + rest if head == tree.input else path

    return Tree(name, {moved(path): data for path, data in tree.files.items()}, tree.setup)


def _file_op(tree: Tree, edit: dict[str, Any]) -> Tree:
    files, setup, path, action = dict(tree.files), tree.setup, edit["path"], edit["action"]
    if action == "write":
        files[path] = bytes.fromhex(edit["hex"]) if "hex" in edit else edit["text"].encode()
    elif action == "rename":
        files[edit["to"]] = files.pop(path)
    else:
        below = [name for name in files if name == path or name.startswith(path + "/")]
        if action == "remove" and not below:
            raise ValueError(f"there is no {path} to remove")
        for name in below:
            del files[name]
        if action == "symlink":
            setup = (*setup, {"action": "symlink", "path": path, "to": edit["to"]})
        elif action == "fifo":
            setup = (*setup, {"action": "fifo", "path": path})
    return Tree(tree.input, files, setup)


def _json_edited(data: bytes, edit: dict[str, Any], *, indent: int | None) -> bytes:
    document = json.loads(data)
    tokens = [token.replace("~1", "/").replace("~0", "~") for token in edit["pointer"].split("/")[1:]]
    if not tokens:
        return _dumped(edit["value"], indent)
    holder = document
    for token in tokens[:-1]:
        holder = holder[int(token)] if isinstance(holder, list) else holder[token]
    last = tokens[-1]
    if isinstance(holder, list):
        if edit["op"] == "json-remove":
            del holder[int(last)]
        elif last == "-":
            holder.append(edit["value"])
        else:
            holder[int(last)] = edit["value"]
    elif edit["op"] == "json-remove":
        del holder[last]
    else:
        holder[last] = edit["value"]
    return _dumped(document, indent)


def _dumped(value: object, indent: int | None) -> bytes:
    """The form inputs are written in: like `json.dumps`, raw characters except lone surrogates."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent, separators=separators).encode()
