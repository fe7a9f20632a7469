"""Statistics of samples: Wilson intervals, z-scores against the exact value."""

from math import sqrt

from ttt_fast.core.errors import UsageError

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


def wilson_interval(
    successes: int, trials: int, z: float = Z_95, *, distinct: int | None = None
) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion.

    Parameters
    ----------
    successes, trials
        Counts, 0 <= successes <= trials; with no trials the interval is (0, 1).
    z
        Half width in standard deviations (default: a level of 95 %).
    distinct
        Number of trials that repeat no other one (default: all); the width of the interval rests on it.

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
    share, number = successes / trials, trials if distinct is None else distinct
    spread = z * sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    centre = share + z * z / (2 * number)
    scale = 1 + z * z / number
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


def _check_counts(successes: int, trials: int) -> None:
    if not 0 <= successes <= trials:
        raise UsageError(f"expected 0 <= successes <= trials, got {successes!r} of {trials!r}")
