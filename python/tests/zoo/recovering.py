"""Animals that repair damaged files wrongly."""

from __future__ import annotations

from collections.abc import Callable

from convspec.conformance.cases import Case
from convspec.conformance.recovered import output_of
from convspec.conformance.results import Logs
from zoo.keeper import Animal, Answer, Bend, Reference, Writes, bent


def _as_answered(case: Case, answer: Answer, reference: Reference) -> Answer:
    return answer


def _of(name: str, wrong: str, writes: Writes, *by: str, bend: Bend = _as_answered) -> Animal:
    levels = ("verdict", "reading")
    return bent(name, wrong, bend, *by, at=("reading",), kind="recover", levels=levels, writes=writes)


def _copy(change: Callable[[bytes, bytes], bytes], of: str = "") -> Writes:
    """Change the copy of each file whose name ends so; `change` gets it, and the damaged file."""

    def writes(before: Logs, after: Logs) -> Logs:
        (name, damaged), *more = before.items()
        copy = output_of(name)
        if more or copy not in after or not name.endswith(of):
            return after
        return {**after, copy: change(after[copy], damaged)}

    return writes


def _whole_lines(copy: bytes, damaged: bytes) -> bytes:
    """Keep what has its line for itself."""
    known = set(damaged.split(b"\n"))
    return b"".join(line + b"\n" for line in copy.split(b"\n")[:-1] if line in known)


def _in_place(before: Logs, after: Logs) -> Logs:
    if len(before) != 1:
        return after
    (name,) = before
    copy = output_of(name)
    return {name: after[copy]} if copy in after else after


def _nothing(before: Logs, after: Logs) -> Logs:
    (name, *_) = before or [""]
    return {one: data for one, data in after.items() if one != output_of(name)}


def _all_well(case: Case, answer: Answer, reference: Reference) -> Answer:
    return {"verdict": "valid", "output": None}


ANIMALS = (
    _of("broom", "drops every record of a log that has no line for itself",
        _copy(_whole_lines, ".jsonl"),
        "session/recovering/glued-three", "session/recovering/nul-record-behind"),
    _of("overwriter", "repairs the file in place", _in_place,
        "session/recovering/torn", "history/recovering/byte-order-mark"),
    _of("chronicler", "writes a record behind the copy that says it was repaired",
        _copy(lambda copy, damaged: copy + b'{"type":"session_info","name":"repaired"}\n'),
        "session/recovering/torn", "session/recovering/sound"),
    _of("rewriter", "writes every record anew", _copy(lambda copy, damaged: copy.replace(b'":', b'": ')),
        "session/recovering/torn", "session/recovering/sound"),
    _of("smiler", "says that every file is well, and writes nothing", _nothing,
        "session/recovering/torn", "history/recovering/version-newer", bend=_all_well),
)  # fmt: skip
