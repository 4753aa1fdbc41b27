"""Hold what a writer has written against what a case of the kind `write` expects.

What was in the log has to be there still, byte for byte. Behind it stand the records of the case and
nothing else, each on a line of its own; of ids that the writer makes up, and of times, only the form
is known before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from convspec.conformance.results import Logs
from convspec.findings import Severity
from convspec.frozen import same
from convspec.history.encoding import dumped
from convspec.pointers import bounded, to_pointer
from convspec.reporters.words import number
from convspec.rules import severity_of
from convspec.schemas import documents
from convspec.session.reading import store_name
from convspec.session.records import PARTS
from convspec.text.strict_json import parse

LONGEST_LOG = 1024 * 1024
"""Bytes of a log that are looked at. No case comes near it."""

_ID = re.compile(r"\*id[0-9]+")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_WITH_MESSAGE = ("message", "compaction")


def written_differences(
    case: Mapping[str, Any], answer: Mapping[str, Any], before: Logs, after: Logs
) -> Iterator[str]:
    """Yield a line for each difference between what was refused and written, and what the case expects.

    `before` and `after` are the logs when the case was asked, and behind the answer.
    """
    expect = case["expect"]
    if sorted(answer["refused"]) != expect["refused"]:
        yield f"refused are {dumped(answer['refused'])}, expected {dumped(expect['refused'])}"
    one = bool(before or expect["records"])
    if len(after) != one:
        are = "is" if len(after) == 1 else "are"
        yield f"there {are} {number(len(after), 'log')}, expected {'is one' if one else 'are none'}"
        return
    if before and before.keys() != after.keys():
        yield "the log has another name"
        return
    for name, data in after.items():
        old = before.get(name, b"")
        if len(data) > LONGEST_LOG:
            yield f"the log is longer than {LONGEST_LOG} bytes"
        elif not data.startswith(old):
            yield "what was in the log is not there as it was"
        elif not expect["records"]:
            yield from ["something was written, expected is nothing"] if data != old else []
        else:
            yield from _added_differences(case, answer, old, data[len(old) :])
            if expect.get("store_name") and not _is_named_by(name, data):
                yield "the file is not named by its header"


def _added_differences(
    case: Mapping[str, Any], answer: Mapping[str, Any], old: bytes, added: bytes
) -> Iterator[str]:
    expect = case["expect"]
    if old and added and not old.endswith(b"\n"):
        if not added.startswith(b"\n"):
            yield "what is written stands behind a line that was not ended"
            return
        added = added[1:]
    if added and not added.endswith(b"\n"):
        yield "the last line has no line feed"
    lines = added.removesuffix(b"\n").split(b"\n") if added else []
    names = _Names(_ids_of(old))
    for place, wanted in enumerate(expect["records"]):
        if place < len(lines):
            told = _line(wanted, lines[place], names, compact=expect.get("compact", False))
            yield from (f"record {place + 1}: {text}" for text in told)
        else:
            yield f"record {place + 1} is missing: {wanted['type']}"
    if len(lines) > len(expect["records"]):
        yield f"there are {len(lines)} lines, expected are {len(expect['records'])}"
    yield from names.told_otherwise(_asked_for(case), answer["ids"])


class _Names:
    """The ids that a writer has made up, by the names that the case gives them."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._known: dict[str, Any] = {}

    def unlike(self, wanted: str, given: Any) -> str:
        """Say how a value is not what stands for a name, or nothing."""
        if not isinstance(given, str) or not given:
            return "is no id"
        if wanted in self._known:
            return "" if given == self._known[wanted] else f"is not the id of {wanted}"
        if given in self._taken or given in self._known.values():
            return "is an id that is there already"
        self._known[wanted] = given
        return ""

    def told_otherwise(self, wanted: Sequence[str], ids: Mapping[str, Any]) -> Iterator[str]:
        """Yield a line for each name for which the answer has another id than the log."""
        for name in wanted:
            if name not in ids:
                yield f"the answer has no id for {name}"
            elif name in self._known and ids[name] != self._known[name]:
                yield f"the answer has another id for {name} than the log"
        for name in sorted(ids.keys() - set(wanted)):
            yield f"the answer has an id for {name[:20]}, for which none is expected"


def _asked_for(case: Mapping[str, Any]) -> list[str]:
    refused = case["expect"]["refused"]
    operations = enumerate(case["operations"])
    return [one["as"] for place, one in operations if "as" in one and place not in refused]


def _ids_of(log: bytes) -> set[str]:
    """Return every id that a record of a log has."""
    values = (parse(line).value for line in log.split(b"\n") if line.strip())
    ids = (value.get("id") for value in values if isinstance(value, dict))
    return {id for id in ids if isinstance(id, str)}


def _is_named_by(name: str, log: bytes) -> bool:
    header = parse(log.partition(b"\n")[0]).value
    return isinstance(header, dict) and store_name(name) == (header.get("id"), header.get("timestamp"))


def _line(wanted: Mapping[str, Any], line: bytes, names: _Names, *, compact: bool) -> Iterator[str]:
    """Yield how a line is not the record that is wanted."""
    read = parse(line)
    record: Any = read.value
    broken = [one.rule for one in read.faults if severity_of(one.rule, "history") is Severity.ERROR]
    if broken:
        yield f"the line is no JSON that can be taken: {broken[0]}"
        return
    if not isinstance(record, dict) or next(iter(record), None) != "type":
        yield "it is no object whose first member is type"
        return
    known = documents().get(f"session/2.0/{PARTS.get(str(record['type']), '')}.schema.json", {})
    own = record.keys() - wanted.keys() - known.get("properties", {}).keys()
    record = {key: value for key, value in record.items() if key not in own}  # a writer may add keys
    message = record.get("message")
    if wanted["type"] in _WITH_MESSAGE and isinstance(message, dict):
        record["message"] = {**message, "id": message.get("id", record.get("id"))}  # it may leave that out
    yield from _unlike(wanted, record, names, ())
    if compact:
        yield from _loose(line.decode())


def _unlike(wanted: Any, given: Any, names: _Names, path: tuple[str | int, ...]) -> Iterator[str]:
    """Yield each place at which a value is not the one that is wanted."""
    at = to_pointer(bounded(path)) or "it"
    if isinstance(wanted, Mapping) and isinstance(given, Mapping):
        for key, value in wanted.items():
            if key in given:
                yield from _unlike(value, given[key], names, (*path, key))
            else:
                yield f"{at} has no member {key}"
        for key in given.keys() - wanted.keys():
            yield f"{at} has a member too much: {key}"
    elif isinstance(wanted, Sequence) and not isinstance(wanted, str) and isinstance(given, list):
        if len(wanted) != len(given):
            yield f"{at} has {len(given)} items, expected are {len(wanted)}"
        for place, (one, other) in enumerate(zip(wanted, given, strict=False)):
            yield from _unlike(one, other, names, (*path, place))
    elif wanted == "*time":
        if not _is_time(given):
            yield f"{at} is no instant in UTC with three digits of a fraction: {dumped(given)}"
    elif isinstance(wanted, str) and _ID.fullmatch(wanted):
        told = names.unlike(wanted, given)
        if told:
            yield f"{at} {told}: {dumped(given)}"
    elif not same(wanted, given):
        yield f"{at} is {dumped(given)}, expected {dumped(wanted)}"


def _is_time(given: Any) -> bool:
    if not isinstance(given, str) or not _TIME.fullmatch(given):
        return False
    try:
        datetime.fromisoformat(given)
    except ValueError:
        return False
    return True


def _loose(line: str) -> Iterator[str]:
    """Yield what a line spells longer than it has to."""
    if re.search(r"\s", _STRING.sub("", line)):
        yield "there is white space outside strings"
    if any(int(code, 16) >= 0x20 if code else short == "/" for code, short in _ESCAPE.findall(line)):
        yield "a character is escaped that may stand as it is"
