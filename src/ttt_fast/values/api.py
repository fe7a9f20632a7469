"""The functions that every kind of learned values has: what kernels read and update, whichever kind it is.

Values stand in rows of columns.  By action a row is a state and a column one of its actions; by board a row is a board,
with a single column.  A kind is a NamedTuple of arrays; its module says with `@implements(find_row, ItsRows)` what it
does, as games do with the functions of `games.api`.  A kernel over any kind is compiled once for each.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games import api
from ttt_fast.games.api import implementation


def has_room(rows: Any, more: int) -> bool:
    """Return whether `more` rows can be made."""
    return implementation(has_room, rows)(rows, more)  # type: ignore[no-any-return]


def mark_of(rows: Any, state: api.State) -> np.uint64:
    """Return the mark under which a state is filed."""
    return implementation(mark_of, rows)(rows, state)  # type: ignore[no-any-return]


def find_row(rows: Any, mark: np.uint64) -> np.uint64:
    """Return the place of a row, or the place where it would be made."""
    return implementation(find_row, rows)(rows, mark)  # type: ignore[no-any-return]


def hold_row(rows: Any, place: np.uint64, mark: np.uint64) -> np.uint64:
    """Return the place of a row that `find_row` had found at `place`; make it if it is not there."""
    return implementation(hold_row, rows)(rows, place, mark)  # type: ignore[no-any-return]


def value_at(rows: Any, place: np.uint64, column: int, table: int) -> float:
    """Return a value of a row in the first (0) or second (1) table; the initial one where there is no row."""
    return implementation(value_at, rows)(rows, place, column, table)  # type: ignore[no-any-return]


def fill_scores(
    rows: Any, place: np.uint64, columns: NDArray[np.uint8], count: int, tie: int, scores: NDArray[np.float64]
) -> float:
    """Fill `scores` with the values of `count` columns, over all tables, in the order of ties; return the highest."""
    return implementation(fill_scores, rows)(rows, place, columns, count, tie, scores)  # type: ignore[no-any-return]


def move_towards(
    rows: Any, place: np.uint64, column: int, table: int, target: float, alpha: float, visit_power: float
) -> float:
    """Move a value of a row that is there towards a target, count the update, and return the new value.

    The step is `alpha` or, if `visit_power` is not 0, n ** -visit_power at the n-th update of the column.
    """
    move = implementation(move_towards, rows)
    return move(rows, place, column, table, target, alpha, visit_power)  # type: ignore[no-any-return]
