"""One pass over a log: framing, records, schemas, the rules on single records; and what is kept.

One line is in memory at a time. Of each record only what `log` describes is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from convspec import engines, schemas
from convspec.findings import Fault, Path, Span, Spot
from convspec.instants import instant
from convspec.pointers import cut_id
from convspec.schema_faults import UnknownKeys, fault_of, value_at
from convspec.session import record_checks
from convspec.session.entry_facts import fill
from convspec.session.log import FORMAT, Gap, Log
from convspec.session.record_checks import Record
from convspec.session.records import NON_ACTIVITY, PARTS, TREE, Entry, Label, Leaf, key_of, text_of
from convspec.text.lines import Value, read_line

Numbered = Iterable[tuple[int, int, bytes]]
"""Lines with their number from 1 and their offset."""


class Reader:
    """Reads a log of a known version into a Log."""

    def __init__(self, version: int) -> None:
        self.log = Log(version)
        self._unknown_keys: dict[str, UnknownKeys] = {}
        self._key_spots: dict[tuple[str, Path], Spot] = {}
        self._seen: set[str] = set()
        self._unknown_types: set[str] = set()
        self._numbers = 0
        self._ending_said = False
        self._mixed_said = False

    def read(self, lines: Numbered, start: int) -> Log:
        """Take every line; `start` is where the text of the first one begins."""
        for number, offset, line in lines:
            self._line(number, offset, line, start if number == 1 else 0)
        for type, keys in self._unknown_keys.items():
            for fault in keys.faults():
                self.log.faults.append(replace(fault, spot=self._key_spots[(type, fault.path or ())]))
        return self.log

    def _line(self, number: int, offset: int, line: bytes, start: int) -> None:
        read = read_line(line, start=start)
        whole = Spot(number, offset, 0)
        self.log.blank = self.log.blank and not line[start:].strip(b" \t\r\n\0")
        if line.endswith(b"\r\n") and not self._ending_said and b"\0" not in line:
            self._ending_said = True
            self.log.faults.append(
                Fault(
                    "line-ending", "the line ends in CR LF, not LF alone", None, _last_two(line), spot=whole
                )
            )
        self.log.faults += (replace(fault, spot=whole) for fault in read.faults)
        if read.gaps:
            self.log.skipped += 1
        gaps = list(read.gaps)
        several = len(read.values) > 1
        for count, value in enumerate(read.values, 1):
            if gaps and gaps[0] <= value.start:
                self._gap()
                gaps = [gap for gap in gaps if gap > value.start]
            self._value(value, Spot(number, offset, value.start, count if several else None))
        if gaps:
            self._gap()

    def _gap(self) -> None:
        log = self.log
        log.gap_first = log.gap_first or log.records == 0
        log.gaps += 1
        log.events.append(Gap(len(log.events)))

    def _value(self, value: Value, spot: Spot) -> None:
        record = value.value
        self.log.faults += (
            replace(fault, spot=spot) for fault in value.faults if not _is_image_data(fault, record)
        )
        if not isinstance(record, dict):
            message = "the line holds JSON, but no object"
            self.log.faults.append(Fault("line-not-object", message, (), spot=spot))
            self.log.skipped += 1
            return
        type = record.get("type")
        if not isinstance(type, str):
            missing = "type" not in record
            fault = (
                Fault("schema-required", '"type" is missing', (), member="type", spot=spot)
                if missing
                else Fault("schema-type", '"type" must be a string', ("type",), spot=spot)
            )
            self.log.faults.append(fault)
            self.log.skipped += 1
            self._gap()
            return
        self.log.records += 1
        self._note_activity(type, record)
        if not self.log.headers and type != "session":
            self.log.before_header += 1
        if type not in PARTS:
            self._unknown(type, record, spot)
            return
        self.log.types.add(type)
        self._known(type, record, spot)

    def _note_activity(self, type: str, record: dict[str, Any]) -> None:
        stamp = record.get("timestamp")
        if type not in NON_ACTIVITY and isinstance(stamp, str) and instant(stamp) is not None:
            self.log.activity = stamp

    def _unknown(self, type: str, record: dict[str, Any], spot: Spot) -> None:
        id = key_of(record.get("id"))
        if id is not None:
            self.log.names.unknown.add(id)
        key = key_of(type) or ""
        if key not in self._unknown_types:
            self._unknown_types.add(key)
            message = "the format defines no such record; it is kept and not judged"
            self.log.faults.append(Fault("record-unknown-type", message, ("type",), spot=spot))

    def _known(self, type: str, value: dict[str, Any], spot: Spot) -> None:
        part = schemas.schema_for(FORMAT, self.log.version, PARTS[type])
        broken = [v for v in engines.violations(part, value) if not _is_version(type, v)]
        bad = frozenset((*v.path, v.member) if v.member else v.path for v in broken)
        faults = [fault_of(violation, value) for violation in broken]
        record = Record(value, bad)
        self._look_for_keys(type, record, spot)
        for rule in record_checks.EVERY:
            faults += rule(record)
        id = text_of(value.get("id"))
        if type in TREE:
            faults += self._entry(record, spot)
        else:
            for rule in record_checks.OTHERS:
                faults += rule(record)
            if id is not None:
                self.log.names.known.add(key_of(id) or "")
            getattr(self, f"_{type}")(record, spot)
        shown = None if id is None else cut_id(id)
        self.log.faults += (replace(fault, spot=spot, record_id=shown) for fault in faults)

    def _look_for_keys(self, type: str, record: Record, spot: Spot) -> None:
        keys = self._unknown_keys.setdefault(type, UnknownKeys())
        version = self.log.version
        for path, value, part in _objects(type, record):
            known = _members(version, part)
            if not value.keys() <= known:
                for key in value.keys() - known:
                    self._key_spots.setdefault((type, (*path, key)), spot)
                keys.look(value, path, known)

    # The tree

    def _entry(self, record: Record, spot: Spot) -> Iterator[Fault]:
        log, value = self.log, record.value
        id = key_of(value.get("id"))
        number, self._numbers = self._numbers, self._numbers + 1
        log.mixed = log.mixed or (log.version == 1 and id is not None)
        if log.mixed and id is not None and ("id",) not in record.bad and not self._mixed_said:
            self._mixed_said = True
            yield Fault("version-mixed", "a newer program went on with this version 1 log", ("id",))
        if id is None and log.version == 2:
            log.skipped += 1
            self._gap()
            yield from record_checks.timestamps(record)
            return
        named = id or f"message:{number}"
        first = named not in self._seen
        self._seen.add(named)
        if id is not None:
            log.names.known.add(id)
        entry = Entry(record.type, named, None, spot, number, len(log.events), first)
        entry.virtual = id is None
        fill(entry, record)
        log.events.append(entry)
        if not first:
            return
        for rule in record_checks.ENTRIES:
            yield from rule(record)
        if record.type == "branch_summary":
            source = record.sound("fromId")
            if isinstance(source, str) and source:
                log.sources.append((key_of(source) or "", spot))

    # Records outside the tree

    def _session(self, record: Record, spot: Spot) -> None:
        value = record.value
        usable = isinstance(value.get("id"), str) and value["id"] != ""
        kept = ("id", "timestamp", "cwd", "provider", "model", "reasoningEffort", "parentId", "parentPath")
        facts = {key: value.get(key) if isinstance(value.get(key), str) else None for key in kept}
        facts["time"] = record.sound("timestamp")
        self.log.headers.append((spot, facts, usable))

    def _leaf(self, record: Record, spot: Spot) -> None:
        target = record.value.get("targetId")
        sound = ("targetId",) not in record.bad
        names = key_of(target)
        if names is None and not isinstance(target, str | None):
            names = ""  # of a type that names nothing, and is no null either
        self.log.events.append(Leaf(names, sound, spot, len(self.log.events)))

    def _label(self, record: Record, spot: Spot) -> None:
        target, text = key_of(record.value.get("targetId")), record.sound("label")
        if target is not None:
            sound = ("targetId",) not in record.bad
            self.log.labels.append(Label(target, text if isinstance(text, str) else None, spot, sound))

    def _session_info(self, record: Record, spot: Spot) -> None:
        infos, name = self.log.infos, record.sound("name")
        infos.name = name if isinstance(name, str) and name else None
        infos.last_info = (spot, "name" in record.value)
        if "name" in record.value:
            infos.last_named = infos.name
        for key in ("provider", "model", "reasoningEffort"):
            if key in record.value:
                infos.runtime[key] = record.sound(key) or None

    def _system_prompt(self, record: Record, spot: Spot) -> None:
        infos, content, recorded = self.log.infos, record.sound("content"), record.sound("hash")
        self.log.prompts.append(spot)
        infos.prompt = record_checks.prompt_hash(content) if isinstance(content, str) else None
        if isinstance(recorded, str) and recorded == infos.prompt_hash:
            message = "the snapshot before has the same hash"
            self.log.faults.append(Fault("system-prompt-repeated", message, ("hash",), spot=spot))
        infos.prompt_hash = recorded if isinstance(recorded, str) else None

    def _memory_state(self, record: Record, spot: Spot) -> None:
        memories, retrieval = record.sound("sessionMemories"), record.sound("lastRetrieval")
        self.log.infos.memory = (memories if isinstance(memories, list) else [], retrieval)

    def _tool_execution_end(self, record: Record, spot: Spot) -> None:
        call = record.sound("toolCallId")
        self.log.outputs.append(spot)
        if isinstance(call, str) and call:
            self.log.executions.append((key_of(call) or "", spot))


def _members(version: int, part: str) -> frozenset[str]:
    """Return the members that a part defines; version 1 shares some parts with version 2."""
    if part == "function":
        call = schemas.documents()[schemas.schema_for(FORMAT, 2, "tool-call")]
        return frozenset(call["properties"]["function"]["properties"])
    shared = part in ("payload", "tool-call")
    return schemas.members(schemas.schema_for(FORMAT, 2 if shared else version, part))


def _objects(type: str, record: Record) -> Iterator[tuple[Path, dict[str, Any], str]]:
    yield (), record.value, PARTS[type]
    if record.payload is None:
        return
    yield ("message",), record.payload.message, "payload"
    for path, call in record.payload.listed_calls():
        yield path, call, "tool-call"
        inner = call.get("function")
        if isinstance(inner, dict):
            yield (*path, "function"), inner, "function"


def _last_two(line: bytes) -> Span:
    return Span(len(line) - 2, len(line) - 1)


def _is_image_data(fault: Fault, record: Any) -> bool:
    """U+0000 in the data of an image part has a rule of its own."""
    path = fault.path or ()
    if fault.rule != "text-nul" or path[:2] != ("message", "content") or path[3:] != ("data",):
        return False
    if not isinstance(value_at(record, path), str):  # a key of an object in its place
        return False
    part = value_at(record, path[:3])
    payload = record.get("type") in ("message", "compaction")
    return payload and isinstance(part, dict) and part.get("type") == "image"


def _is_version(type: str, violation: schemas.Violation) -> bool:
    """The version belongs to its own layer."""
    return type == "session" and (violation.path == ("version",) or violation.member == "version")
