"""Fewer corners: rows in which every two values of two parameters meet, and all the other rows for `pytest -m slow`."""

from collections.abc import Iterable, Sequence
from itertools import combinations, product

import pytest


def covering_places(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Rows of places, one in each parameter, in which any two places of any two parameters occur together.

    Greedy, and the same in every run: a row begins with the first two places that have not met, and takes in each
    other parameter the first of those places that meet most of the others there for the first time.
    """
    order = sorted(range(len(sizes)), key=lambda parameter: -sizes[parameter])
    open_pairs = {
        ((one, i), (other, j)): None
        for one, other in combinations(order, 2)
        for i, j in product(range(sizes[one]), range(sizes[other]))
    }
    rows = []
    while open_pairs:
        row = dict(next(iter(open_pairs)))
        for parameter in order:
            if parameter not in row:
                row[parameter] = max(
                    range(sizes[parameter]),
                    key=lambda place: sum(
                        pair in open_pairs
                        for item in row.items()
                        for pair in ((item, (parameter, place)), ((parameter, place), item))
                    ),
                )
        for one, other in combinations(order, 2):
            open_pairs.pop(((one, row[one]), (other, row[other])), None)
        rows.append(tuple(row[parameter] for parameter in range(len(sizes))))
    return rows


def diagonal_places(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Rows of places in which each place of each parameter occurs."""
    return [tuple(row % size for size in sizes) for row in range(max(sizes))]


def covering(*parameters: Iterable) -> list[tuple]:
    """Rows with a value of each parameter, in which any two values of any two parameters occur together."""
    values = [list(parameter) for parameter in parameters]
    rows = covering_places([len(one) for one in values])
    return [tuple(one[place] for one, place in zip(values, row, strict=True)) for row in rows]


def diagonal(*parameters: Iterable) -> list[tuple]:
    """Rows with a value of each parameter, in which each value occurs."""
    values = [list(parameter) for parameter in parameters]
    rows = diagonal_places([len(one) for one in values])
    return [tuple(one[place] for one, place in zip(values, row, strict=True)) for row in rows]


def corners(*parameters: Iterable, together: int = 2) -> list:
    """All rows of the product for `parametrize`; those beyond the covering ones (`together=1`: diagonal) are slow."""
    values = [list(parameter) for parameter in parameters]
    sizes = [len(one) for one in values]
    quick = set((diagonal_places if together == 1 else covering_places)(sizes))
    return [
        pytest.param(
            *(one[place] for one, place in zip(values, row, strict=True)),
            marks=() if row in quick else pytest.mark.slow,
        )
        for row in product(*map(range, sizes))
    ]
