"""Animals that judge rightly and read wrongly. They claim the verdict and the reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from convspec.conformance.cases import Case
from zoo.bends import of_log, read_as
from zoo.keeper import Animal, Answer, Reference, bent

Value = dict[str, Any]
Records = list[Value]


def _reads(name: str, wrong: str, bend: Any, *by: str) -> Animal:
    return bent(name, wrong, bend, *by, at=("reading",), levels=("verdict", "reading"))


def _counted(change: Callable[[Value], Value]) -> Any:
    """Change the tally where there is one."""
    return read_as(
        lambda reading: {**reading, "tally": change(reading["tally"])} if reading.get("tally") else reading
    )


def _tree(change: Callable[[Value, Records], Value]) -> Any:
    """Change the reading of a log of version 2, by its records."""
    return of_log(lambda reading, records: change(reading, records) if "leaf" in reading else reading)


def _truly(value: Any) -> Any:
    """Put true for 1 and false for 0, as a language does that takes them for the same."""
    if isinstance(value, dict):
        return {key: _truly(item) for key, item in value.items()}
    return bool(value) if value in (0, 1) else value


def _entries(records: Records) -> dict[str, Value]:
    """Return the tree records by id, in the order of the file; of one id the last."""
    return {
        record["id"]: record
        for record in records
        if record.get("type") in ("message", "compaction", "branch_summary")
        and isinstance(record.get("id"), str)
    }


def _last_line(reading: Value, records: Records) -> Value:
    return {**reading, "leaf": records[-1].get("id")}


def _last_entry(reading: Value, records: Records) -> Value:
    return {**reading, "leaf": next(reversed(_entries(records)), None)}


def _file_order(reading: Value, records: Records) -> Value:
    return {**reading, "branch": list(_entries(records))}


def _by_clock(reading: Value, records: Records) -> Value:
    told = {entry: record["timestamp"] for entry, record in _entries(records).items()}
    return {**reading, "branch": sorted(reading["branch"], key=lambda entry: told.get(entry, ""))}


def _never_compacted(reading: Value, records: Records) -> Value:
    """Restore every message of the branch, as if no compaction had dropped one."""
    told = {entry: record.get("message") for entry, record in _entries(records).items()}
    branch = (told.get(entry) for entry in reading["branch"])
    found = [message for message in branch if isinstance(message, dict)]
    return {**reading, "messages": [{"role": one.get("role"), "id": one.get("id")} for one in found]}


def _first(type: str, member: str, key: str) -> Any:
    """Take a member of the first record of a type, not of the last."""

    def change(reading: Value, records: Records) -> Value:
        found = [record.get(member) for record in records if record.get("type") == type]
        return {**reading, key: found[0]} if found else reading

    return of_log(change)


def _kept_labels(reading: Value, records: Records) -> Value:
    """Set labels, and never take one away."""
    labels = [record for record in records if record.get("type") == "label"]
    given = {record["targetId"]: record["label"] for record in labels if record["label"]}
    return {**reading, "labels": {**given, **reading["labels"]}}


def _own_hash(reading: Value, records: Records) -> Value:
    found = [record.get("hash") for record in records if record.get("type") == "system_prompt"]
    return {**reading, "system_prompt": found[-1]} if found else reading


def _nothing_of_invalid(case: Case, answer: Answer, reference: Reference) -> Answer:
    return answer if answer["verdict"] == "valid" else {**answer, "reading": None}


def _of_the_one_before(case: Case, answer: Answer, reference: Reference) -> Answer:
    ids = [id for id, asked in reference.cases.items() if asked.document["kind"] == "check"]
    before = ids[max(0, ids.index(case.id) - 1)]
    return {**answer, "reading": reference.answers[before]["reading"]}


def _no_nulls(reading: Value) -> Value:
    return {key: value for key, value in reading.items() if value is not None}


def _empty_for_null(reading: Value) -> Value:
    return {key: "" if value is None else value for key, value in reading.items()}


def _never_recovered(reading: Value) -> Value:
    header = reading.get("header")
    return {**reading, "header": None} if header and header["recovered"] else reading


def _header_rules(reading: Value) -> Value:
    if not reading.get("header"):
        return reading
    return {**reading, "runtime": {key: reading["header"][key] for key in reading["runtime"]}}


ANIMALS = (
    _reads("miscounter", "counts one message too many",
           _counted(lambda t: {**t, "messages": t["messages"] + 1}),
           "history/document/two-messages", "session/tree/three-entry-chain"),
    _reads("whitewasher", "counts nothing as skipped",
           _counted(lambda t: {**t, "skipped": 0} if "skipped" in t else t),
           "session/bytes/torn-in-string"),
    _reads("letter-counter", "counts base64 letters for bytes",
           _counted(lambda t: {**t, "attachment_bytes": (t["attachment_bytes"] + 2) // 3 * 4}
                    if "attachment_bytes" in t else t),
           "history/attachments/inline-image"),
    _reads("truth-teller", "writes true for 1 and false for 0", _counted(_truly), "session/tree/one-entry"),
    _reads("last-liner", "takes the leaf from the last line", _tree(_last_line),
           "session/tree/metadata-after-last-entry", "session/tree/leaf-to-other-branch"),
    _reads("leaf-blower", "ignores leaf records", _tree(_last_entry),
           "session/tree/leaf-to-other-branch"),
    _reads("straight-liner", "follows the order of the file, not the parents", _tree(_file_order),
           "session/tree/sibling-after-leaf", "session/tree/rewind-to-prompt"),
    _reads("clock-watcher", "sorts the branch by time", _tree(_by_clock), "session/tree/time-before-parent"),
    _reads("hoarder", "restores what a compaction dropped", _tree(_never_compacted),
           "session/compaction/kept-last", "session/compaction/two-compactions"),
    _reads("first-namer", "keeps the first name", _first("session_info", "name", "name"),
           "session/metadata/name-changed", "session/metadata/name-cleared"),
    _reads("trusting", "takes the digest of the system prompt as it is written", of_log(_own_hash),
           "session/metadata/prompt-edited"),
    _reads("collector", "never takes a label away", of_log(_kept_labels),
           "session/metadata/label-removed", "session/metadata/label-emptied"),
    _reads("header-clerk", "takes provider and model from the header alone", read_as(_header_rules),
           "session/metadata/runtime", "session/metadata/runtime-empty-resets"),
    _reads("gravedigger", "recovers no header from the file's name", read_as(_never_recovered),
           "session/header/recovered"),
    _reads("perfectionist", "reads nothing of an invalid file", _nothing_of_invalid,
           "session/tree/parent-missing", "history/document/message-id-duplicate"),
    _reads("echo", "gives the reading of the file before", _of_the_one_before,
           "session/tree/three-entry-chain"),
    _reads("null-dropper", "leaves out members that are null", read_as(_no_nulls), "session/tree/leaf-empty"),
    _reads("null-filler", "writes an empty string for null", read_as(_empty_for_null),
           "session/tree/leaf-empty"),
)  # fmt: skip
