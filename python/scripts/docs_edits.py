"""What a case changes in its twin, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from convspec.conformance.cases import Case
from convspec.conformance.edits import Tree, apply_edits
from docs_markdown import code, value

DOCUMENT = "history.json"
MOST_BYTES = 12


def document(tree: Tree) -> str:
    """Return the path of the document itself, for a folder that of the file in it."""
    return tree.input if tree.input in tree.files else f"{tree.input}/{DOCUMENT}"


def steps(case: Case, twin: Case) -> Iterator[str]:
    """Yield one sentence per edit that turns the twin's input into the case's."""
    tree = twin.tree
    for edit in case.document["edit"]:
        yield _step(tree, edit)
        tree = apply_edits(tree, [edit])


def _step(tree: Tree, edit: Mapping[str, Any]) -> str:
    operation = edit["op"]
    if operation == "rename":
        return f"The input {code(tree.input)} is renamed to {code(edit['to'])}."
    if operation == "file-op":
        return _file_step(edit)
    if operation == "truncate":
        return f"The file is cut off after {_bytes(edit['length'])}."
    if operation == "bytes":
        return _byte_step(edit)
    return _value_step(tree, edit)


def _value_step(tree: Tree, edit: Mapping[str, Any]) -> str:
    holder, _, last = edit["pointer"].rpartition("/")
    where = f"On line {edit['line']}, " if "line" in edit else ""
    if last == "-":
        return f"{where}{value(edit['value'])} is added at the end of {code(holder)}."
    whole = "the whole record" if where else "The whole document"
    pointer = where + (code(edit["pointer"]) if edit["pointer"] else whole)
    known, old = _looked_up(tree, edit["pointer"], edit.get("line"))
    if edit["op"] == "json-remove":
        return f"{pointer} is removed; it was {value(old)}."
    if known:
        return f"{pointer} changes from {value(old)} to {value(edit['value'])}."
    return f"{pointer} is added: {value(edit['value'])}."


def _looked_up(tree: Tree, pointer: str, line: int | None) -> tuple[bool, Any]:
    """Return whether the pointer names a value of the document or record, and that value."""
    data = tree.files[document(tree)]
    found: Any = json.loads(data if line is None else data.split(b"\n")[line - 1])
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        try:
            found = found[int(key)] if isinstance(found, list) else found[key]
        except (KeyError, IndexError, ValueError):
            return False, None
    return True, found


def _byte_step(edit: Mapping[str, Any]) -> str:
    deleted = edit.get("delete", 0)
    inserted, verb = _inserted(edit)
    place = "At the start" if edit["offset"] == 0 else f"At byte {edit['offset']}"
    gone = f"{_bytes(deleted)} {'is' if deleted == 1 else 'are'}"
    if not inserted:
        return f"{place}, {gone} taken out."
    if deleted:
        return f"{place}, {gone} replaced by {inserted}."
    return f"{place}, {inserted} {verb} put in."


def _inserted(edit: Mapping[str, Any]) -> tuple[str, str]:
    """Return what an edit puts in, and the verb that goes with it."""
    digits, text = edit.get("insert_hex", ""), edit.get("insert", "")
    if digits:
        pairs = [digits[at : at + 2].upper() for at in range(0, len(digits), 2)]
        more = " …" if len(pairs) > MOST_BYTES else ""
        word, verb = ("byte", "is") if len(pairs) == 1 else ("bytes", "are")
        what = f"the {word} " + code(" ".join(pairs[:MOST_BYTES]) + more)
    elif text:
        plain = text.isprintable() and text == text.strip()
        what, verb = "the text " + (code(text) if plain else value(text)), "is"
    else:
        return "", ""
    times = edit.get("repeat", 1)
    return (what, verb) if times == 1 else (f"{times} times {what}", verb)


def _bytes(count: int) -> str:
    return f"{count} byte{'' if count == 1 else 's'}"


def _file_step(edit: Mapping[str, Any]) -> str:
    path, action = code(edit["path"]), edit["action"]
    if action == "write":
        size = len(edit["hex"]) // 2 if "hex" in edit else len(edit["text"].encode())
        return f"{path} is written anew, with {_bytes(size)}."
    if action == "rename":
        return f"{path} is moved to {code(edit['to'])}."
    if action == "symlink":
        return f"{path} becomes a symbolic link to {code(edit['to'])}."
    if action == "fifo":
        return f"{path} becomes a FIFO."
    return f"{path} is removed."
