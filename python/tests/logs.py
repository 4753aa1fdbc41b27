"""Session logs that several test files start from: the corpus, logs made by hand, and damaged ones."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from convspec.conformance.cases import cases
from convspec.session.errors import SessionError
from convspec.session.opening import read_session
from convspec.session.view import SessionReading

CORPUS = Path(__file__).resolve().parents[2] / "conformance"
STAMP = "2026-02-11T08:00:00.000Z"
HEADER = {"type": "session", "version": 2, "id": "s1", "timestamp": STAMP, "cwd": "/srv/demo"}
HEADER_1 = {**HEADER, "version": 1}


def log(*records: dict[str, Any], header: dict[str, Any] | None = HEADER) -> bytes:
    """Return a log of these records."""
    listed = records if header is None else (header, *records)
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in listed)


def record(id: str, parent: str | None = None, **message: Any) -> dict[str, Any]:
    """Return a message record, of a user who says something if nothing else is told."""
    begin = {"type": "message", "id": id, **({} if parent is None else {"parentId": parent})}
    return {**begin, "timestamp": STAMP, "message": {"role": "user", "content": "look", **message, "id": id}}


def chain(*messages: dict[str, Any]) -> bytes:
    """Return a log in which these messages follow each other; their ids are m0, m1 and so on."""
    records = [
        record(f"m{place}", f"m{place - 1}" if place else None, **message)
        for place, message in enumerate(messages)
    ]
    return log(*records)


def unnamed(**message: Any) -> dict[str, Any]:
    """Return a message record of version 1, which has no id."""
    return {"type": "message", "timestamp": STAMP, "message": {"role": "user", "content": "look", **message}}


@cache
def corpus_logs() -> dict[str, tuple[bytes, str]]:
    """Return bytes and file name of every log in the corpus, by the id of its case."""
    return {
        case.id: (case.tree.files[case.document["input"]], case.document["input"])
        for case in cases(CORPUS)
        if case.document["format"] == "session" and case.document["input"] in case.tree.files
    }


@cache
def readings() -> dict[str, SessionReading]:
    """Return what is read of each log of the corpus that any reader can use, by the id of its case."""
    found = {}
    for id, (data, name) in corpus_logs().items():
        try:
            found[id] = read_session(data, name=name)
        except SessionError:
            continue
    return found


def damaged(count: int, seed: int) -> Iterator[bytes]:
    """Yield logs of the corpus with wounds: cut, flipped, doubled, shuffled, members of one in another."""
    rng = random.Random(seed)
    whole = [data for data, _ in corpus_logs().values() if 0 < len(data) < 6000]
    for _ in range(count):
        lines = rng.choice(whole).splitlines(keepends=True)
        for _ in range(rng.randrange(1, 3)):
            lines = b"".join(_wounded(lines, whole, rng)).splitlines(keepends=True) or [b"{}\n"]
        yield b"".join(lines)


def damaged_readings(count: int, seed: int) -> Iterator[SessionReading]:
    """Yield what is read of damaged logs, where any reader can use them."""
    for data in damaged(count, seed):
        try:
            yield read_session(data)
        except SessionError:
            continue


def _wounded(lines: list[bytes], others: list[bytes], rng: random.Random) -> Iterable[bytes]:
    at, kind = rng.randrange(len(lines)), rng.randrange(6)
    line = lines[at]
    if kind == 0:
        return [*lines[:at], line[: rng.randrange(len(line))]]
    if kind == 1:
        place = rng.randrange(len(line))
        return [*lines[:at], line[:place] + bytes([rng.randrange(256)]) + line[place + 1 :], *lines[at + 1 :]]
    if kind == 2:
        return [*lines, *rng.choice(others).splitlines(keepends=True)]
    if kind == 3:
        return rng.sample(lines, len(lines))
    return [*lines[:at], _scrambled(line, rng), *lines[at + 1 :]]


_ODD = (None, 7, -1, 1.5, True, "", "x", "\ud800", [], {}, ["x"], {"type": "text"}, 10**400, "k" * 2000)


def _scrambled(line: bytes, rng: random.Random) -> bytes:
    """Put an odd value in place of any member of a record, or take the member out."""
    try:
        value = json.loads(line)
    except ValueError:
        return line
    holders = [one for one in _holders(value) if one]
    if not holders:
        return line
    holder = rng.choice(holders)
    key = rng.choice(list(holder))
    if rng.random() < 0.2:
        del holder[key]
    else:
        holder[key] = rng.choice(_ODD)
    return json.dumps(value).encode() + b"\n"


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _holders(item)
    elif isinstance(value, list):
        for item in value:
            yield from _holders(item)
