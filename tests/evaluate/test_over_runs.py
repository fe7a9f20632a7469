"""Interquartile means and their intervals, beside plain Python and the coverage that they promise."""

import random

import numpy as np
import pytest

from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.over_runs import bootstrap_interval, interquartile_mean


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 99, 100])
def test_the_mean_is_that_of_the_middle(size):
    scores = [random.Random(size).gauss(0, 1) for _ in range(size)]
    middle = sorted(scores)[size // 4 : size - size // 4]
    assert interquartile_mean(scores) == pytest.approx(sum(middle) / len(middle), abs=1e-12)
    assert interquartile_mean([scores, scores]).shape == (2,)


def test_the_interval_is_the_plain_bootstrap():
    generator = np.random.default_rng(5)
    strata = [generator.normal(size=20), generator.normal(3, 1, size=12)]
    found = bootstrap_interval(strata, seed=9, resamples=300)
    again, means = np.random.default_rng(9), []
    drawn = [again.integers(one.size, size=(300, one.size)) for one in strata]
    for row in range(300):
        scores = sorted([strata[0][i] for i in drawn[0][row]] + [strata[1][i] for i in drawn[1][row]])
        means.append(sum(scores[8:-8]) / len(scores[8:-8]))
    assert found.low == pytest.approx(np.quantile(means, 0.025), abs=1e-12)
    assert found.high == pytest.approx(np.quantile(means, 0.975), abs=1e-12)
    assert found.low < found.estimate < found.high
    assert found == bootstrap_interval(strata, seed=9, resamples=300)


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
