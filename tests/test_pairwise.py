"""The rows that the quick suite takes of many corners."""

from itertools import combinations, product
from math import prod

import pytest

from pairwise import corners, covering, covering_places, diagonal_places

SIZES = [(2, 2), (3, 1), (2, 2, 2), (3, 3, 3, 3), (10, 4, 3, 2, 8), (5, 2, 3), (1, 1, 1), (6, 5, 4, 3, 2, 1), (2,) * 12]


@pytest.mark.parametrize("sizes", SIZES)
def test_any_two_values_of_any_two_parameters_meet(sizes):
    rows = covering_places(sizes)
    for one, other in combinations(range(len(sizes)), 2):
        assert {(row[one], row[other]) for row in rows} == set(product(range(sizes[one]), range(sizes[other])))
    assert len(set(rows)) == len(rows) and all(len(row) == len(sizes) for row in rows)


@pytest.mark.parametrize(("sizes", "most"), list(zip(SIZES, [4, 3, 4, 10, 80, 15, 1, 30, 14], strict=True)))
def test_there_are_few_rows(sizes, most):
    largest = sorted(sizes)[-2:]
    assert prod(largest) <= len(covering_places(sizes)) <= most


def test_the_rows_are_the_same_in_every_run():
    assert covering("ab", "xy", [{}, {"a": 1}]) == [
        ("a", "x", {}), ("a", "y", {"a": 1}), ("b", "x", {"a": 1}), ("b", "y", {})
    ]  # fmt: skip


@pytest.mark.parametrize("sizes", SIZES)
def test_each_value_stands_on_the_diagonal(sizes):
    rows = diagonal_places(sizes)
    assert len(rows) == max(sizes)
    assert [{row[place] for row in rows} for place in range(len(sizes))] == [set(range(size)) for size in sizes]


def test_all_corners_are_rows_and_those_that_cover_are_quick():
    rows = corners("abc", "xy", [{}, {"a": 1}, {"b": 2}])
    assert [row.values for row in rows] == list(product("abc", "xy", [{}, {"a": 1}, {"b": 2}]))
    quick = [row.values for row in rows if not row.marks]
    assert sorted(map(repr, quick)) == sorted(map(repr, covering("abc", "xy", [{}, {"a": 1}, {"b": 2}])))
    assert all(mark.name == "slow" for row in rows for mark in row.marks) and len(quick) < len(rows)
    assert [row.values for row in corners("abc", "xy", together=1) if not row.marks] == [
        ("a", "x"), ("b", "y"), ("c", "x")
    ]  # fmt: skip
