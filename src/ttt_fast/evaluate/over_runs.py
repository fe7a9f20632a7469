"""Statistics over runs with different seeds: means with bootstrap intervals, paired tests, times to a target.

R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare, "Deep reinforcement learning at the edge of the
statistical precipice" (NeurIPS 2021), and their package rliable.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.core.errors import UsageError

RESAMPLES = 2000
Statistic = Literal["mean", "iqm"]
LEVEL = 0.95
"""The level of intervals."""
_BLOCK = 1 << 20  # numbers drawn at a time
_MOST_EXACT = 14
"""Largest number of pairs of which all sign patterns are counted."""
_PATTERNS = 20_000
_ROUNDING = 1e-12


class Interval(NamedTuple):
    """An estimate with its 95 % interval."""

    estimate: float
    low: float
    high: float


def interquartile_mean(scores: ArrayLike) -> NDArray[np.float64]:
    """Return the mean of the scores without the lowest and the highest quarter, along the last axis.

    Of n scores, n // 4 are removed at each end.

    Parameters
    ----------
    scores
        (..., n) numbers, n at least 1.

    Examples
    --------
    >>> float(interquartile_mean([0.0, 0.5, 0.7, 1.0]))
    0.6
    """
    ranked = np.sort(np.asarray(scores, np.float64), axis=-1)
    cut = ranked.shape[-1] // 4
    mean: NDArray[np.float64] = ranked[..., cut : ranked.shape[-1] - cut].mean(axis=-1)
    return mean


def mean(scores: ArrayLike) -> NDArray[np.float64]:
    """Return the mean of the scores, (..., n) numbers, along the last axis."""
    return np.asarray(np.mean(np.asarray(scores, np.float64), axis=-1))


STATISTICS: dict[Statistic, Callable[[ArrayLike], NDArray[np.float64]]] = {"mean": mean, "iqm": interquartile_mean}


def bootstrap_interval(
    strata: Sequence[ArrayLike],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]] = mean,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return a statistic of all scores, with its 95 % interval from a stratified percentile bootstrap.

    Parameters
    ----------
    strata
        The scores of each problem, (n,) numbers; each resample draws n of them with replacement for each problem.
    statistic
        A function of resamples, (R, n) numbers, that returns (R,) numbers, infinite ones included.
    seed
        Seed of the resamples.
    resamples
        Number of resamples.

    Raises
    ------
    UsageError
        If there is no problem, a problem has no scores, or a score is not finite.

    Examples
    --------
    >>> found = bootstrap_interval([[0.1, 0.2, 0.3, 0.4], [0.8, 0.9, 0.9, 1.0]], interquartile_mean)
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.6, 0.5, 0.65)
    """
    known = [np.asarray(scores, np.float64) for scores in strata]
    if not known or not all(one.ndim == 1 and one.size and np.isfinite(one).all() for one in known):
        raise UsageError(f"expected finite scores of each problem, got {len(known)} problems, one without")
    sizes = tuple(one.size for one in known)
    blocks = (_kept_places if resamples * sum(sizes) <= _BLOCK else _places)(sizes, seed, resamples)
    drawn = ([one[chosen] for one, chosen in zip(known, places, strict=True)] for places in blocks)
    found, tail = np.concatenate([statistic(np.concatenate(one, axis=1)) for one in drawn]), (1 - LEVEL) / 2
    method: Literal["linear", "nearest"] = "linear" if np.isfinite(found).all() else "nearest"
    low, high = np.quantile(found, [tail, 1 - tail], method=method).tolist()
    return Interval(float(statistic(np.concatenate(known)[None])[0]), low, high)


def _places(sizes: tuple[int, ...], seed: int, resamples: int) -> Iterator[list[NDArray[np.int64]]]:
    """Yield the places of the scores of some resamples for each problem, each row in order: sorted scores stay so."""
    generator, at_once = np.random.default_rng(seed), max(1, _BLOCK // sum(sizes))
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        yield [np.sort(generator.integers(size, size=(rows, size)), axis=1) for size in sizes]


@lru_cache(maxsize=8)
def _kept_places(sizes: tuple[int, ...], seed: int, resamples: int) -> list[list[NDArray[np.int64]]]:
    """Return `_places`, which the points of a curve share."""
    return list(_places(sizes, seed, resamples))


def median_time(times: ArrayLike, reached: ArrayLike) -> NDArray[np.float64]:
    """Return the median time to an event by the estimate of Kaplan and Meier; infinite if it is not known.

    Between two times at which exactly half of the runs remain, it is their mean.

    Parameters
    ----------
    times : (..., n)
        The time of the event, or the end of a run without it.
    reached : (..., n)
        Whether the event has occurred; otherwise the run is censored.

    Examples
    --------
    >>> float(median_time([3.0, 1.0, 2.0, 4.0], [True, True, True, False]))
    2.5
    >>> float(median_time([3.0, 1.0, 5.0, 4.0], [False, True, True, False]))  # those of 3 and 4 are censored
    5.0
    """
    at, event = np.asarray(times, np.float64), np.asarray(reached, np.bool_)
    order = np.lexsort((~event, at), axis=-1)  # events come before censored runs of the same length
    at, event = np.take_along_axis(at, order, -1), np.take_along_axis(event, order, -1)
    remaining = np.cumprod(1 - event / np.arange(at.shape[-1], 0, -1), axis=-1)
    low, high = (
        np.where(event & (remaining <= 0.5 + side), at, np.inf).min(axis=-1) for side in (_ROUNDING, -_ROUNDING)
    )
    return np.asarray((low + high) / 2)


def median_time_interval(times: ArrayLike, reached: ArrayLike) -> Interval:
    """Return the median time to an event with its 95 % bootstrap interval; infinite where it is not known.

    Examples
    --------
    >>> median_time_interval([10, 20, 30, 40, 50], [True, True, True, True, False])
    Interval(estimate=30.0, low=10.0, high=inf)
    """
    at = np.asarray(times, np.float64)
    signed = np.where(reached, at, -at)  # also of time 0
    return bootstrap_interval([signed], lambda runs: median_time(np.abs(runs), ~np.signbit(runs)))


class PairedTest(NamedTuple):
    """The mean difference of two settings with its 95 % interval, and the two-sided p-value of their equality."""

    difference: float
    low: float
    high: float
    p_value: float


def paired_test(first: ArrayLike, second: ArrayLike, seed: int = 0) -> PairedTest:
    """Test whether two settings have equal results with equal seeds: a bootstrap interval, and a test of signs.

    If the settings are equivalent, the sign of each difference is a coin flip.  The p-value is the share of the sign
    patterns whose mean difference is at least as large: of all patterns of up to 14 pairs, otherwise of about 20,000.

    Parameters
    ----------
    first, second : (n,)
        The results of the settings, in the order of their seeds; the difference is `second` minus `first`.
    seed
        Seed of the resamples and of the patterns.

    Examples
    --------
    >>> found = paired_test([0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.4, 0.4, 0.6, 0.6])
    >>> round(found.difference, 3), found.p_value
    (0.14, 0.0625)
    """
    gains = np.asarray(second, np.float64) - np.asarray(first, np.float64)
    size, drawn = gains.size, int(gains.size > _MOST_EXACT)
    blocks: Iterable[NDArray[np.int64]] = [np.arange(1 << min(size, _MOST_EXACT))[:, None] >> np.arange(size) & 1]
    if drawn:
        generator, rows = np.random.default_rng(seed), max(1, min(_PATTERNS, _BLOCK // size))
        blocks = (generator.integers(2, size=(rows, size)) for _ in range(0, _PATTERNS, rows))
    sums = np.concatenate([np.abs(((1 - 2 * flips) * gains).sum(axis=1)) for flips in blocks])
    as_large = sums >= abs(float(gains.sum())) - _ROUNDING * (1 + float(np.abs(gains).sum()))
    p_value = (int(as_large.sum()) + drawn) / (sums.size + drawn)  # the observed pattern counts, too
    return PairedTest(*bootstrap_interval([gains], seed=seed), p_value)
