"""The values of a quantity over runs: mean, spread and prediction interval of a further run, also as table columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, isnan, sqrt

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.statistics import wilson_interval

_CUTS = {"min": 0.0, "5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "max": 1.0}


STUDENT_95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086,
)  # fmt: skip
"""The 97.5 % quantiles of Student's t for 1, 2, ... degrees of freedom; the last one is used for all larger numbers."""

NORMAL_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
ROUNDING = 1e-12
"""Values of policies are equal if they differ by at most this amount."""


@dataclass(frozen=True)
class Mean:
    """A mean over runs with its 95 % interval; means are compared by the interval of their difference.

    Examples
    --------
    >>> Mean(0.5, 0.4, 0.6) > Mean(0.3, 0.3, 0.3), Mean(0.5, 0.4, 0.6) > Mean(0.3, 0.1, 0.5)
    (True, False)
    """

    value: float
    low: float
    high: float

    def __gt__(self, other: "Mean") -> bool:
        """Return whether this mean is greater by more than the half width of the interval of the difference."""
        half = hypot(self.high - self.low, other.high - other.low) / 2
        return self.value - other.value > half + 1e-9


@dataclass(frozen=True, eq=False)
class RunSample:
    """The values of N runs, (N,) float64.

    Examples
    --------
    >>> sample = RunSample([1.0, 2.0, 3.0])
    >>> sample.mean, sample.sd, round(sample.error, 6)
    (2.0, 1.0, 0.57735)
    """

    values: Sequence[float] | NDArray[np.float64]

    @property
    def mean(self) -> float:
        """The mean."""
        return float(np.mean(self.values))

    @property
    def sd(self) -> float:
        """The standard deviation with n - 1; 0 for a single run, or if the values differ by rounding noise only."""
        return float(np.std(self.values, ddof=1)) if np.ptp(self.values) > ROUNDING else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.sd / sqrt(len(self.values))

    @property
    def low(self) -> float:
        """The smallest value."""
        return float(np.min(self.values))

    @property
    def high(self) -> float:
        """The greatest value."""
        return float(np.max(self.values))

    @property
    def student(self) -> float:
        """The 97.5 % quantile of Student's t for this number of runs."""
        return _student(len(self.values))

    def mean_interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the mean."""
        half = self.student * self.error if self.sd else 0.0
        return self.mean - half, self.mean + half

    def prediction(self, sampling_error: float = 0.0) -> tuple[float, float]:
        """Return the 95 % prediction interval of a further run that is measured with a sampling error."""
        return prediction(self.mean, self.sd, len(self.values), sampling_error)


def prediction(mean: float, sd: float, count: int, sampling_error: float = 0.0) -> tuple[float, float]:
    """Return the 95 % prediction interval of a further run that is measured with a sampling error."""
    spread = _student(count) * sd * sqrt(1 + 1 / count) if sd else 0.0
    half = sqrt(spread**2 + (NORMAL_95 * sampling_error) ** 2)
    return mean - half, mean + half


def _student(count: int) -> float:
    return STUDENT_95[min(count - 1, len(STUDENT_95)) - 1] if count > 1 else float("inf")


def spread(values: Sequence[float] | NDArray[np.float64], cuts: Sequence[str] = tuple(_CUTS)) -> dict[str, float]:
    """Return mean, standard deviation and quantiles of the values of runs.

    Examples
    --------
    >>> spread([1.0, 2.0, 3.0], ["max"])
    {'mean': 2.0, 'sd': 1.0, 'max': 3.0}
    """
    sample = RunSample(values)
    return {"mean": sample.mean, "sd": sample.sd, **{cut: float(np.quantile(values, _CUTS[cut])) for cut in cuts}}


def counted(name: str, is_so: Sequence[bool]) -> dict[str, float]:
    """Return the number of runs with a property, their share, and its 95 % interval.

    Examples
    --------
    >>> counted("won", [True, True])["won"], counted("won", [True, True])["share"]
    (2, 1.0)
    """
    count = sum(map(bool, is_so))
    low, high = wilson_interval(count, len(is_so))
    return {"runs": len(is_so), name: count, "share": count / len(is_so), "low": low, "high": high}


def mean_of(name: str, values: Sequence[float]) -> dict[str, float | None]:
    """Return the mean of a quantity over runs with its 95 % interval; None if a run does not have it."""
    if any(map(isnan, values)):
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    sample = RunSample(values)
    low, high = sample.mean_interval()
    return {name: sample.mean, f"{name}_low": low, f"{name}_high": high}
