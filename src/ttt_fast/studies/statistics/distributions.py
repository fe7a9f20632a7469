"""Binomial, normal and Student distributions, with p-values of families of tests."""

from collections.abc import Sequence
from math import atan, cos, erfc, lgamma, log, pi, prod, sin, sqrt

import numpy as np
from numpy.typing import NDArray

_CERTAIN = 1e-12


def binomial(trials: int, chance: float) -> NDArray[np.float64]:
    """Return the probabilities of 0 to `trials` successes, (trials + 1,) float64.

    Examples
    --------
    >>> binomial(2, 0.5).round(12)
    array([0.25, 0.5 , 0.25])
    """
    if chance < _CERTAIN or chance > 1 - _CERTAIN:
        certain = np.zeros(trials + 1)
        certain[0 if chance < 0.5 else trials] = 1.0
        return certain
    k = np.arange(trials + 1)
    ways = lgamma(trials + 1) - np.array([lgamma(i + 1) + lgamma(trials - i + 1) for i in k])
    chances: NDArray[np.float64] = np.exp(ways + k * np.log(chance) + (trials - k) * np.log1p(-chance))
    chances /= chances.sum()
    return chances


def beta_binomial(trials: int, successes: float, games: float) -> NDArray[np.float64]:
    """Return the predictive probabilities of 0 to `trials` successes after an observed sample, (trials + 1,) float64.

    The success probability is estimated from the sample; with Jeffreys' prior it has a beta distribution.

    Examples
    --------
    >>> beta_binomial(2, 5000, 10000).round(3)
    array([0.25, 0.5 , 0.25])
    """
    a, b = successes + 0.5, games - successes + 0.5
    k = np.arange(trials)
    logs = np.append(0.0, np.cumsum(np.log((trials - k) / (k + 1) * (a + k) / (b + trials - k - 1))))
    chances: NDArray[np.float64] = np.exp(logs - logs.max())
    chances /= chances.sum()
    return chances


def two_sided(chances: NDArray[np.float64], count: int) -> float:
    """Return the probability of a count that is at most as likely as this one.

    Examples
    --------
    >>> round(two_sided(binomial(10, 0.5), 9) * 1024)
    22
    """
    here = float(chances[count]) if 0 <= count < chances.size else 0.0
    return min(1.0, float(chances[chances <= here * (1 + 1e-9)].sum())) if here > 0 else 0.0


def normal_p(deviation: float) -> float:
    """Return the two-sided p-value of a normal deviate, given in standard deviations.

    Examples
    --------
    >>> round(normal_p(1.96), 3)
    0.05
    """
    return erfc(abs(deviation) / sqrt(2))


def student_p(deviation: float, degrees: int) -> float:
    """Return the two-sided p-value of Student's t.

    Notes
    -----
    M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4.

    Examples
    --------
    >>> round(student_p(2.262, 9), 3), round(student_p(12.706, 1), 3), round(student_p(1.96, 100_000), 3)
    (0.05, 0.05, 0.05)
    """
    angle = atan(abs(deviation) / sqrt(degrees))
    if degrees % 2:
        term, total = cos(angle), 0.0
        for k in range(3, degrees + 1, 2):
            total += term
            term *= cos(angle) ** 2 * (k - 1) / k
        within = 2 / pi * (angle + sin(angle) * total)
    else:
        term, total = 1.0, 0.0
        for k in range(2, degrees + 1, 2):
            total += term
            term *= cos(angle) ** 2 * (k - 1) / k
        within = sin(angle) * total
    return max(0.0, 1.0 - within)


def corrected(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of a family of tests, each corrected for their number.

    Notes
    -----
    S. Holm, "A simple sequentially rejective multiple test procedure" (Scandinavian Journal of Statistics 6, 1979).

    Examples
    --------
    >>> corrected([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    found, so_far = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda one: p_values[one])):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[place]))
        found[place] = so_far
    return found


def combined(p_values: Sequence[float]) -> float:
    """Return the joint p-value of independent p-values by Fisher's method.

    Notes
    -----
    R. A. Fisher, *Statistical Methods for Research Workers* (1932), section 21.1: minus twice the sum of the logarithms
    of n p-values is chi-square distributed with 2n degrees of freedom.  This requires uniform p-values.  P-values of
    counts are discrete and stochastically larger, so that the result is an upper bound of the exact joint p-value.

    Examples
    --------
    >>> combined([0.03]), round(combined([0.05] * 4), 5), combined([0.0, 1.0])
    (0.03, 0.00232, 0.0)
    """
    product = prod(p_values)
    if not product:
        return 0.0
    term = total = 1.0
    for number in range(1, len(p_values)):
        term *= -log(product) / number
        total += term
    return min(1.0, product * total)
