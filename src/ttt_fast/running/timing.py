"""Interleaved timing of functions, so that a slow phase of a shared machine affects all of them."""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from math import ceil
from typing import NamedTuple


class Candidate(NamedTuple):
    """A function to time.

    Attributes
    ----------
    name
        The name of the work.
    unit
        The unit of the count: games, episodes, calls.
    units
        Number of units per call of `run`.
    run
        Does the work once.
    """

    name: str
    unit: str
    units: int
    run: Callable[[], object]


class Timing(NamedTuple):
    """The rates of a candidate.

    Attributes
    ----------
    candidate
        The function.
    rates
        Units per second in each repeat.
    first_call_seconds
        Time of the very first call, which may compile.
    """

    candidate: Candidate
    rates: list[float]
    first_call_seconds: float

    @property
    def per_second(self) -> float:
        """The median rate."""
        return statistics.median(self.rates)

    @property
    def seconds_each(self) -> float:
        """Seconds per unit at the median rate."""
        return 1 / self.per_second


def timed(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the duration of one call in seconds."""
    started = clock()
    run()
    return clock() - started


def time_in_turn(
    candidates: Sequence[Candidate],
    seconds: float,
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Timing]:
    """Time candidates alternately, after a warm-up.

    Parameters
    ----------
    candidates
        The functions.  Each runs twice first, which loads its kernels and determines the number of calls in a repeat.
    seconds
        Minimum length of a repeat.
    repeats
        Repeats of each candidate.
    clock
        Default: wall-clock time; `time.process_time` excludes the time that other processes use on a shared core.

    Examples
    --------
    >>> (one,) = time_in_turn([Candidate("a sum", "calls", 1, lambda: sum(range(100)))], 0.001, 3)
    >>> len(one.rates), one.per_second > 0
    (3, True)
    """
    calls, firsts = [], []
    for one in candidates:
        firsts.append(timed(one.run))
        calls.append(max(1, ceil(seconds / timed(one.run))))
    rates: list[list[float]] = [[] for _ in candidates]
    for _ in range(repeats):
        for index, one in enumerate(candidates):
            spent = sum(timed(one.run, clock) for _ in range(calls[index]))
            rates[index].append(one.units * calls[index] / spent)
    return [Timing(*found) for found in zip(candidates, rates, firsts, strict=True)]


_BUSY, _SLOWER = 0.3, 0.93


def load() -> float | None:
    """Return the load average of the last minute; None if the system does not provide it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def disturbances(before: float | None, timings: Sequence[Timing]) -> list[str]:
    """Return descriptions of causes of low rates: other programs, or a machine that slows down as it heats up.

    Parameters
    ----------
    before
        The load before the measurement.
    timings
        The candidates, timed in turn.

    Examples
    --------
    >>> one = Candidate("a sum", "calls", 1, int)
    >>> disturbances(0.0, [Timing(one, [10.0, 10.1, 9.9], 0.1)])
    []
    >>> disturbances(0.9, [Timing(one, [10.0, 9.0, 8.0], 0.1)])
    ['other programs kept 0.9 cores busy', 'the machine slowed down by 20% on the way: heat, or other programs']
    """
    found = []
    if before is not None and before > _BUSY:
        found.append(f"other programs kept {before:.1f} cores busy")
    change = statistics.median(one.rates[-1] / one.rates[0] for one in timings)
    if change < _SLOWER:
        found.append(f"the machine slowed down by {1 - change:.0%} on the way: heat, or other programs")
    return found
