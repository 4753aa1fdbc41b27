"""JSON Pointers (RFC 6901) and plain names for the places they point at."""

from __future__ import annotations

import re
from itertools import pairwise

from convspec.findings import Path

LONGEST_SHOWN_ID = 128
"""Code points of an id that a finding carries (history.md#pointers)."""

FOREIGN = "arguments"
"""The member whose content is a tool's own."""

LONGEST_KEY = 256
"""A pointer stops above a key of more code points than this (history.md#pointers)."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = re.compile("[!-~]{1,64}")
_KEY = re.compile("[A-Za-z_$][A-Za-z0-9_.$-]{0,39}")
_INDEX = re.compile("[0-9]{1,15}")  # a key may look like a longer one, or hold other digits
_NAMES = {
    "messages": "message",
    "attachments": "attachment",
    "tool_calls": "call",
}


def nameable(key: str) -> bool:
    """Say whether a pointer may pass through `key` (history.md#pointers)."""
    return len(key) <= LONGEST_KEY and not _SURROGATE.search(key)


def bounded(path: Path) -> Path:
    """Return `path` up to the first key that a pointer may not name."""
    for index, token in enumerate(path):
        if isinstance(token, str) and not nameable(token):
            return path[:index]
    return path


def to_pointer(path: Path) -> str:
    """Write `path` as a JSON Pointer."""
    return "".join([f"/{token}" if isinstance(token, int) else "/" + _escaped(token) for token in path])


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


def quoted(id: str, otherwise: str) -> str:
    """Return an id in quotes for a message, or `otherwise` where it is not fit to be shown."""
    return f'"{id}"' if _PLAIN.fullmatch(id) else otherwise


def nameable_to_people(key: str) -> bool:
    """Say whether a key looks like a name, so that it may be shown: a lost quote makes keys of text."""
    return bool(_KEY.fullmatch(key))


def shown(pointer: str, known: frozenset[str]) -> str:
    """Return a pointer as people see it: keys of foreign content, and keys of text, as `…`."""
    tokens = []
    foreign = False
    for token in pointer.split("/")[1:]:
        hidden = foreign or not (token.isdigit() or token in known or nameable_to_people(token))
        tokens.append("…" if hidden and not token.isdigit() else token)
        foreign = foreign or token == FOREIGN
    return "".join("/" + token for token in tokens)


def shape_of(pointer: str | None) -> str:
    """Return a pointer with `*` in place of list indexes."""
    return re.sub(r"/[0-9]+(?=/|\Z)", "/*", pointer or "")


def cut_id(id: str) -> str:
    """Return an id as a finding carries it: a long one is cut."""
    return id if len(id) <= LONGEST_SHOWN_ID else id[:LONGEST_SHOWN_ID] + "…"


def describe(pointer: str) -> str:
    """Name the place for a person: `/messages/7/tool_calls/0/id` is `message 8, call 1`."""
    tokens = pointer.split("/")[1:]
    names = []
    for token, index in pairwise(tokens):
        if token in _NAMES and _INDEX.fullmatch(index):
            names.append(f"{_NAMES[token]} {int(index) + 1}")
    return ", ".join(names)
