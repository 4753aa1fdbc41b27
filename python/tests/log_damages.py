"""Damage as crashes, careless writers and bad disks do it, on the sound logs of the corpus."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from conftest import ROOT
from convspec.conformance.cases import cases

_BITS = (
    b"",
    b"\0",
    b"\0" * 40,
    b"\n",
    b"\r\n",
    b"{",
    b"}",
    b'"',
    b"\\",
    b"\xff",
    b"\xe2\x82",
    b"[]\n",
    b'{"type":"',
)

Damage = tuple[list[bytes], set[int]]
"""The pieces of a damaged log, and the lines of the sound one that stand in it as they were."""


@cache
def sound_logs() -> list[list[bytes]]:
    """Return the sound logs of the corpus, as lines."""
    found = []
    for case in cases(ROOT / "conformance"):
        data = case.tree.files.get(case.document["input"], b"")
        document = case.document
        checked = document["format"] == "session" and document["kind"] == "check"
        sound = checked and document["expect"]["verdict"] == "valid"
        if sound and len(data) < 6000 and data.endswith(b"\n"):
            found.append(data.splitlines(keepends=True) if b"\r" not in data else data.split(b"\n"))
    return [log for log in found if all(line.endswith(b"\n") for line in log)]


def _cut(lines: list[bytes], rng: random.Random) -> Damage:
    """The end is torn off."""
    at = rng.randrange(len(lines))
    line = lines[at]
    return [*lines[:at], line[: rng.randrange(len(line))]], set(range(at))


def _flipped(lines: list[bytes], rng: random.Random) -> Damage:
    """One byte of one line is another; its newline is left alone."""
    at = rng.randrange(len(lines))
    line = bytearray(lines[at])
    line[rng.randrange(max(1, len(line) - 1))] = rng.choice([byte for byte in range(256) if byte != 10])
    return [*lines[:at], bytes(line), *lines[at + 1 :]], set(range(len(lines))) - {at}


def _spliced(lines: list[bytes], rng: random.Random) -> Damage:
    """A line breaks off, and the next record stands on what is left of it."""
    at = rng.randrange(len(lines))
    rest = lines[at][: rng.randrange(len(lines[at]))] + rng.choice(_BITS)
    return [*lines[:at], rest, *lines[at + 1 :]], set(range(len(lines))) - {at, at + 1}


def _inserted(lines: list[bytes], rng: random.Random) -> Damage:
    """Bytes stand where none should."""
    at = rng.randrange(len(lines))
    place = rng.randrange(len(lines[at]))
    line = lines[at][:place] + rng.choice(_BITS) + lines[at][place:]
    return [*lines[:at], line, *lines[at + 1 :]], set(range(len(lines))) - {at}


def _doubled(lines: list[bytes], rng: random.Random) -> Damage:
    """Lines stand twice."""
    at = rng.randrange(len(lines))
    end = rng.randrange(at, len(lines)) + 1
    to = rng.randrange(len(lines) + 1)
    return [*lines[:to], *lines[at:end], *lines[to:]], set(range(len(lines)))


def _reordered(lines: list[bytes], rng: random.Random) -> Damage:
    """Lines stand in another order."""
    shuffled = list(lines)
    rng.shuffle(shuffled)
    return shuffled, set(range(len(lines)))


KINDS: tuple[Callable[[list[bytes], random.Random], Damage], ...] = (
    _cut,
    _flipped,
    _spliced,
    _inserted,
    _doubled,
    _reordered,
)


def damaged(rng: random.Random) -> tuple[bytes, list[bytes], set[int]]:
    """Return a damaged log, the lines of the sound one, and which of them stand in it as they were."""
    lines = rng.choice(sound_logs())
    pieces, left = rng.choice(KINDS)(lines, rng)
    if rng.random() < 0.3:  # a second wound, anywhere
        more, _ = rng.choice(KINDS)(b"".join(pieces).splitlines(keepends=True) or [b"\n"], rng)
        pieces, left = more, set()
    return b"".join(pieces), lines, left
