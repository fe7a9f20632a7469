"""The exact distribution of the counts in a match of two halves, and how surprising a printed count is."""

from collections.abc import Sequence
from math import erfc, lgamma, sqrt
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.cells import NOISE_SIGMAS
from ttt_fast.studies.sai.published import Published

NOISE_P = erfc(NOISE_SIGMAS / sqrt(2))
"""Counts as unlikely as NOISE_SIGMAS standard errors, about one in 2,000, are noise no more."""

_TAIL = 0.025
_CERTAIN = 1e-12


class Match(Protocol):
    """A match of two halves, exact or sampled: outcome 0 is that the first player wins, 1 the second, 2 a tie."""

    @property
    def mean(self) -> NDArray[np.float64]:
        """Shares of the outcomes in a game of either half, (3,) float64."""

    def count_chances(self, outcome: int, half: int) -> NDArray[np.float64]:
        """Return the probabilities of each count of an outcome in two halves of `half` games, (2 half + 1,)."""

    def swapped(self) -> "Match":
        """Return the same match with the other player named first."""


class Halves(NamedTuple):
    """Exact probabilities that the first player wins, the second wins, and nobody, by who begins.

    Attributes
    ----------
    first_begins, second_begins : (3,) float64
        One a half of the games.
    """

    first_begins: NDArray[np.float64]
    second_begins: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        """Probabilities in a game of either half, (3,) float64."""
        mean: NDArray[np.float64] = (self.first_begins + self.second_begins) / 2
        return mean

    def count_chances(self, outcome: int, half: int) -> NDArray[np.float64]:
        """Return the probabilities of each count of an outcome in two halves of `half` games, (2 half + 1,)."""
        chances = float(self.first_begins[outcome]), float(self.second_begins[outcome])
        return np.convolve(binomial(half, chances[0]), binomial(half, chances[1]))

    def swapped(self) -> "Halves":
        """Return the same match with the other player named first."""
        return Halves(self.second_begins[[1, 0, 2]], self.first_begins[[1, 0, 2]])


def play_halves(first: Policy, second: Policy) -> Halves:
    """Return the exact result of two policies that begin in turn.

    Examples
    --------
    >>> from ttt_fast.agents.registry import parse_agent
    >>> play_halves(parse_agent("random"), parse_agent("random")).mean.round(4)
    array([0.4365, 0.4365, 0.127 ])
    """
    one, two = exact_outcome(first, second), exact_outcome(second, first)
    return Halves(
        np.array([one.x_wins, one.o_wins, one.draws]),
        np.array([two.o_wins, two.x_wins, two.draws]),
    )


def binomial(trials: int, chance: float) -> NDArray[np.float64]:
    """Return the probabilities of 0 to `trials` successes, (trials + 1,) float64.

    Examples
    --------
    >>> binomial(2, 0.5).round(12)
    array([0.25, 0.5 , 0.25])
    """
    if chance < _CERTAIN or chance > 1 - _CERTAIN:
        return _certain(trials, 0 if chance < 0.5 else trials)
    k = np.arange(trials + 1)
    ways = lgamma(trials + 1) - np.array([lgamma(i + 1) + lgamma(trials - i + 1) for i in k])
    chances: NDArray[np.float64] = np.exp(ways + k * np.log(chance) + (trials - k) * np.log1p(-chance))
    chances /= chances.sum()
    return chances


def _certain(trials: int, count: int) -> NDArray[np.float64]:
    chances = np.zeros(trials + 1)
    chances[count] = 1.0
    return chances


class SampledHalves(NamedTuple):
    """Games that were played for want of an exact result, by who began.

    Attributes
    ----------
    counts : (2, 3) int64
        In row 0 the first player began, in row 1 the second; wins of the first, of the second, ties.
    """

    counts: NDArray[np.int64]

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.counts.sum())

    @property
    def mean(self) -> NDArray[np.float64]:
        """Shares of the outcomes in a game of either half, (3,) float64."""
        shares: NDArray[np.float64] = (self.counts / self.counts.sum(axis=1, keepdims=True)).mean(axis=0)
        return shares

    def count_chances(self, outcome: int, half: int) -> NDArray[np.float64]:
        """Return what a further match of two halves would give, the sampling error of this one included."""
        first, second = (
            beta_binomial(half, int(row[outcome]), int(row.sum())) if half else np.ones(1) for row in self.counts
        )
        return np.convolve(first, second)

    def swapped(self) -> "SampledHalves":
        """Return the same match with the other player named first."""
        return SampledHalves(self.counts[::-1, [1, 0, 2]])


def beta_binomial(trials: int, successes: int, games: int) -> NDArray[np.float64]:
    """Return the probabilities of 0 to `trials` further successes after some in a sample, (trials + 1,) float64.

    The chance of a success is not known, but sampled: with Jeffreys' prior it has a beta distribution.

    Examples
    --------
    >>> beta_binomial(2, 5000, 10000).round(3)
    array([0.25, 0.5 , 0.25])
    """
    a, b = successes + 0.5, games - successes + 0.5
    logs = [
        lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1)
        + lgamma(k + a) + lgamma(trials - k + b) - lgamma(trials + a + b)
        for k in range(trials + 1)
    ]  # fmt: skip
    chances: NDArray[np.float64] = np.exp(np.array(logs) - max(logs))
    chances /= chances.sum()
    return chances


def count_distribution(samples: Sequence[Match], outcome: int, half: int) -> NDArray[np.float64]:
    """Return the probabilities of each count of an outcome in two halves of `half` games, (2 half + 1,) float64.

    Parameters
    ----------
    samples
        Equally likely matches: one for each training run.
    outcome
        0 first wins, 1 second wins, 2 ties.
    half
        Games that each player begins.
    """
    total = np.zeros(2 * half + 1)
    for one in samples:
        total += one.count_chances(outcome, half)
    return total / len(samples)


class Surprise(NamedTuple):
    """A printed count beside its exact distribution.

    Attributes
    ----------
    expected, low, high
        Mean count, and the central 95 % of the distribution.
    sigmas
        Distance of the printed count from the mean in standard deviations, infinite where it is impossible.
    p_value
        Probability of a count that is as unlikely as the printed one, or more.
    """

    expected: float
    low: int
    high: int
    sigmas: float
    p_value: float

    @property
    def verdict(self) -> str:
        """`equal` where nothing else is possible, else `within noise` or `wrong`."""
        if self.p_value < NOISE_P:
            return "wrong"
        return "equal" if self.low == self.high and self.sigmas == 0.0 else "within noise"


def surprise(distribution: NDArray[np.float64], printed: int) -> Surprise:
    """Return how surprising a printed count is.

    Examples
    --------
    >>> found = surprise(binomial(10, 0.5), 9)
    >>> round(found.p_value * 1024), found.low, found.high, found.verdict
    (22, 2, 8, 'within noise')
    """
    counts = np.arange(distribution.size)
    mean = float(distribution @ counts)
    deviation = sqrt(max(0.0, float(distribution @ (counts - mean) ** 2)))
    below = np.cumsum(distribution)
    low, high = int(np.searchsorted(below, _TAIL)), int(np.searchsorted(below, 1 - _TAIL))
    here = float(distribution[printed]) if printed < distribution.size else 0.0
    p_value = min(1.0, float(distribution[distribution <= here * (1 + 1e-9)].sum())) if here > 0 else 0.0
    off = abs(printed - mean)
    sigmas = 0.0 if off < 1e-9 else (off / deviation if deviation > 1e-9 else float("inf"))
    return Surprise(mean, low, high, sigmas, p_value)


def printed_in(published: Published) -> list[int]:
    """Return the three printed counts as counts of the games that the split into halves leaves.

    Tables 4 and 7 print 5 of 5 rounds though their two halves are of int(5 / 2) games: their shares are what is judged.
    """
    games = 2 * published.half
    return [round(count * games / published.printed) for count in published.counts.values()]


def judge_match(published: Published, samples: Sequence[Match]) -> dict[str, Any]:
    """Return expected counts, spread over the samples, p-value and verdict of all three counts of a table together.

    The p-value is three times the smallest of the three (Bonferroni), at most 1.
    """
    found = [
        surprise(count_distribution(samples, outcome, published.half), printed)
        for outcome, printed in enumerate(printed_in(published))
    ]
    means = np.array([one.mean for one in samples])
    p_value = min(1.0, 3 * min(one.p_value for one in found))
    row: dict[str, Any] = {}
    for outcome, name in enumerate(("first_wins", "second_wins", "ties")):
        row[name] = float(means[:, outcome].mean())
    row["sd_over_runs"] = float(means.std(axis=0).max())
    row["p_value"] = significant(p_value)
    verdicts = {one.verdict for one in found}
    row["verdict"] = "wrong" if p_value < NOISE_P else ("equal" if verdicts == {"equal"} else "within noise")
    return row


def significant(number: float) -> float:
    """Return a p-value to three digits, 0 below 1e-12, so that rounding noise never shows."""
    return float(f"{number:.3g}") if number >= _CERTAIN else 0.0
