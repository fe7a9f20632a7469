"""The exact chi-square test of whether two samples of games come from the same match, for one cell or many."""

from collections.abc import Sequence
from math import lgamma
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import UsageError

_ROUNDING = 1e-9
_GRID = 0.05
"""Grid width to which statistics are rounded before they are summed."""
_LARGEST = 400.0
"""Larger sums of statistics count as this value."""


class Homogeneity(NamedTuple):
    """Pearson's statistic of two samples, and its exact distribution under homogeneity.

    Attributes
    ----------
    statistic
        The sum of (seen - expected)**2 / expected over both samples and all outcomes that occur.
    p_value
        Probability of a statistic at least as large, given both sizes and the total of each outcome.
    statistics, chances
        (T,) float64: the statistic of every possible table, and its probability.
    """

    statistic: float
    p_value: float
    statistics: NDArray[np.float64]
    chances: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Expected statistic under homogeneity."""
        return float(self.statistics @ self.chances)


def homogeneity(first: Sequence[int], second: Sequence[int]) -> Homogeneity:
    """Return the exact chi-square test of two samples with the same two or three outcomes.

    Parameters
    ----------
    first, second
        Counts by outcome; each sample has at least one game.

    Notes
    -----
    Given the margins, a sample is a draw without replacement from both.  All possible tables are enumerated, so the
    test is valid for small counts (G. H. Freeman and J. H. Halton, Biometrika 38, 1951; ordered by chi-square).

    Examples
    --------
    >>> test = homogeneity([3, 0, 7], [40, 10, 50])
    >>> round(test.statistic, 3), round(test.p_value, 3)
    (1.934, 0.385)
    >>> homogeneity([100, 0, 0], [1000, 0, 0]).p_value
    1.0
    """
    one, two = np.asarray(first, np.int64), np.asarray(second, np.int64)
    if one.shape != two.shape or one.size not in (2, 3) or min(one.min(), two.min()) < 0:
        raise UsageError(f"expected two samples of 2 or 3 counts, got {list(first)!r} and {list(second)!r}")
    if not (one.sum() and two.sum()):
        raise UsageError(f"expected a game in each sample, got {list(first)!r} and {list(second)!r}")
    totals = one + two
    tables = _tables(int(one.sum()), totals)
    statistics = _statistic(tables, totals)
    ways = sum(_log_ways(int(total), tables[:, outcome]) for outcome, total in enumerate(totals))
    chances: NDArray[np.float64] = np.exp(ways - _log_ways(int(totals.sum()), one.sum()))
    chances /= chances.sum()
    seen = float(_statistic(one[None, :], totals)[0])
    p_value = min(1.0, float(chances[statistics >= seen - _ROUNDING].sum()))
    return Homogeneity(seen, p_value, statistics, chances)


def total_p_value(tests: Sequence[Homogeneity]) -> float:
    """Return the probability that the sum of the statistics of independent tests is at least as large as observed.

    Each statistic is rounded to a grid of 0.05 first.

    Examples
    --------
    >>> test = homogeneity([3, 0, 7], [40, 10, 50])
    >>> abs(total_p_value([test]) - test.p_value) < 0.05, total_p_value([test] * 2) > 0.4
    (True, True)
    """
    size = round(_LARGEST / _GRID) + 1
    total = np.ones(1)
    for test in tests:
        places = np.minimum(np.rint(test.statistics / _GRID), size - 1).astype(np.int64)
        joined = np.convolve(total, np.bincount(places, test.chances))
        total = joined[:size]
        total[-1] += joined[size:].sum()
    seen = sum(int(min(np.rint(test.statistic / _GRID), size - 1)) for test in tests)
    return min(1.0, float(total[min(seen, size - 1) :].sum()))


def _tables(size: int, totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return every sample of `size` from these totals, (T, K) int64."""
    spans = [np.arange(min(size, int(total)) + 1) for total in totals[:-1]]
    free = np.stack(np.meshgrid(*spans, indexing="ij"), axis=-1).reshape(-1, len(spans))
    last = size - free.sum(axis=1)
    possible = (last >= 0) & (last <= totals[-1])
    tables: NDArray[np.int64] = np.column_stack([free, last])[possible]
    return tables


def _statistic(tables: NDArray[np.int64], totals: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return Pearson's statistic of each first sample, (T,) float64; the second sample is the rest of the totals."""
    size, number = int(tables[0].sum()), int(totals.sum())
    occurs = totals > 0
    expected = totals[occurs] * (size / number)
    off = (tables[:, occurs] - expected) ** 2 / expected
    statistic: NDArray[np.float64] = off.sum(axis=1) * (number / (number - size))
    return statistic


def _log_ways(total: int, chosen: NDArray[np.int64] | np.int64) -> NDArray[np.float64]:
    """Return the logarithm of the number of ways to choose `chosen` items from `total`."""
    logs = np.array([lgamma(count + 1) for count in range(total + 1)])
    ways: NDArray[np.float64] = logs[total] - logs[chosen] - logs[total - chosen]
    return ways
