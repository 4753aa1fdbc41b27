"""The layers of a check of one history, in order: json, version, schema, document, attachments.

A later layer runs only on what the earlier ones left sound (history.md#layers).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from convspec import engines, schemas
from convspec.findings import Fault, Path, Severity
from convspec.history import checks
from convspec.history.attachment_checks import Attachments
from convspec.history.folder import Folder
from convspec.history.sound import MESSAGES, Sound
from convspec.pointers import cut_id
from convspec.rules import severity_of
from convspec.schema_faults import UnknownKeys, fault_of, type_name, value_at
from convspec.text.strict_json import MISSING, Parsed
from convspec.versions import read_version

FORMAT = "history"
NOTHING: Mapping[str, int] = {"messages": 0, "attachments": 0, "attachment_bytes": 0}
# Members of an attachment whose own rules cover U+0000.
_OWN_RULES = frozenset(("data", "file", "sha256", "filename"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the layers found in one history."""

    faults: tuple[Fault, ...]
    version: int | None
    tally: Mapping[str, int] | None
    unsupported: bool = False
    stored: Mapping[str, bytes] = field(default_factory=dict)
    """The bytes of stored attachments by their `file`, where they were to be kept."""


def check(parsed: Parsed, folder: str | None, *, keep: bool = False) -> Outcome:
    """Judge a parsed document; `folder` is where its stored attachments are, or None.

    `keep`: hand the bytes of stored attachments on.
    """
    document = parsed.value
    if document is MISSING:
        return Outcome(parsed.faults, None, NOTHING)
    faults = [fault for fault in parsed.faults if not _has_own_rule(fault, document)]
    if not isinstance(document, dict):
        message = f"the document must be an object, not {type_name(document)}"
        return Outcome((*faults, Fault("schema-type", message, ())), None, NOTHING)
    version, fault = read_version(document, FORMAT)
    if fault is not None:
        faults.append(fault)
        if fault.rule == "version-newer":
            return Outcome(tuple(faults), version, None, unsupported=True)
    part = schemas.schema_for(FORMAT, version or schemas.versions(FORMAT)[-1], "history")
    broken = [
        violation
        for violation in engines.violations(part, document)
        if violation.path != ("version",) and violation.member != "version"
    ]
    faults += (fault_of(violation, document) for violation in broken)
    history = Sound(document, broken)
    faults += _unknown_keys(history, document, version or schemas.versions(FORMAT)[-1])
    for rule in checks.RULES:
        faults += rule(history)
    with nullcontext() if folder is None else Folder(folder, keep=keep) as opened:
        attachments = Attachments(history, opened)
        faults += attachments.faults()
        stored = {} if opened is None else opened.kept()
    named = tuple(_with_record(fault, document) for fault in faults)
    return Outcome(named, version, _tally(history, attachments, faults), stored=stored)


def _tally(history: Sound, attachments: Attachments, faults: list[Fault]) -> Mapping[str, int]:
    """Count what the file holds; the bytes only of attachments without an error (history.md#tally)."""
    wrong = {
        fault.path[:4]
        for fault in faults
        if fault.path is not None and severity_of(fault.rule, FORMAT) is Severity.ERROR
    }
    return {
        "messages": sum(1 for _ in history.messages()),
        "attachments": attachments.count,
        "attachment_bytes": sum(size for path, size in attachments.sizes.items() if path not in wrong),
    }


def _unknown_keys(history: Sound, document: dict[str, Any], version: int) -> Iterator[Fault]:
    def known(part: str) -> frozenset[str]:
        return schemas.members(schemas.schema_for(FORMAT, version, part))

    keys = UnknownKeys()
    keys.look(document, (), known("history"))
    of_message, of_block = known("message"), {part: known(part) for part in ("thinking", "tokens")}
    for index, message in history.messages():
        keys.look(message, (MESSAGES, index), of_message)
        for part, members in of_block.items():
            block = message.get(part)
            if isinstance(block, dict):
                keys.look(block, (MESSAGES, index, part), members)
    of_attachment, of_call = known("attachment"), known("tool-call")
    for path, attachment in history.attachments():
        keys.look(attachment, path, of_attachment)
    for path, call in history.calls():
        keys.look(call, path, of_call)
    return keys.faults()


def _has_own_rule(fault: Fault, document: Any) -> bool:
    """Say whether a text fault stands in a member whose own rule tells it."""
    if fault.rule != "text-nul" or not fault.path or fault.path[0] != MESSAGES:
        return False
    if not isinstance(value_at(document, fault.path), str):  # a key of an object in its place
        return False
    below = fault.path[2:]
    if below == ("thinking", "signature"):
        return True
    return len(below) == 3 and below[0] == "attachments" and below[2] in _OWN_RULES


def _with_record(fault: Fault, document: dict[str, Any]) -> Fault:
    """Add the id of the message a fault stands in."""
    path: Path = fault.path or ()
    if len(path) < 2 or path[0] != MESSAGES:
        return fault
    message = value_at(document, path[:2])
    id = message.get("id") if isinstance(message, dict) else None
    if not isinstance(id, str) or not id:
        return fault
    return replace(fault, record_id=cut_id(id))
