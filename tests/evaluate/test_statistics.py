"""Intervals and tests against their defining equations and published figures."""

from math import inf, sqrt
from statistics import NormalDist

import pytest
from hypothesis import assume, given, strategies as st

from ttt_fast import UsageError
from ttt_fast.evaluate.statistics import wilson_interval, z_score

COUNTS = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
HUGE = 10**15


@given(COUNTS, st.floats(0.1, 6))
def test_the_bounds_solve_the_score_equation(counts, z):
    """Wilson: |share - p| = z sqrt(p (1 - p) / n) at both ends."""
    successes, trials = counts
    share = successes / trials
    for bound in wilson_interval(successes, trials, z):
        assert (share - bound) ** 2 == pytest.approx(z * z * bound * (1 - bound) / trials, rel=1e-6, abs=1e-12)


@given(COUNTS)
def test_copies_of_a_sample_are_no_evidence(counts):
    successes, trials = counts
    copies = wilson_interval(3 * successes, 3 * trials, distinct=trials)
    assert copies == pytest.approx(wilson_interval(successes, trials))


@given(COUNTS)
def test_an_interval_holds_the_share_and_lies_in_0_to_1(counts):
    successes, trials = counts
    low, high = wilson_interval(successes, trials)
    assert 0 <= low <= successes / trials <= high <= 1 and low < high


# Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_published_intervals(successes, trials, low, high):
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5.1e-5)


@pytest.mark.parametrize("trials", [1, 200_000, HUGE])
def test_certainties_touch_the_end(trials):
    assert wilson_interval(0, 0) == (0.0, 1.0) and z_score(0, 0, 0.3) == 0.0
    assert wilson_interval(0, trials)[0] == 0.0 and 0 < wilson_interval(0, trials)[1] < 1
    assert wilson_interval(trials, trials)[1] == 1.0 and 0 < wilson_interval(trials, trials)[0] < 1


@pytest.mark.parametrize("successes", [1, HUGE // 3, HUGE - 1])
def test_huge_counts(successes):
    low, high = wilson_interval(successes, HUGE)
    assert low < successes / HUGE < high
    if successes == HUGE // 3:
        assert high - low == pytest.approx(2 * NormalDist().inv_cdf(0.975) * sqrt(2 / 9 / HUGE), rel=1e-6)
        assert z_score(successes, HUGE, 1 / 3) == pytest.approx(0, abs=1e-6)


@given(COUNTS, st.floats(0.001, 0.999))
def test_a_z_score_is_the_standardised_count(counts, probability):
    successes, trials = counts
    expected = (successes - trials * probability) / sqrt(trials * probability * (1 - probability))
    assert z_score(successes, trials, probability) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("trials", [1, 100, 10**8, HUGE])
@pytest.mark.parametrize("rounding", [0.0, 2e-16, -2e-16])
def test_a_z_score_of_certainties(trials, rounding):
    assert z_score(0, trials, max(0.0, rounding)) == 0.0
    assert z_score(trials, trials, min(1.0, 1 + rounding)) == 0.0
    assert z_score(1, trials, 0.0) == inf
    assert z_score(trials - 1, trials, 1.0) == -inf


@given(st.integers(-5, 20), st.integers(-5, 10))
def test_impossible_counts_are_refused(successes, trials):
    assume(not 0 <= successes <= trials)
    for refused in (
        lambda: wilson_interval(successes, trials),
        lambda: z_score(successes, trials, 0.5),
    ):
        with pytest.raises(UsageError, match=f"got {successes} of {trials}"):
            refused()
