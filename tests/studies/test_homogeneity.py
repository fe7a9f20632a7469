"""The exact chi-square test of two samples, against plain enumeration with fractions."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from ttt_fast import UsageError
from ttt_fast.studies.statistics.homogeneity import homogeneity, total_p_value

SAMPLES = [([3, 0, 7], [4, 1, 5]), ([1, 2, 3], [9, 0, 1]), ([5, 0], [0, 5]), ([2, 3], [4, 4]), ([0, 4, 0], [1, 2, 2])]


def plain_statistic(first, second):
    """Pearson's sum over both samples, outcome by outcome."""
    rows, total = (first, second), sum(first) + sum(second)
    found = Fraction(0)
    for row in rows:
        for seen, column in zip(row, map(sum, zip(first, second, strict=True)), strict=True):
            if column:
                expected = Fraction(sum(row) * column, total)
                found += (seen - expected) ** 2 / expected
    return found


def plain_test(first, second):
    """Statistic, p-value and expected statistic, over all tables with these margins."""
    totals = [a + b for a, b in zip(first, second, strict=True)]
    seen, p_value, mean = plain_statistic(first, second), Fraction(0), Fraction(0)
    for table in product(*(range(total + 1) for total in totals)):
        if sum(table) == sum(first):
            ways = np.prod([comb(total, one) for total, one in zip(totals, table, strict=True)], dtype=object)
            chance = Fraction(int(ways), comb(sum(totals), sum(first)))
            other = plain_statistic(table, [total - one for total, one in zip(totals, table, strict=True)])
            p_value += chance * (other >= seen)
            mean += chance * other
    return seen, p_value, mean


@pytest.mark.parametrize(("first", "second"), SAMPLES)
def test_statistic_and_p_value_are_those_of_all_tables(first, second):
    found = homogeneity(first, second)
    seen, p_value, mean = plain_test(first, second)
    assert found.statistic == pytest.approx(float(seen), abs=1e-12)
    assert found.p_value == pytest.approx(float(p_value), abs=1e-12)
    assert found.mean == pytest.approx(float(mean), abs=1e-12)
    assert found.chances.sum() == pytest.approx(1.0, abs=1e-12)


def test_the_two_samples_change_places():
    first, second = [40, 16, 44], [520, 130, 350]
    one, other = homogeneity(first, second), homogeneity(second, first)
    assert one.statistic == pytest.approx(other.statistic, abs=1e-9)
    assert one.p_value == pytest.approx(other.p_value, abs=1e-9)


def test_the_sum_of_two_is_their_convolution():
    tests = [homogeneity(*SAMPLES[0]), homogeneity(*SAMPLES[3])]
    seen = sum(test.statistic for test in tests)
    sums = np.add.outer(tests[0].statistics, tests[1].statistics)
    chances = np.multiply.outer(tests[0].chances, tests[1].chances)
    assert total_p_value(tests) == pytest.approx(chances[sums >= seen - 0.06].sum(), abs=0.05)
    assert total_p_value([]) == 1.0


@pytest.mark.parametrize(
    ("first", "second"), [([1], [1]), ([1, 2], [1, 2, 3]), ([-1, 2], [1, 2]), ([0, 0], [1, 2]), ([1, 2], [0, 0])]
)
def test_what_is_no_pair_of_samples(first, second):
    with pytest.raises(UsageError, match=r"^expected "):
        homogeneity(first, second)
