"""The z-test of two proportions."""

from math import erfc, sqrt
from typing import NamedTuple

from ttt_fast import UsageError


class ZTest(NamedTuple):
    """A z-score and its two-sided p-value."""

    z: float
    p_value: float


def two_proportion_z_test(successes: int, trials: int, other_successes: int, other_trials: int) -> ZTest:
    """Return the pooled two-proportion z-test between two samples.

    Examples
    --------
    Langan's report, section 6.3.1 (197,932 against 193,622 wins of 200,000):

    >>> round(two_proportion_z_test(197_932, 200_000, 193_622, 200_000).z, 2)
    47.4
    """
    for count, of in ((successes, trials), (other_successes, other_trials)):
        if not 0 <= count <= of:
            raise UsageError(f"expected 0 <= successes <= trials, got {count!r} of {of!r}")
    if trials == 0 or other_trials == 0:
        raise UsageError("expected at least one trial in each sample, got none")
    pooled = (successes + other_successes) / (trials + other_trials)
    variance = pooled * (1 - pooled) * (1 / trials + 1 / other_trials)
    difference = successes / trials - other_successes / other_trials
    z = 0.0 if variance == 0 else difference / sqrt(variance)
    return ZTest(z, erfc(abs(z) / sqrt(2)))
