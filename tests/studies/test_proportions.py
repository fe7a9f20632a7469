"""The test of two proportions against its formula."""

from fractions import Fraction
from math import sqrt
from statistics import NormalDist

import pytest
from hypothesis import assume, given, strategies as st

from ttt_fast import UsageError
from ttt_fast.studies.statistics.proportions import two_proportion_z_test

COUNTS = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_a_two_proportion_test_by_hand():
    # 60/100 against 40/100: pooled 1/2, so z = 0.2 / sqrt(0.25 * 0.02)
    z, p_value = two_proportion_z_test(60, 100, 40, 100)
    assert z == pytest.approx(0.2 / sqrt(0.005), rel=1e-12)
    assert p_value == pytest.approx(2 * (1 - NormalDist().cdf(z)), rel=1e-6)


@given(COUNTS, COUNTS)
def test_the_pooled_formula_in_fractions_and_its_signs(first, second):
    (a, n), (b, m) = first, second
    z, p_value = two_proportion_z_test(a, n, b, m)
    pooled = Fraction(a + b, n + m)
    variance = pooled * (1 - pooled) * (Fraction(1, n) + Fraction(1, m))
    difference = Fraction(a, n) - Fraction(b, m)
    expected = 0.0 if variance == 0 else float(difference) / sqrt(variance)
    assert z == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert 0 <= p_value <= 1
    other = two_proportion_z_test(b, m, a, n)
    assert other.z == pytest.approx(-z, rel=1e-12, abs=1e-12) and other.p_value == pytest.approx(p_value)


@pytest.mark.parametrize("counts", [(0, 10, 0, 20), (10, 10, 20, 20)])
def test_equal_certainties_do_not_differ(counts):
    assert two_proportion_z_test(*counts) == (0.0, 1.0)


@given(st.integers(-5, 20), st.integers(-5, 10))
def test_impossible_counts_are_refused(successes, trials):
    assume(not 0 <= successes <= trials)
    for counts in ((successes, trials, 1, 2), (1, 2, successes, trials)):
        with pytest.raises(UsageError, match=f"got {successes} of {trials}"):
            two_proportion_z_test(*counts)


@pytest.mark.parametrize("counts", [(0, 0, 1, 2), (1, 2, 0, 0)])
def test_a_test_of_an_empty_sample_is_refused(counts):
    with pytest.raises(UsageError, match="at least one trial"):
        two_proportion_z_test(*counts)
