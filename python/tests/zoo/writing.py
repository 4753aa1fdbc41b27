"""Animals that write logs wrongly: what they append, what they do to the rest, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from convspec.conformance.cases import Case
from convspec.conformance.results import Logs
from zoo.keeper import Animal, Answer, Bend, Reference, Writes, bent, rightly

Record = dict[str, Any]
Bytes = Callable[[bytes, bytes], bytes]
"""Makes a log of what was there, and what the reference has put behind it."""
_TREE = ("message", "compaction", "branch_summary")


def _straight(case: Case, answer: Answer, reference: Reference) -> Answer:
    return answer


def _writes(name: str, wrong: str, writes: Writes, *by: str, says: Bend = _straight) -> Animal:
    at, levels = ("reading",), ("verdict", "reading")
    return bent(name, wrong, says, *by, at=at, kind="write", levels=levels, writes=writes)


def _says(name: str, wrong: str, says: Bend, *by: str) -> Animal:
    return _writes(name, wrong, rightly, *by, says=says)


def _bytes(change: Bytes) -> Writes:
    """Change each log to which something was appended."""

    def writes(before: Logs, after: Logs) -> Logs:
        made = {}
        for name, data in after.items():
            old = before.get(name, b"")
            made[name] = data if data == old else change(old, data[len(old) :])
        return made

    return writes


def _line(record: Record) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _records(change: Callable[[Record], Record], spelled: Callable[[Record], bytes] = _line) -> Writes:
    """Change each record that is appended, or how it is spelled."""
    return _lists(lambda old, new: [change(record) for record in new], spelled)


def _lists(
    change: Callable[[list[Record], list[Record]], list[Record]],
    spelled: Callable[[Record], bytes] = _line,
) -> Writes:
    """Make other records of those that were there, as far as they can be read, and those appended."""

    def appended(old: bytes, added: bytes) -> bytes:
        guard = added[: len(added) - len(added.lstrip(b"\n"))]
        made = change(_read(old), _read(added))
        return old + guard + b"".join(map(spelled, made))

    return _bytes(appended)


def _read(log: bytes) -> list[Record]:
    found = []
    for line in log.split(b"\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return [record for record in found if isinstance(record, dict)]


def _of(*types: str) -> Callable[[Callable[[Record], Record]], Writes]:
    """Change the records of some types only."""
    return lambda change: _records(lambda record: change(record) if record["type"] in types else record)


def _without(key: str) -> Callable[[Record], Record]:
    return lambda record: {name: value for name, value in record.items() if name != key}


def _with_null_parent(record: Record) -> Record:
    begin = {"type": record["type"], "id": record["id"], "parentId": None}
    return begin | _without("type")(record)


def _behind_the_last(old: list[Record], new: list[Record]) -> list[Record]:
    """Take the entry that was written last for the leaf."""
    last = next((one["id"] for one in reversed(old) if one.get("type") in _TREE and "id" in one), None)
    made = []
    for record in new:
        if record["type"] in _TREE:
            record, last = {**record, "parentId": last}, record["id"]
        made.append(record)
    return made


def _all_the_same(old: list[Record], new: list[Record]) -> list[Record]:
    """Give every entry the id of the first."""
    ids = [record["id"] for record in new if record["type"] in _TREE]
    text = json.dumps(new)
    for id in ids[1:]:
        text = text.replace(json.dumps(id), json.dumps(ids[0]))
    made: list[Record] = json.loads(text)
    return made


def _counted(old: list[Record], new: list[Record]) -> list[Record]:
    """Count ids from 1 in each run."""
    text = json.dumps(new)
    for place, record in enumerate((one for one in new if one["type"] in _TREE), 1):
        text = text.replace(json.dumps(record["id"]), json.dumps(f"u{place}"))
    made: list[Record] = json.loads(text)
    return made


def _no_leaf(old: list[Record], new: list[Record]) -> list[Record]:
    return [record for record in new if record["type"] != "leaf"]


def _hash_of_length(record: Record) -> Record:
    return {**record, "hash": f"sha256:{len(record['content']):064x}"}


def _escaped(record: Record) -> bytes:
    return json.dumps(record, separators=(",", ":")).replace("/", "\\/").encode() + b"\n"


def _refusing(places: Callable[[list[int]], list[int]]) -> Bend:
    return lambda case, answer, reference: {**answer, "refused": places(answer["refused"])}


def _other_ids(case: Case, answer: Answer, reference: Reference) -> Answer:
    return {**answer, "ids": {name: id[::-1] + "0" for name, id in answer["ids"].items()}}


def _renamed(before: Logs, after: Logs) -> Logs:
    return {("log.jsonl" if name not in before else name): data for name, data in after.items()}


def _leaving(before: Logs, after: Logs) -> Logs:
    return after if before or after else {"new.jsonl": b""}


def _despite(before: Logs, after: Logs) -> Logs:
    """Write something where the reference refuses everything."""
    more = b'{"type":"x"}\n'
    return {name: data + more if data == before.get(name) else data for name, data in after.items()}


_MESSAGE = "session/writing/message"
_TORN = "session/writing/torn-in-string"

ANIMALS = (
    _writes("splicer", "appends behind a torn record, on its line",
            _bytes(lambda old, added: old + added.removeprefix(b"\n")),
            _TORN, "session/writing/unterminated"),
    _writes("surgeon", "cuts a torn record off before it appends",
            _bytes(lambda old, added: old[: old.rfind(b"\n") + 1] + added.removeprefix(b"\n")), _TORN),
    _writes("blank-liner", "ends a line that was ended already",
            _bytes(lambda old, added: old + b"\n" + added), _MESSAGE),
    _writes("tidier", "writes the whole log anew, without what cannot be read",
            _bytes(lambda old, added: b"".join(map(_line, _read(old + added)))),
            _TORN, "session/writing/damage-stays"),
    _writes("breathless", "writes no line feed behind the last record",
            _bytes(lambda old, added: old + added[:-1]), _MESSAGE),
    _writes("one-liner", "writes its records on one line",
            _bytes(lambda old, added: old + added[:-1].replace(b"}\n{", b"}{") + b"\n"),
            "session/writing/messages-in-a-row"),
    _writes("airy", "writes spaces between tokens",
            _records(lambda one: one, lambda one: json.dumps(one, ensure_ascii=False).encode() + b"\n"),
            "session/writing/spelling"),
    _writes("slasher", "escapes slashes and what is not ASCII", _records(lambda one: one, _escaped),
            "session/writing/spelling"),
    _writes("alphabet", "sorts the members of records",
            _records(lambda one: dict(sorted(one.items()))), _MESSAGE, "session/writing/create"),
    _writes("null-parent", "writes null for the parent of a root",
            _records(lambda one: _with_null_parent(one)
                     if one["type"] in _TREE and "parentId" not in one else one),
            "session/writing/message-first", "session/writing/new-root"),
    _writes("last-in-line", "takes the entry that was written last for the leaf", _lists(_behind_the_last),
            "session/writing/at-moved-leaf", "session/writing/branch"),
    _writes("xerox", "gives all entries that it writes one id", _lists(_all_the_same),
            "session/writing/messages-in-a-row"),
    _writes("beginner", "counts ids from u1 whenever it opens a log", _lists(_counted), _MESSAGE,
            says=lambda case, answer, reference: {
                **answer, "ids": {name: f"u{place}" for place, name in enumerate(answer["ids"], 1)}}),
    _writes("trackless", "moves the leaf without a word", _lists(_no_leaf), "session/writing/branch",
            "session/writing/new-root"),
    _writes("local", "writes the time of its own zone",
            _records(lambda one: {**one, "timestamp": one["timestamp"].replace("Z", "+00:00")}), _MESSAGE),
    _writes("hasty", "writes times in whole seconds",
            _records(lambda one: {**one, "timestamp": one["timestamp"][:19] + "Z"}), _MESSAGE),
    _writes("forgetful", "loses the name when the model changes",
            _of("session_info")(lambda one: _without("name")(one) if len(one) > 3 else one),
            "session/writing/runtime"),
    _writes("emptier", "takes a label away by leaving it out",
            _of("label")(lambda one: _without("label")(one) if one["label"] is None else one),
            "session/writing/label-taken-away"),
    _writes("counterfeiter", "writes a hash of its own", _of("system_prompt")(_hash_of_length),
            "session/writing/prompt"),
    _writes("deaf", "forgets what it looked up where it is nothing",
            _of("memory_state")(lambda one: _without("lastRetrieval")(one) if one["lastRetrieval"] is None
                                else one),
            "session/writing/memory-empty"),
    _writes("alias", "names every log alike", _renamed, "session/writing/create-named"),
    _writes("litterer", "leaves an empty log where it refuses to make one", _leaving,
            "session/writing/refused-create"),
    _writes("reluctant", "writes what it says it refuses", _despite, "session/writing/refused-branch-kind",
            "session/writing/refused-newer"),
    _says("pushover", "says that nothing is refused", _refusing(lambda places: []),
          "session/writing/refused-branch", "session/writing/refused-newer"),
    _says("from-one-on", "counts operations from 1", _refusing(lambda places: [one + 1 for one in places]),
          "session/writing/refused-branch"),
    _says("misquoter", "says other ids than it wrote", _other_ids, _MESSAGE, "session/writing/create"),
    _says("tight-lipped", "says no ids", lambda case, answer, reference: {**answer, "ids": {}}, _MESSAGE),
)  # fmt: skip
