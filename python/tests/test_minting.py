"""Ids: short, unique, and in the order in which they were made."""

from __future__ import annotations

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from convspec import (
    mint_id,
)
from convspec.history import minting

# Ids


def test_an_id_is_time_counter_and_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 0x0123_4567_89AB * 1_000_000 + 999_999)
    monkeypatch.setattr(minting, "_counter", minting._Counter())
    ids = [mint_id() for _ in range(3)]
    assert all(re.fullmatch("[0-9a-f]{22}", id) for id in ids)
    assert [id[:16] for id in ids] == ["0123456789ab0000", "0123456789ab0001", "0123456789ab0002"]
    assert len({id[16:] for id in ids}) > 1


def test_the_counter_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(10**15, 10**18, 1_000_000))
    monkeypatch.setattr(time, "time_ns", lambda: next(now))
    monkeypatch.setattr(minting, "_counter", minting._Counter())
    ids = [mint_id() for _ in range(0x10000 + 2)]
    assert [id[12:16] for id in ids[-3:]] == ["ffff", "0000", "0001"]
    assert ids == sorted(ids)


def test_a_hundred_thousand_ids_differ() -> None:
    ids = [mint_id() for _ in range(100_000)]
    assert len(set(ids)) == len(ids)
    assert all(len(id) == 22 for id in ids)


def test_ids_of_many_threads_differ_and_rise_in_each() -> None:
    ready = threading.Barrier(8)

    def some() -> list[str]:
        ready.wait()
        return [mint_id() for _ in range(2_000)]

    with ThreadPoolExecutor(8) as pool:
        batches = [future.result() for future in [pool.submit(some) for _ in range(8)]]
    ids = [id for batch in batches for id in batch]
    assert len(set(ids)) == len(ids)
    assert len({id[12:16] for id in ids}) == len(ids), "two threads drew one number"


def test_time_and_number_rise_together(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1, 10_000))

    def slow() -> int:
        time.sleep(0.0005)  # another thread has its turn
        return next(ticks) * 1_000_000

    monkeypatch.setattr(minting, "_counter", minting._Counter())
    monkeypatch.setattr(time, "time_ns", slow)
    with ThreadPoolExecutor(4) as pool:
        ids = [future.result() for future in [pool.submit(mint_id) for _ in range(100)]]
    assert [id[12:16] for id in sorted(ids)] == [f"{number:04x}" for number in range(100)]
