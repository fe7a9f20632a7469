"""Elo, normalised Elo, likelihood of superiority, SPRT and Bradley-Terry against their defining equations."""

import random
from math import erf, inf, isfinite, isnan, log, log10, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ttt_fast import UsageError
from ttt_fast.evaluate.bradley_terry import bradley_terry
from ttt_fast.evaluate.rating import elo_of_score, pair_counts, rate, score_of_elo
from ttt_fast.evaluate.sprt import Sprt

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Points of the five results of a pair of games, as a share."""
PAIRS = st.lists(st.integers(0, 10**6), min_size=5, max_size=5)
GAMES = st.lists(st.integers(0, 10**6), min_size=3, max_size=3)


@given(st.floats(-2000, 2000))
def test_elo_and_score_are_inverse(elo):
    assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo, abs=1e-4)


@given(PAIRS | GAMES)
def test_no_sample_prints_nan(counts):
    rating = rate(counts)
    assert not any(isnan(value) for value in rating)
    assert rating.score_low <= rating.score <= rating.score_high and 0 <= rating.superiority <= 1
    assert rating.elo_low <= rating.elo <= rating.elo_high and isfinite(rating.normalised_elo)


@given(PAIRS | GAMES)
def test_the_other_player_sees_the_mirror_image(counts):
    one, other = rate(counts), rate(counts[::-1])
    assert other.score == pytest.approx(1 - one.score)
    assert (other.score_low, other.score_high) == pytest.approx((1 - one.score_high, 1 - one.score_low), abs=1e-9)
    assert other.superiority == pytest.approx(1 - one.superiority, abs=1e-9)
    assert other.normalised_elo == pytest.approx(-one.normalised_elo, abs=1e-6)


@given(PAIRS.filter(any) | GAMES.filter(any), st.integers(2, 9))
def test_copies_of_a_sample_are_no_evidence(counts, copies):
    many, number = [copies * count for count in counts], sum(counts)
    assert rate(many, distinct=number) == pytest.approx(rate(counts))
    test = Sprt(0, 50)
    assert test.log_likelihood_ratio(many, number) == pytest.approx(test.log_likelihood_ratio(counts), abs=0.05)
    assert test.decide(many, 1) == "continue"


def test_large_samples_agree_with_the_usual_formulas():
    """With 10**6 pairs the one draw that is added does not matter."""
    counts = [90_000, 200_000, 300_000, 250_000, 160_000]
    number, shares = sum(counts), [count / sum(counts) for count in counts]
    mean = sum(share * score for share, score in zip(shares, PAIR_SCORES, strict=True))
    sd = sqrt(sum(share * (score - mean) ** 2 for share, score in zip(shares, PAIR_SCORES, strict=True)))
    rating = rate(counts)
    assert rating.elo == pytest.approx(-400 * log10(1 / mean - 1))
    half = 1.959963984540054 * sd / sqrt(number)
    assert (rating.score_low, rating.score_high) == pytest.approx((mean - half, mean + half), abs=1e-6)
    assert rating.normalised_elo == pytest.approx((mean - 0.5) / (sqrt(2) * sd) * 800 / log(10), rel=1e-4)
    small = [9, 20, 30, 25, 16]
    rating = rate(small)
    assert rating.superiority == pytest.approx((1 + erf((rating.score - 0.5) / (sd / 10) / sqrt(2))) / 2, abs=0.01)


def test_the_interval_covers_the_truth():
    """Of 2,000 samples of 50 pairs, 95 % hold the true score: 3.5 standard deviations of that count are 1.7 %."""
    generator, weights = np.random.default_rng(0), np.array([0.1, 0.2, 0.3, 0.3, 0.1])
    truth = float(weights @ PAIR_SCORES)
    held = 0
    for counts in generator.multinomial(50, weights, size=2000):
        rating = rate(counts.tolist())
        held += rating.score_low <= truth <= rating.score_high
    assert 0.935 <= held / 2000 <= 0.97


def test_one_sided_samples_have_a_finite_bound():
    rating = rate([0, 0, 0, 0, 20])
    assert rating.elo == inf and 200 < rating.elo_low < 400 and rating.elo_high == inf
    assert rate([0, 0, 0, 0, 0])[:3] == (0.5, 0.0, 1.0)
    assert rate([0, 0, 5, 0, 0]).elo_high > rate([0, 0, 5000, 0, 0]).elo_high > 0


def test_pairs_are_counted_by_their_points():
    assert pair_counts([1, 1, 0.5, 0, 0], [1, 0.5, 0.5, 0.5, 0]) == [1, 1, 1, 1, 1]


@pytest.mark.parametrize("counts", [[1, 2], [1, -1, 0], [0] * 4])
def test_counts_of_another_kind_are_refused(counts):
    with pytest.raises(UsageError, match="expected 3 counts of games or 5 counts of pairs"):
        rate(counts)
    with pytest.raises(UsageError, match="expected 3 counts of games or 5 counts of pairs"):
        Sprt(0, 5).log_likelihood_ratio(counts)


@given(st.lists(st.integers(0, 200), min_size=5, max_size=5), st.floats(-100, 100))
def test_the_ratio_is_that_of_the_best_fits(counts, elo):
    """Against a search over all distributions with the given mean, by exponential tilting from many starts."""
    test = Sprt(elo, elo + 20)
    ratio = test.log_likelihood_ratio(counts)
    if not sum(counts):
        assert ratio == 0
        return
    seen = np.array([count or 1e-3 for count in counts])

    def best(mean):
        """Newton's method on the dual: the maximum of sum(seen log p) under the two constraints."""
        away = np.array(PAIR_SCORES) - mean
        low, high = -1 / away.max(), -1 / away.min()
        grid = np.linspace(low, high, 200_001)[1:-1]
        values = np.abs((seen[:, None] * away[:, None] / (1 + grid * away[:, None])).sum(0))
        x = grid[values.argmin()]
        return float(seen @ np.log(seen / seen.sum() / (1 + x * away)))

    expected = best(score_of_elo(elo + 20)) - best(score_of_elo(elo))
    assert ratio == pytest.approx(expected, abs=1e-2 + 1e-3 * abs(expected))


@pytest.mark.slow
@pytest.mark.parametrize(("elo", "wrong"), [(0.0, "H1"), (50.0, "H0")])
def test_the_errors_of_the_test_are_what_they_should_be(elo, wrong):
    """200 matches of a player who is as strong as one hypothesis says: about 5 % end with the other one."""
    generator, test = random.Random(1), Sprt(0, 50)
    win = score_of_elo(elo) - 0.2
    ends = []
    for _ in range(200):
        counts, decision = [0, 0, 0], "continue"
        while decision == "continue":
            draw = generator.random()
            counts[2 if draw < win else (1 if draw < win + 0.4 else 0)] += 1
            decision = test.decide(counts) if sum(counts) % 8 == 0 else "continue"
        ends.append(decision)
    assert 0 < ends.count(wrong) <= 20


@pytest.mark.parametrize(
    "arguments", [(5, 5), (5, 0), (0, 5, 0.0), (0, 5, 0.7), (0, 5, 0.05, 0.7), (0, float("nan")), (0, 1e6)]
)
def test_a_test_of_nothing_is_refused(arguments):
    with pytest.raises(UsageError):
        Sprt(*arguments)


def test_ratings_solve_the_likelihood_equations():
    """At the maximum each player has as many points as the model expects."""
    generator = np.random.default_rng(0)
    true = np.array([200.0, 50.0, 0.0, -100.0, -150.0])
    games = np.full((5, 5), 40)
    np.fill_diagonal(games, 0)
    points = np.zeros((5, 5))
    for one in range(5):
        for other in range(one):
            points[one, other] = generator.binomial(40, score_of_elo(true[one] - true[other]))
            points[other, one] = 40 - points[one, other]
    ratings = bradley_terry(points, games, prior=0.0)
    expected = games / (1 + 10 ** ((ratings[None, :] - ratings[:, None]) / 400))
    assert expected.sum(1) == pytest.approx(points.sum(1), abs=1e-6)
    assert ratings.mean() == pytest.approx(0, abs=1e-9) and np.abs(ratings - true).max() < 120


def test_two_players_have_the_elo_of_their_score():
    ratings = bradley_terry(np.array([[0, 30.0], [10.0, 0]]), np.array([[0, 40], [40, 0]]), prior=0.0)
    assert ratings[0] - ratings[1] == pytest.approx(elo_of_score(0.75))


def test_one_who_always_wins_gets_a_finite_rating():
    points, games = np.array([[0, 10.0], [0.0, 0]]), np.array([[0, 10], [10, 0]])
    assert bradley_terry(points, games)[0] * 2 == pytest.approx(elo_of_score(10.5 / 11), abs=1e-6)
    assert bradley_terry(np.zeros((1, 1)), np.zeros((1, 1), int)).tolist() == [0.0]
    assert np.isfinite(bradley_terry(np.zeros((3, 3)), np.zeros((3, 3), int))).all()


def test_points_that_do_not_add_up_are_refused():
    with pytest.raises(UsageError, match="sum to the number of their games"):
        bradley_terry(np.array([[0, 7.0], [2.0, 0]]), np.array([[0, 10], [10, 0]]))
    with pytest.raises(UsageError, match="two square matrices"):
        bradley_terry(np.zeros((2, 3)), np.zeros((2, 3), int))
