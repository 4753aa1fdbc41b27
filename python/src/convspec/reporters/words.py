"""Words that several forms of output share."""

from __future__ import annotations

import re
from collections.abc import Mapping

from convspec.findings import Counts, FileReport

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Escape what could move the cursor, reorder a line, or not be encoded."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def number(count: int, one: str, many: str | None = None) -> str:
    """Say how many: `1 error`, `3 errors`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def weights(counts: Counts, *, infos: bool = False) -> str:
    """Say what was found: `3 errors, 1 warning`; `no findings` where there is nothing."""
    parts = [number(counts.errors, "error")] if counts.errors else []
    parts += [number(counts.warnings, "warning")] if counts.warnings else []
    parts += [number(counts.infos, "info")] if counts.infos and infos else []
    return ", ".join(parts) or "no findings"


def place(report: FileReport, line: int | None, column: int | None) -> str:
    """Name a place the way editors understand: path, line, column."""
    path = printable(report.path)
    return path if line is None else f"{path}:{line}:{column}"


def tally(counted: Mapping[str, int] | None) -> str:
    """Say what the file holds: `9 messages, 2 attachments`, `11 of 275 entries reachable`."""
    if counted and "entries" in counted:
        return _log_tally(counted)
    if not counted or not counted["messages"]:
        return ""
    words = number(counted["messages"], "message")
    if counted.get("attachments"):
        words += f", {number(counted['attachments'], 'attachment')}"
    return words


def _log_tally(counted: Mapping[str, int]) -> str:
    if not counted["records"]:
        return ""
    reachable, entries = counted["branch"], counted["entries"]
    words = f"{reachable:,} of {number(entries, 'entry', 'entries')} reachable"
    words += f", {number(counted['messages'], 'message')} restored"
    return words + (f", {number(counted['skipped'], 'place')} unreadable" if counted["skipped"] else "")


def verdict(summary: Mapping[str, int], *, infos: bool = False) -> str:
    """Say in one line how a run ended: `3 errors, 1 warning in 2 of 14 files`, `14 files valid`."""
    files, faulty = summary["files"], summary["files"] - summary["valid"]
    found = weights(Counts(summary["errors"], summary["warnings"], summary["infos"]), infos=infos)
    if faulty == 0:
        text = f"{number(files, 'file')} valid"
        return text if found == "no findings" else f"{text}, {found}"
    text = f"{found} in {faulty:,} of {number(files, 'file')}"
    apart = [f"{summary[key]:,} {key}" for key in ("unreadable", "unsupported") if summary[key]]
    return f"{text} ({', '.join(apart)})" if apart else text
