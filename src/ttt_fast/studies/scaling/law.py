"""A power law fitted to times of which some are censored: log10(time) = a + b log10(size) + normal error.

The estimate is that of maximum likelihood for censored data (J. Tobin, Econometrica 26, 1958), by expectation and
maximization.
"""

from math import erfc, exp, log, pi, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_ROUNDS: Final = 300
_ENOUGH: Final = 1e-6
"""Change of the expected times, in powers of ten, at which the rounds end."""
_SMALLEST: Final = 1e-3
"""Smallest standard deviation of the error, in powers of ten."""


class Law(NamedTuple):
    """A fitted law: log10(time) = intercept + slope * log10(size), the standard deviation, and the log-likelihood."""

    intercept: float
    slope: float
    sd: float
    log_likelihood: float

    def log10_at(self, size: float) -> float:
        """Return the logarithm of the median time for a size, to base 10."""
        return float(self.intercept + self.slope * np.log10(size))


def _beyond(z: float) -> tuple[float, float]:
    """Return the log of the chance that a normal number is above z, and its mean excess density there."""
    if z > 30:
        return -z * z / 2 - log(z * sqrt(2 * pi)), z + 1 / z
    chance = erfc(z / sqrt(2)) / 2
    return log(chance), exp(-z * z / 2) / sqrt(2 * pi) / chance


def fitted(sizes: ArrayLike, times: ArrayLike, reached: ArrayLike, weights: ArrayLike) -> Law:
    """Return the law of maximum likelihood.

    Parameters
    ----------
    sizes, times : (n,)
        Size of each problem, and the time until the event or until the end of the run.
    reached : (n,) bool
        Whether the event has occurred; otherwise the run is censored.
    weights : (n,)
        The weight of each run.

    Examples
    --------
    >>> law = fitted([10, 100, 1000, 10_000], [20, 200, 2000, 3000], [True, True, True, False], [1, 1, 1, 1])
    >>> round(law.slope, 2), round(10 ** law.log10_at(10))
    (1.0, 20)
    """
    y, event, weight = (
        np.log10(np.asarray(times, np.float64)),
        np.asarray(reached, np.bool_),
        np.asarray(weights, np.float64),
    )
    columns = np.column_stack([np.ones(y.size), np.log10(np.asarray(sizes, np.float64))])
    sd, known, spread = max(float(y.std()), _SMALLEST), y.copy(), np.zeros(y.size)
    for _ in range(_ROUNDS):
        fit = np.linalg.lstsq(columns * np.sqrt(weight)[:, None], known * np.sqrt(weight), rcond=None)[0]
        line: NDArray[np.float64] = columns @ fit
        squares = (known - line) ** 2 + spread
        sd = max(sqrt(float((weight * squares).sum() / weight.sum())), _SMALLEST)
        z = (y - line) / sd
        tails = np.array([_beyond(one) for one in z])
        before, known = known, np.where(event, y, line + sd * tails[:, 1])
        spread = np.where(event, 0.0, sd * sd * np.maximum(0.0, 1 + z * tails[:, 1] - tails[:, 1] ** 2))
        if np.abs(known - before).max() < _ENOUGH:
            break
    likelihood = np.where(event, -z * z / 2 - log(sd * sqrt(2 * pi)), tails[:, 0])
    return Law(float(fit[0]), float(fit[1]), sd, float((weight * likelihood).sum()))
