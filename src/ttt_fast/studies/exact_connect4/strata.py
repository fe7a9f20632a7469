"""Differences of two shares within the same strata, such as mistakes and other decisions at the same ply."""

from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.studies.statistics.distributions import normal_p

Strata = list[tuple[int, int, int, int]]
"""Of each stratum: members with the property and all members of the first kind, then of the second kind."""
_Z = 1.959963984540054


class Difference(NamedTuple):
    """A difference of shares over strata: the shares, the difference with its 95 % interval, and the p-value of 0."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float


def strata_of(
    places: NDArray[np.int64], has: NDArray[np.bool_], first: NDArray[np.bool_], second: NDArray[np.bool_]
) -> Strata:
    """Return the counts of a property among members of two kinds, for each of their places.

    Examples
    --------
    >>> strata_of(*map(np.array, ([1, 1, 2], [True, False, True], [True, True, False], [False, False, True])))
    [(1, 2, 0, 0), (0, 0, 1, 1)]
    """
    found = []
    for place in np.unique(places):
        m, n = (kind & (places == place) for kind in (first, second))
        found.append((int((has & m).sum()), int(m.sum()), int((has & n).sum()), int(n.sum())))
    return found


def difference(strata: Strata) -> Difference:
    """Return the difference of two shares within strata.

    Each stratum has a weight `m n / (m + n)` for its `m` and `n` members (Cochran, Mantel and Haenszel); one without
    members on one side does not count.  Its variance is that of shares with one member added to each side.

    Parameters
    ----------
    strata
        Of each stratum: members with the property and all members of the first kind, then of the second kind.

    Examples
    --------
    >>> found = difference([(30, 40, 10, 40), (0, 0, 5, 9)])
    >>> found.first, found.second, found.difference, found.p < 0.001
    (0.75, 0.25, 0.5, True)
    """
    kept = [(a, m, b, n) for a, m, b, n in strata if m and n]
    weights = [m * n / (m + n) for _, m, _, n in kept]
    total = sum(weights)
    if not total:
        return Difference(nan, nan, nan, nan, nan, nan)
    first = sum(weight * a / m for weight, (a, m, _, _) in zip(weights, kept, strict=True)) / total
    second = sum(weight * b / n for weight, (_, _, b, n) in zip(weights, kept, strict=True)) / total
    variance = sum(
        weight**2 * (_variance(a, m) + _variance(b, n)) for weight, (a, m, b, n) in zip(weights, kept, strict=True)
    )
    error = sqrt(variance) / total
    found = first - second
    return Difference(first, second, found, found - _Z * error, found + _Z * error, normal_p(found / error))


def _variance(count: int, trials: int) -> float:
    """Return the variance of a share, with a success and a failure added, so that it is never zero."""
    share = (count + 1) / (trials + 2)
    return share * (1 - share) / (trials + 2)
