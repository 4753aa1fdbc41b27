"""Time that grows in step with an input, told from time that grows with its square.

Processor time is measured, and the least of some runs is taken: whatever else the machine does makes a
run longer, never shorter. More runs are made only where the answer looks bad.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

STEP = 4
"""How many times as much the larger of two inputs holds."""

LIMIT = 7.0
"""In step, STEP times the input takes 4 times the time, with a sort about 5; with the square 16 times."""

FRACTION = 100
"""How many times as much an input of full size holds as the one by which its time is foretold."""

SLACK = 3.0
"""How many times longer than foretold it may take, as it fits no cache. With the square it is 100 times."""

_ROUNDS = 6

Result = TypeVar("Result")


def growth(run: Callable[[bytes], object], make: Callable[[int], bytes], count: int) -> float:
    """Return how many times longer a run on `count` takes than one on a quarter of it.

    The smaller input comes before and after the larger one, so that no slow moment hides a fault.
    """
    small, large = make(count // STEP), make(count)
    least_small, least_large = _timed(run, small)[1], float("inf")
    for _ in range(_ROUNDS):
        least_small = min(least_small, _timed(run, small)[1])
        least_large = min(least_large, _timed(run, large)[1])
        least_small = min(least_small, _timed(run, small)[1])
        if least_large < LIMIT * least_small:
            break
    return least_large / least_small


def lag(run: Callable[[bytes], Result], make: Callable[[int], bytes], count: int) -> tuple[Result, float]:
    """Run once at full size; return the result, and how many times longer than foretold it took."""
    small, large = make(count // FRACTION), make(count)
    foretold = FRACTION * min(_timed(run, small)[1] for _ in range(4))
    result, took = _timed(run, large)
    if took >= SLACK * foretold:
        took = min(took, _timed(run, large)[1])
    return result, took / foretold


def _timed(run: Callable[[bytes], Result], data: bytes) -> tuple[Result, float]:
    begin = time.process_time()
    result = run(data)
    return result, time.process_time() - begin
