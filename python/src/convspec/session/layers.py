"""The layers of a check of one log: bytes and json, version, schema, document, tree, metadata."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import IO, Any

from convspec import schemas
from convspec.findings import Fault, Spot
from convspec.instants import instant
from convspec.rules import catalogue
from convspec.session import call_checks, compaction_checks, tree_checks
from convspec.session.log import FORMAT, Log
from convspec.session.log_reader import Reader
from convspec.session.reading import RECOVERING, Reading, read, store_name, tally
from convspec.session.records import TREE, text_of
from convspec.session.tree import Tree
from convspec.text.lines import read_line
from convspec.text.scanner import EXACT
from convspec.versions import read_version

Opener = Callable[[], AbstractContextManager[IO[bytes]]]
"""Opens the log from its beginning; called once for each pass."""

Lines = Callable[[], AbstractContextManager[Iterable[bytes]]]
"""The same where its lines are all that is needed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the layers found in one log."""

    faults: tuple[Fault, ...]
    version: int | None
    tally: Mapping[str, int] | None
    reading: Reading | None = None
    empty: bool = False
    unsupported: bool = False
    log: Log | None = None
    tree: Tree | None = None


def check(opener: Lines, start: int, name: str | None) -> Outcome:
    """Judge a log; `start` is where its text begins, `name` the file's name for the header rules."""
    version, stated = _version(opener, start)
    with opener() as stream:
        log = Reader(version).read(_lines(stream), start)
    if log.blank:
        return Outcome((), None, None, empty=True)
    base = os.path.basename(name) if name else None
    faults = [*log.faults, *_header(log, base)]
    stated_version, fault, spot = stated
    if fault is not None:
        faults.append(_at(fault, spot))
        if fault.rule == "version-newer":
            kept = [one for one in faults if catalogue()[one.rule].layer in ("bytes", "json", "version")]
            return Outcome(tuple(kept), stated_version, None, unsupported=True)
    tree = Tree(log) if log.version == 2 or log.mixed else None
    if tree is not None:
        for rule in tree_checks.RULES:
            faults += rule(tree)
    for whole_rule in RULES:
        faults += whole_rule(log, tree)
    reading = read(log, tree, base)
    return Outcome(tuple(faults), stated_version, tally(log, tree, reading), reading, log=log, tree=tree)


def _lines(stream: Iterable[bytes]) -> Iterator[tuple[int, int, bytes]]:
    offset = 0
    for number, line in enumerate(stream, 1):
        yield number, offset, line
        offset += len(line)


def _at(fault: Fault, spot: Spot | None) -> Fault:
    return replace(fault, spot=spot)


_Stated = tuple[int | None, Fault | None, Spot | None]


def _version(opener: Lines, start: int) -> tuple[int, _Stated]:
    """Return the version to judge by, and what the header in force says of it.

    A usable header on the first line ends the search; else the whole log is looked through.
    """
    first: tuple[Spot, dict[str, Any]] | None = None
    ids = False
    with opener() as stream:
        for number, offset, line in _lines(stream):
            begin = start if number == 1 else 0
            read = read_line(line, start=begin)
            for count, value in enumerate(read.values, 1):
                record = value.value
                if not isinstance(record, dict):
                    continue
                type = record.get("type")
                in_tree = isinstance(type, str) and type in TREE
                ids = ids or (in_tree and text_of(record.get("id")) is not None)
                if type != "session":
                    continue
                spot = Spot(number, offset, value.start, count if len(read.values) > 1 else None)
                if isinstance(record.get("id"), str) and record["id"]:
                    return _judged(record, spot)
                first = first or (spot, record)
    newest = schemas.versions(FORMAT)[-1]
    if first is None:
        return (newest if ids else 1), (None, None, None)
    version, _ = read_version(first[1], FORMAT)
    return (version if version and version <= newest else newest), (version, None, None)


def _judged(record: dict[str, Any], spot: Spot) -> tuple[int, _Stated]:
    newest = schemas.versions(FORMAT)[-1]
    version, fault = read_version(record, FORMAT)
    known = version if version is not None and fault is None else newest
    return known, (version if version is None or version <= EXACT else None, fault, spot)


def _header(log: Log, name: str | None) -> Iterator[Fault]:
    """Yield what is wrong with the header's place and number (session.md, section 2)."""
    if not log.headers:
        if log.gap_first:
            return
        if store_name(name) and log.types & RECOVERING:
            message = "there is no header; id and time can be taken from the file's name"
            yield Fault("header-recovered", message)
        else:
            yield Fault("header-missing", "there is no header, and none can be recovered")
        return
    first = log.headers[0][0]
    if log.before_header and not log.gap_first:
        yield Fault("header-not-first", "other records stand before the header", (), spot=first)
    for spot, _, _ in log.headers[1:]:
        message = f"there is a header already, on line {first.line}"
        yield Fault("header-duplicate", message, (), spot=spot)
    spot, facts, usable = next((one for one in log.headers if one[2]), log.headers[0])
    known = store_name(name)
    if known is None or not usable:
        return
    if facts["id"] is not None and facts["id"] != known[0]:
        yield Fault("header-file-name", "the file's name holds another id", ("id",), spot=spot)
    elif _differ(facts["time"], known[1]):
        message = "the file's name holds another time"
        yield Fault("header-file-name", message, ("timestamp",), spot=spot)


def _differ(stated: Any, named: str) -> bool:
    """Say whether two timestamps name different instants; one that names none is told elsewhere."""
    ours, theirs = instant(stated) if isinstance(stated, str) else None, instant(named)
    return ours is not None and theirs is not None and ours != theirs


def name_lost(log: Log, tree: Tree | None) -> Iterator[Fault]:
    """The last session_info does not forget the name (session.md#session-info)."""
    infos = log.infos
    if infos.last_info and not infos.last_info[1] and infos.last_named:
        message = "the last session_info has no name, so the session's name is lost"
        yield Fault("session-name-lost", message, (), spot=infos.last_info[0])


RULES: tuple[Callable[[Log, Tree | None], Iterator[Fault]], ...] = (
    call_checks.results,
    call_checks.unanswered,
    call_checks.call_ids,
    call_checks.executions,
    compaction_checks.kept_missing,
    compaction_checks.splits_pair,
    name_lost,
)
"""Rules on the whole log; `tree` is None in version 1."""
