"""The rows that the quick suite takes of many corners."""

from itertools import combinations, product

import pytest

from pairwise import corners, covering, covering_places, diagonal_places

SIZES = {(2, 2): 4, (3, 1): 3, (2, 2, 2): 4, (3, 3, 3, 3): 10, (10, 4, 3, 2, 8): 80, (1, 1, 1): 1, (2,) * 12: 14}


@pytest.mark.parametrize(("sizes", "most"), SIZES.items())
def test_any_two_values_of_any_two_parameters_meet_in_few_rows(sizes, most):
    rows = covering_places(sizes)
    for one, other in combinations(range(len(sizes)), 2):
        assert {(row[one], row[other]) for row in rows} == set(product(range(sizes[one]), range(sizes[other])))
    assert len(set(rows)) == len(rows) <= most
    rows = diagonal_places(sizes)
    assert [{row[place] for row in rows} for place in range(len(sizes))] == [set(range(size)) for size in sizes]


def test_all_corners_are_rows_and_those_that_cover_are_quick():
    rows, quick = corners("ab", "xy", [{}, {"a": 1}]), covering("ab", "xy", [{}, {"a": 1}])
    assert quick == [("a", "x", {}), ("a", "y", {"a": 1}), ("b", "x", {"a": 1}), ("b", "y", {})]
    assert [row.values for row in rows] == list(product("ab", "xy", [{}, {"a": 1}]))
    assert [row.values for row in rows if not row.marks] == quick
    assert all(mark.name == "slow" for row in rows for mark in row.marks)
    diagonal = [row.values for row in corners("abc", "xy", together=1) if not row.marks]
    assert diagonal == [("a", "x"), ("b", "y"), ("c", "x")]
