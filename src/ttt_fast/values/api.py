"""The interfaces of learned values of any kind: the functions of kernels, and the members that a run requires.

Values are stored in rows of columns.  By action, a row is a state and a column one of its actions; by board, a row is a
board with a single column.  A kind is a NamedTuple of arrays.  Its module implements the functions with
`@implements(find_row, ItsRows)`, as games implement those of `games.api`.  A kernel is compiled once for each kind.

For a run, a kind is a class with the members of `LearnedValues`, a form in `values.files`, a player in
`agents.learned`, and a branch in `learn.initial_values.init_values`, which makes the values before the first episode.
"""

from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games import api
from ttt_fast.games.api import implementation
from ttt_fast.tables import StateTable

ValueRows = tuple[object, ...]
"""A kind of rows: a NamedTuple of arrays, for whose type the functions are implemented."""


def has_room(rows: ValueRows, more: int) -> bool:
    """Return whether `more` rows can be inserted."""
    return implementation(has_room, rows)(rows, more)


def row_key(rows: ValueRows, state: int | np.int64 | api.GameState) -> np.uint64:
    """Return the key of the row of a state."""
    return implementation(row_key, rows)(rows, state)


def find_row(rows: ValueRows, key: np.uint64) -> np.uint64:
    """Return the place of a row, or the place where it would be inserted."""
    return implementation(find_row, rows)(rows, key)


def insert_row(rows: ValueRows, place: np.uint64, key: np.uint64) -> np.uint64:
    """Return the place of a row that `find_row` located at `place`; insert it if it is missing."""
    return implementation(insert_row, rows)(rows, place, key)


def value_at(rows: ValueRows, place: np.uint64, column: int, table: int) -> float:
    """Return a value of a row in the first (0) or second (1) table; the initial value if the row is missing."""
    return implementation(value_at, rows)(rows, place, column, table)


def fill_scores(
    rows: ValueRows, place: np.uint64, columns: NDArray[np.uint8], count: int, tie: int, scores: NDArray[np.float64]
) -> float:
    """Fill `scores` with the values of `count` columns, over all tables, in tie order; return the highest."""
    return implementation(fill_scores, rows)(rows, place, columns, count, tie, scores)


def update_value(
    rows: ValueRows, place: np.uint64, column: int, table: int, target: float, alpha: float, visit_power: float
) -> float:
    """Move a value of an existing row towards a target, count the update, and return the new value.

    The step is `alpha` or, if `visit_power` is not 0, n ** -visit_power at the n-th update of the column.
    """
    move = implementation(update_value, rows)
    return move(rows, place, column, table, target, alpha, visit_power)


class LearnedValues(Protocol):
    """Learned values of a run.

    Attributes
    ----------
    form
        The name of the kind in files.
    grows
        Whether learning updates the values in place, in memory that grows with the states visited.  Such a run checks
        its memory before every chunk, and is saved less often.
    """

    form: ClassVar[str]
    grows: ClassVar[bool] = False

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays."""

    @property
    def run_bytes(self) -> int:
        """Bytes that a run needs for the values and its checkpoints, if the values do not grow."""
        return 2 * self.memory_bytes

    @property
    def can_go_on(self) -> bool:
        """Whether the arrays are present from which an unfinished run continues."""
        return True

    def sizes(self) -> dict[str, int]:
        """Return the numbers of a report, including `memory_bytes`."""

    def sha256(self) -> str:
        """Return the hash of the learned values: equal bits, equal hash."""

    def is_like(self, other: Self) -> bool:
        """Return whether these are values of the same game, in arrays of the same shape where both are fixed."""


class TableValues(LearnedValues, Protocol):
    """Learned values of any kind on a game with a table of states, which make a policy."""

    @property
    def table(self) -> StateTable:
        """The states."""

    @property
    def q(self) -> NDArray[np.float64]:
        """The action values on which the learner acts, (E,) float64."""

    @property
    def held(self) -> NDArray[np.bool_]:
        """The states with learned values, (S,) bool."""
