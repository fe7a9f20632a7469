"""Interquartile means and their intervals, beside plain Python and the coverage that they promise."""

import random
from itertools import product

import numpy as np
import pytest

from ttt_fast import UsageError
from ttt_fast.evaluate.over_runs import (
    bootstrap_interval,
    interquartile_mean,
    median_time,
    median_time_interval,
    paired_test,
)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 99, 100])
def test_the_mean_is_that_of_the_middle(size):
    scores = [random.Random(size).gauss(0, 1) for _ in range(size)]
    middle = sorted(scores)[size // 4 : size - size // 4]
    assert interquartile_mean(scores) == pytest.approx(sum(middle) / len(middle), abs=1e-12)
    assert interquartile_mean([scores, scores]).shape == (2,)


def test_the_interval_is_the_plain_bootstrap():
    generator = np.random.default_rng(5)
    strata = [generator.normal(size=20), generator.normal(3, 1, size=12)]
    found = bootstrap_interval(strata, interquartile_mean, seed=9, resamples=300)
    again, means = np.random.default_rng(9), []
    drawn = [again.integers(one.size, size=(300, one.size)) for one in strata]
    for row in range(300):
        scores = sorted([strata[0][i] for i in drawn[0][row]] + [strata[1][i] for i in drawn[1][row]])
        means.append(sum(scores[8:-8]) / len(scores[8:-8]))
    assert found.low == pytest.approx(np.quantile(means, 0.025), abs=1e-12)
    assert found.high == pytest.approx(np.quantile(means, 0.975), abs=1e-12)
    assert found.low < found.estimate < found.high
    assert found == bootstrap_interval(strata, interquartile_mean, seed=9, resamples=300)


def test_nineteen_of_twenty_intervals_hold_the_truth():
    generator, hit = np.random.default_rng(1), 0
    for _ in range(200):
        found = bootstrap_interval([generator.normal(size=50), generator.normal(size=50)], resamples=400)
        hit += found.low <= 0 <= found.high
    assert 178 <= hit <= 200  # 190 ± 4 standard deviations of a share of 95 %


def test_equal_scores_have_no_spread():
    assert bootstrap_interval([[0.5] * 7]) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("strata", [[], [[]], [[0.5], []], [[float("nan")]], [[[1.0]]]])
def test_there_must_be_scores(strata):
    with pytest.raises(UsageError, match="expected finite scores of each problem"):
        bootstrap_interval(strata)


def test_the_interval_of_a_mean_is_the_plain_bootstrap():
    scores = np.random.default_rng(3).normal(size=9)
    places = np.random.default_rng(0).integers(9, size=(2000, 9))
    means = [sum(scores[i] for i in row) / 9 for row in places]
    found = bootstrap_interval([scores])
    assert found == pytest.approx((scores.mean(), np.quantile(means, 0.025), np.quantile(means, 0.975)), abs=1e-12)


def plain_median_time(times, reached):
    """Kaplan and Meier, time by time: the first time at which less than half of the runs remain."""
    share, half = 1.0, None
    for time in sorted({at for at, event in zip(times, reached, strict=True) if event}):
        events = sum(at == time and event for at, event in zip(times, reached, strict=True))
        share *= 1 - events / sum(at >= time for at in times)
        if half is not None:
            return (half + time) / 2
        if share < 0.5 - 1e-9:
            return time
        half = time if share < 0.5 + 1e-9 else None
    return float("inf")


def test_the_median_time_counts_censored_runs():
    for seed in range(300):
        generator = random.Random(seed)
        times = [generator.randint(1, 8) for _ in range(generator.randint(1, 9))]
        reached = [generator.random() < 0.7 for _ in times]
        assert median_time(times, reached) == plain_median_time(times, reached), (times, reached)
    assert median_time([1, 2, 9, 9, 9], [True, True, False, False, False]) == np.inf
    assert median_time([4, 1, 3, 2], [True] * 4) == 2.5
    assert median_time_interval([0, 0, 5], [True, False, True]).estimate == 5


@pytest.mark.parametrize("size", [2, 5, 9])
def test_the_p_value_counts_all_patterns_of_signs(size):
    generator = np.random.default_rng(size)
    first, second = generator.normal(size=size), generator.normal(0.5, 1, size=size)
    gains = (second - first).tolist()
    patterns = [abs(sum(s * g for s, g in zip(signs, gains, strict=True))) for signs in product((1, -1), repeat=size)]
    found = paired_test(first, second)
    assert found.p_value == sum(one >= abs(sum(gains)) - 1e-9 for one in patterns) / 2**size
    assert found.difference == pytest.approx(sum(gains) / size, abs=1e-12)


def test_many_pairs_are_tested_with_random_patterns():
    generator = np.random.default_rng(0)
    same, other = generator.normal(size=40), generator.normal(size=40)
    assert paired_test(same, same).p_value == 1
    assert paired_test(same, other).p_value == pytest.approx(paired_test(other, same).p_value, abs=0.02)
    assert 0 < paired_test(same, same + 1).p_value < 1 / 20_000
