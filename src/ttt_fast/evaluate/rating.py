"""Score, Elo, normalised Elo and likelihood of superiority from a sample of games between two players.

Games are played in pairs with the seats swapped, so that both players benefit equally from an opening.  The pairs are
the independent draws of the sample, each with one of five results (the *pentanomial*).
"""

from collections.abc import Sequence
from math import erf, inf, log, log10, sqrt
from typing import NamedTuple

from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.statistics import Z_95

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Scores of a pair of games: two losses, a loss and a draw, half of the points, a win and a draw, two wins."""

GAME_SCORES = (0.0, 0.5, 1.0)
"""Scores of a single game: loss, draw, win."""

ELO_SCALE = 400.0
NORMALISED_ELO_SCALE = 800 / log(10)
"""Elo points of a score one standard deviation of a game above one half, near equality."""


class Rating(NamedTuple):
    """The first player's strength relative to the second, estimated from a sample.

    Attributes
    ----------
    score
        Mean of the results: 1 for a win, 1/2 for a draw.
    score_low, score_high
        Interval of the score.
    elo, elo_low, elo_high
        The same in Elo points; infinite where the score is 0 or 1.
    normalised_elo
        Elo in units of the standard deviation of a game, which draws make small.
    superiority
        Likelihood of superiority (LOS): chance that the first player is the stronger one.
    """

    score: float
    score_low: float
    score_high: float
    elo: float
    elo_low: float
    elo_high: float
    normalised_elo: float
    superiority: float


def elo_of_score(score: float) -> float:
    """Return the Elo difference at which a player is expected to get `score`, infinite at 0 and 1.

    Examples
    --------
    >>> round(elo_of_score(0.75), 2), elo_of_score(0.5), elo_of_score(1.0)
    (190.85, 0.0, inf)
    """
    if not 0 <= score <= 1:
        raise UsageError(f"expected a score from 0 to 1, got {score!r}")
    if score in (0, 1):
        return inf if score else -inf
    return -ELO_SCALE * log10(1 / score - 1) + 0.0


def score_of_elo(elo: float) -> float:
    """Return the expected score of a player who is `elo` points stronger.

    Examples
    --------
    >>> round(score_of_elo(100.0), 4)
    0.6401
    """
    return 1 / (1 + 10 ** (-elo / ELO_SCALE))


def rate(counts: Sequence[int], z: float = Z_95, *, distinct: int | None = None) -> Rating:
    """Estimate the relative strength from a sample.

    Parameters
    ----------
    counts
        Five counts of pairs of games, from two losses to two wins (`PAIR_SCORES`), or three of single games: losses,
        draws, wins.
    z
        Half width of the intervals in standard deviations (default: a level of 95 %).
    distinct
        Number of draws that repeat no other one (default: all).  Copies, which two deterministic players make from one
        opening, are no evidence: the intervals and the likelihood rest on this number.

    Notes
    -----
    The interval contains every score m within z sqrt(r m (1 - m) / n) of the mean.  This is Wilson's interval, in which
    r is the observed variance as a share of the largest possible one.  One draw of the largest variance is added to
    the observed ones.  A sample of draws alone, or of wins alone, thus has an interval of positive width.

    Examples
    --------
    >>> rating = rate([4, 10, 40, 30, 16])
    >>> round(rating.score, 3), round(rating.elo, 1), rating.elo_low < rating.elo < rating.elo_high
    (0.61, 77.7, True)
    >>> [round(value, 1) for value in rate([0, 0, 10, 0, 0])[3:6]]
    [0.0, -64.6, 64.6]
    >>> rate([0, 0, 10]).elo, round(rate([0, 0, 10]).elo_low, 1)
    (inf, 166.2)
    """
    scores, played = scores_of(counts), sum(counts)
    if played == 0:
        return Rating(0.5, 0.0, 1.0, 0.0, -inf, inf, 0.0, 0.5)
    number = played if distinct is None else distinct
    score, variance = _mean_and_variance(scores, [count / played for count in counts])
    low, high = _interval(score, variance, number, z)
    careful = (number * variance + 0.25) / (number + 1)  # with one draw of the largest variance, 1/4
    games_a_draw = 2 if len(counts) == len(PAIR_SCORES) else 1
    normalised = (score - 0.5) / sqrt(games_a_draw * careful) * NORMALISED_ELO_SCALE
    deviations = (score - 0.5) / sqrt(careful / number)
    return Rating(
        score, low, high, elo_of_score(score), elo_of_score(low), elo_of_score(high),
        normalised, (1 + erf(deviations / sqrt(2))) / 2,
    )  # fmt: skip


def pair_counts(first: Sequence[float], second: Sequence[float]) -> list[int]:
    """Return the five counts of pairs, from the scores of the first player in both games of each.

    Examples
    --------
    >>> pair_counts([1.0, 0.5, 0.0], [0.0, 0.5, 0.5])
    [0, 1, 2, 0, 0]
    """
    counts = [0] * len(PAIR_SCORES)
    for one, other in zip(first, second, strict=True):
        counts[round(2 * (one + other))] += 1
    return counts


def scores_of(counts: Sequence[int]) -> tuple[float, ...]:
    """Return the scores that belong to counts of games or of pairs; raise UsageError for any other number of counts."""
    if len(counts) not in (len(GAME_SCORES), len(PAIR_SCORES)) or min(counts) < 0:
        raise UsageError(
            f"expected 3 counts of games or 5 counts of pairs of games, all at least 0, got {list(counts)!r}"
        )
    return GAME_SCORES if len(counts) == len(GAME_SCORES) else PAIR_SCORES


def _mean_and_variance(scores: Sequence[float], shares: Sequence[float]) -> tuple[float, float]:
    mean = sum(score * share for score, share in zip(scores, shares, strict=True))
    return mean, sum(share * (score - mean) ** 2 for score, share in zip(scores, shares, strict=True))


def _interval(score: float, variance: float, number: int, z: float) -> tuple[float, float]:
    """Return Wilson's interval with a share of the binomial variance."""
    largest = score * (1 - score)
    share = (number * variance + largest) / ((number + 1) * largest) if largest else 1.0
    spread = share * z * z / number
    centre = (score + spread / 2) / (1 + spread)
    half = sqrt(spread * largest + spread * spread / 4) / (1 + spread)
    low = 0.0 if score == 0 else max(0.0, centre - half)
    return low, 1.0 if score == 1 else min(1.0, centre + half)
