"""The rules on one record alone. Each is a generator of faults; the caller says where the record is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from convspec import media
from convspec.findings import Fault, Path
from convspec.instants import instant
from convspec.session.payload import MESSAGE, Payload
from convspec.text.strict_json import parse

_CONTROL = re.compile("[\x1b\x80-\x9f]")
_NAMED: dict[str, tuple[Path, ...]] = {
    "session": (("id",),),
    "message": (("id",),),
    "compaction": (("id",),),
    "branch_summary": (("id",),),
    "label": (("id",), ("label",)),
    "session_info": (("name",),),
    "tool_execution_end": (("toolCallId",), ("toolName",)),
}
_NAMED_IN_MESSAGE = ("id", "tool_call_id", "toolCallId", "name", "toolName")
_IMAGES = frozenset(("image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"))
_TYPE_KEYS = ("mimeType", "mime_type", "media_type")


class Record:
    """A record of a known type, with the places that the schema objected to."""

    def __init__(self, value: dict[str, Any], bad: frozenset[Path]) -> None:
        self.value = value
        self.type = str(value["type"])
        self.bad = bad
        message = value.get("message")
        has_payload = self.type in ("message", "compaction") and isinstance(message, dict)
        self.payload = Payload(message, bad) if has_payload and isinstance(message, dict) else None

    def sound(self, *path: str | int) -> Any:
        """Return the value at `path` where the schema passed it, else None."""
        if self.bad and path in self.bad:
            return None
        value: Any = self.value
        for token in path:
            if isinstance(value, dict):
                value = value.get(str(token))
            elif isinstance(value, list) and isinstance(token, int) and token < len(value):
                value = value[token]
            else:
                return None
        return value


def timestamps(record: Record) -> Iterator[Fault]:
    """A timestamp names an instant (session.md#timestamps)."""
    text = record.sound("timestamp")
    if isinstance(text, str) and instant(text) is None:
        yield Fault("timestamp-invalid", "there is no such date or time of day", ("timestamp",))


def controls(record: Record) -> Iterator[Fault]:
    """Ids and names hold no terminal controls (session.md#controls)."""
    places = list(_NAMED.get(record.type, ()))
    if record.payload is not None:
        places += ((*MESSAGE, key) for key in _NAMED_IN_MESSAGE)
        for path, call in record.payload.call_values():
            if isinstance(call, dict):
                inside = ("name",) if call.get("type") == "toolCall" else ("function", "name")
                places += ((*path, "id"), (*path, *inside))
    for place in places:
        value = record.sound(*place)
        if isinstance(value, str) and _CONTROL.search(value):
            yield Fault("text-control", f'"{place[-1]}" holds a terminal control', place)


def own_parent(record: Record) -> Iterator[Fault]:
    """A session is not its own parent (session.md#header-parent)."""
    id = record.sound("id")
    if record.type == "session" and id and record.sound("parentId") == id:
        yield Fault("header-parent-self", "the session names itself as its parent", ("parentId",))


def prompt_digest(record: Record) -> Iterator[Fault]:
    """A snapshot's hash is that of its content (session.md#system-prompt)."""
    content, recorded = record.sound("content"), record.sound("hash")
    if record.type != "system_prompt" or not isinstance(content, str) or not isinstance(recorded, str):
        return
    if prompt_hash(content) not in (None, recorded):
        message = "the hash is not the SHA-256 of the content: one of the two was changed"
        yield Fault("system-prompt-digest", message, ("hash",))


def prompt_hash(content: str) -> str | None:
    """Return the hash of a system prompt as a log writes it; None where it holds half a surrogate."""
    try:
        return "sha256:" + hashlib.sha256(content.encode()).hexdigest()
    except UnicodeEncodeError:
        return None


def error_flags(record: Record) -> Iterator[Fault]:
    """Both flags of a tool execution agree (session.md#tool-execution)."""
    outer, inner = record.sound("isError"), record.sound("result", "isError")
    both = isinstance(outer, bool) and isinstance(inner, bool)
    if record.type == "tool_execution_end" and both and outer is not inner:
        message = '"isError" and the result\'s own "isError" disagree'
        yield Fault("tool-execution-error-flag", message, ("isError",))


def own_id(record: Record) -> Iterator[Fault]:
    """A message's id is its record's (session.md#message-id)."""
    outer, inner = record.sound("id"), record.sound("message", "id")
    both = isinstance(inner, str) and inner and isinstance(outer, str) and outer
    if record.payload is not None and both and inner != outer:
        message = "the message has another id than its record: compaction looks for this one"
        yield Fault("message-id-mismatch", message, (*MESSAGE, "id"))


def blank(record: Record) -> Iterator[Fault]:
    """A message says something, and so does a summary (session.md#blank, session.md#summary)."""
    if record.payload is None:
        return
    if record.type == "compaction":
        place = record.payload.summary_path()
        if place is not None:
            yield Fault("compaction-summary-empty", "the summary is empty: all before it is lost", place)
            return
    if record.payload.is_blank():
        place = (*MESSAGE, "content") if "content" in record.payload.message else MESSAGE
        yield Fault("message-blank", "the message is blank and carries nothing else", place)


def system_role(record: Record) -> Iterator[Fault]:
    """The system prompt is no message (session.md#system-role)."""
    if record.type == "message" and record.payload is not None and record.payload.role() == "system":
        message = "readers take system messages out of the conversation"
        yield Fault("message-system-role", message, (*MESSAGE, "role"))


def arguments(record: Record) -> Iterator[Fault]:
    """Arguments in a string are a JSON object (session.md#arguments)."""
    if record.payload is None:
        return
    for path, call in record.payload.call_values():
        if not isinstance(call, dict):
            continue
        inside: Path = ("arguments",) if call.get("type") == "toolCall" else ("function", "arguments")
        text = record.sound(*path, *inside)
        if isinstance(text, str) and text and not _is_object(text):
            message = "the arguments are a string that holds no JSON object"
            yield Fault("tool-arguments-invalid", message, (*path, *inside))


def _is_object(text: str) -> bool:
    parsed = parse(text.encode("utf-8", "surrogatepass"))
    behind = any(fault.rule == "json-trailing-data" for fault in parsed.faults)
    return isinstance(parsed.value, dict) and not behind


def images(record: Record) -> Iterator[Fault]:
    """An image part can be used (session.md#images)."""
    if record.payload is None:
        return
    for path, part in record.payload.parts():
        if part.get("type") == "image":
            yield from _image(path, part)


def _image(path: Path, part: dict[str, Any]) -> Iterator[Fault]:
    data, key = part.get("data"), next((key for key in _TYPE_KEYS if part.get(key) is not None), None)
    declared = part.get(key) if key else None
    if not isinstance(data, str):
        yield Fault("image-unusable", "the image has no data: readers drop it", path)
    elif not isinstance(declared, str) or declared not in _IMAGES:
        yield Fault("image-unusable", "the image is of no type that readers show: they drop it", path)
    else:
        read = media.read_base64(data)
        if isinstance(read, str):
            yield Fault("attachment-base64", f"not strict base64: {read}", (*path, "data"))
        elif read.size == 0:
            yield Fault("attachment-empty", "the image has no bytes", (*path, "data"))
        else:
            actual = media.mismatch(declared, read.head)
            if actual and key:
                yield Fault("attachment-media-mismatch", f"the bytes are {actual}", (*path, key))


EVERY: tuple[Callable[[Record], Iterator[Fault]], ...] = (
    controls,
    own_parent,
    prompt_digest,
    error_flags,
    images,
)
"""Rules for every record of a known type."""

OTHERS: tuple[Callable[[Record], Iterator[Fault]], ...] = (timestamps,)
"""Rules for records outside the tree."""

ENTRIES: tuple[Callable[[Record], Iterator[Fault]], ...] = (
    timestamps,
    own_id,
    blank,
    system_role,
    arguments,
)
"""Rules for tree records, the first of their id."""
