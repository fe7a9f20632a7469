"""Statistics of samples: Wilson intervals, z-scores against the exact value, z-tests, families of tests."""

from collections.abc import Sequence
from math import erfc, log, prod, sqrt
from typing import NamedTuple

from ttt_fast.core.errors import UsageError

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


class ZTest(NamedTuple):
    """A z-score and its two-sided p-value."""

    z: float
    p_value: float


def wilson_interval(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion.

    Parameters
    ----------
    successes, trials
        Counts, 0 <= successes <= trials; with no trials the interval is (0, 1).
    z
        Half width in standard deviations (default: a level of 95 %).

    Notes
    -----
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference" (JASA 22, 1927).

    Examples
    --------
    >>> low, high = wilson_interval(197_932, 200_000)
    >>> round(low, 5), round(high, 5)
    (0.98921, 0.99009)
    """
    _check_counts(successes, trials)
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    spread = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    centre = share + z * z / (2 * trials)
    scale = 1 + z * z / trials
    # At 0 and at `trials` the bound is exactly 0 or 1; rounding must not move it past the share.
    low = 0.0 if successes == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if successes == trials else min(1.0, (centre + spread) / scale)
    return low, high


def z_score(successes: int, trials: int, probability: float) -> float:
    """Return the distance of a count from its exact expectation, in standard deviations.

    Where the exact probability is 0 or 1 the score is 0 or infinite.

    Examples
    --------
    >>> round(z_score(26_666, 200_000, 0.132012), 2)
    1.74
    """
    _check_counts(successes, trials)
    deviation = successes - trials * probability
    variance = trials * probability * (1 - probability)
    if variance > 1e-12 * trials:
        return deviation / sqrt(variance)
    # Certain (or impossible) up to the rounding of the exact value: any exception is infinitely surprising.
    if abs(deviation) <= 1e-9 * trials and abs(deviation) < 0.5:
        return 0.0
    return float("inf") if deviation > 0 else float("-inf")


def two_proportion_z_test(successes: int, trials: int, other_successes: int, other_trials: int) -> ZTest:
    """Return the pooled two-proportion z-test between two samples.

    Examples
    --------
    Langan's report, section 6.3.1 (197,932 against 193,622 wins of 200,000):

    >>> round(two_proportion_z_test(197_932, 200_000, 193_622, 200_000).z, 2)
    47.4
    """
    _check_counts(successes, trials)
    _check_counts(other_successes, other_trials)
    if trials == 0 or other_trials == 0:
        raise UsageError("expected at least one trial in each sample, got none")
    pooled = (successes + other_successes) / (trials + other_trials)
    variance = pooled * (1 - pooled) * (1 / trials + 1 / other_trials)
    difference = successes / trials - other_successes / other_trials
    z = 0.0 if variance == 0 else difference / sqrt(variance)
    return ZTest(z, erfc(abs(z) / sqrt(2)))


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
    """Return the chance that independent p-values are as small together as these, or smaller.

    Notes
    -----
    R. A. Fisher, *Statistical Methods for Research Workers* (1932), section 21.1: minus twice the sum of their
    logarithms is chi-square with twice as many degrees of freedom.  Of p-values of counts, which are not uniform but
    larger, the chance is at most this.

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


def _check_counts(successes: int, trials: int) -> None:
    if not 0 <= successes <= trials:
        raise UsageError(f"expected 0 <= successes <= trials, got {successes!r} of {trials!r}")
