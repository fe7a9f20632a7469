"""The interquartile mean over runs, with stratified bootstrap intervals, as in rliable.

R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare, "Deep reinforcement learning at the edge of the
statistical precipice" (NeurIPS 2021).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast import UsageError

RESAMPLES = 2000
_LEVEL = 0.95
_BLOCK = 1 << 20  # numbers drawn at a time


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


def interquartile_interval(strata: Sequence[ArrayLike], seed: int = 0, resamples: int = RESAMPLES) -> Interval:
    """Return the interquartile mean of all scores, with its 95 % interval from a stratified percentile bootstrap.

    Parameters
    ----------
    strata
        The scores of each problem, (n,) numbers; each resample draws n of them with replacement for each problem.
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
    >>> found = interquartile_interval([[0.1, 0.2, 0.3, 0.4], [0.8, 0.9, 0.9, 1.0]])
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.6, 0.5, 0.65)
    """
    known = [np.asarray(scores, np.float64) for scores in strata]
    if not known or not all(one.ndim == 1 and one.size and np.isfinite(one).all() for one in known):
        raise UsageError(f"expected finite scores of each problem, got {len(known)} problems, one without")
    generator = np.random.default_rng(seed)
    at_once = max(1, _BLOCK // sum(one.size for one in known))
    found = []
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        drawn = [one[generator.integers(one.size, size=(rows, one.size))] for one in known]
        found.append(interquartile_mean(np.concatenate(drawn, axis=1)))
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(np.concatenate(found), [tail, 1 - tail]).tolist()
    return Interval(float(interquartile_mean(np.concatenate(known))), low, high)
