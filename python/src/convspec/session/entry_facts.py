"""What a tree record says that later passes need: parent, time, role, calls, what a compaction keeps."""

from __future__ import annotations

from convspec.instants import instant
from convspec.session.record_checks import Record
from convspec.session.records import NOTHING_SAID, Entry, Said, key_of, text_of


def fill(entry: Entry, record: Record) -> None:
    """Take from a tree record what later passes need."""
    value = record.value
    parent = value.get("parentId")
    entry.parent = key_of(parent)
    entry.parent_sound = ("parentId",) not in record.bad
    if entry.parent is None and parent is not None and not isinstance(parent, str):
        entry.parent, entry.parent_sound = "", False  # names nothing that can be found
    entry.parent_path = ("parentId",) if "parentId" in value else ()
    stamp = record.sound("timestamp")
    entry.time = instant(stamp) if isinstance(stamp, str) else None
    if record.type == "branch_summary":
        entry.role = "branchSummary"
        entry.message_id = entry.id if text_of(value.get("id")) else None
        return
    if record.payload is None:
        unread = record.type == "message"
        entry.said = Said(calls_unread=unread, result_unread=unread)
        return
    role = record.payload.message.get("role")
    entry.role = role if isinstance(role, str) else None
    entry.message_id = key_of(record.payload.sound("id")) or (entry.id if text_of(value.get("id")) else None)
    if record.type == "message":
        entry.said = record.payload.said()
    else:
        entry.said = NOTHING_SAID
        entry.kept = record.payload.kept()
