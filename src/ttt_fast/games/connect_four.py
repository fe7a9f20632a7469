"""The rules of Connect 4, for any board that fits into 64 bits and any winning length.

The board is a 64-bit word: the cell in column c and row r from the bottom is bit c * (rows + 1) + r.  The bit above
each column stays empty, so that no line continues from the top of one column to the bottom of the next.  Action c drops
a stone into column c.  (The layout is Tromp's, https://tromp.github.io/c4/c4.html.)
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, bit_index, popcount
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.rng import below, mix64
from ttt_fast.games import api
from ttt_fast.games.api import DRAW, NO_ACTION, O_WINS, ONGOING, X_WINS

COLUMNS, ROWS, LENGTH = 7, 6, 4
"""The usual board size and winning length."""
MAX_BITS: Final = 64


class ConnectFourState(NamedTuple):
    """A position and the shape of its board.

    Attributes
    ----------
    own
        Stones of the player to move.
    occupied
        Stones of both players.
    bottom
        The lowest cell of every column.
    rows
        The number of cells in a column.
    length
        The number of stones in a row that wins.
    """

    own: int
    occupied: int
    bottom: int
    rows: int
    length: int

    def __str__(self) -> str:
        """Return the board as lines of text."""
        return api.picture(self)

    def _repr_svg_(self) -> str | None:
        """Return the board as a picture for notebooks."""
        return api.svg(self)


def initial_state(columns: int = COLUMNS, rows: int = ROWS, length: int = LENGTH) -> ConnectFourState:
    """Return the empty board of the given size.

    Raises
    ------
    UsageError
        If the board has no cell, does not fit (columns * (rows + 1) must be at most 64), or has no room for a line.

    Examples
    --------
    >>> initial_state(columns=3, rows=2, length=3)
    ConnectFourState(own=0, occupied=0, bottom=73, rows=2, length=3)
    """
    if columns < 1 or rows < 1 or columns * (rows + 1) > MAX_BITS:
        raise UsageError(f"expected columns * (rows + 1) to be at most 64, got {columns!r} columns and {rows!r} rows")
    if not 2 <= length <= max(columns, rows):
        raise UsageError(f"expected a length of a line from 2 to {max(columns, rows)}, got {length!r}")
    return ConnectFourState(0, 0, sum(1 << column * (rows + 1) for column in range(columns)), rows, length)


@inlined_kernel(plain=True)
def starts_of_runs(stones: int, step: int, length: int) -> int:
    """Return the cells at which `length` stones in a row begin, at a distance of `step` bits."""
    if length == LENGTH:
        pairs = stones & (stones >> step)
        return pairs & (pairs >> 2 * step)
    runs = stones
    for distance in range(1, length):
        runs &= stones >> distance * step
    return runs


@inlined_kernel(plain=True)
def has_line(stones: int, rows: int, length: int) -> bool:
    """Return whether `length` stones form a vertical, horizontal or diagonal line."""
    return (
        starts_of_runs(stones, 1, length)
        | starts_of_runs(stones, rows, length)
        | starts_of_runs(stones, rows + 1, length)
        | starts_of_runs(stones, rows + 2, length)
    ) != 0


@inlined_kernel(plain=True)
def _run_cells(stones: int, step: int, length: int) -> int:
    """Return the cells that would complete `length` in a row along one direction."""
    cells = 0
    for gap in range(length):  # the position of the empty cell in the line
        line = -1
        for other in range(length):
            if other < gap:
                line &= stones << (gap - other) * step
            elif other > gap:
                line &= stones >> (other - gap) * step
        cells |= line
    return cells


@inlined_kernel(plain=True)
def completing_cells(stones: int, rows: int, length: int) -> int:
    """Return the cells, occupied or not, on which one more stone would make `length` in a row."""
    return (
        _run_cells(stones, 1, length)
        | _run_cells(stones, rows, length)
        | _run_cells(stones, rows + 1, length)
        | _run_cells(stones, rows + 2, length)
    )


@inlined_kernel(plain=True)
def next_cells(state: ConnectFourState) -> int:
    """Return the cells in which the next stone of each column lands (none for a full column)."""
    return (state.occupied + state.bottom) & ~(state.bottom << state.rows)


@inlined_kernel(plain=True)
def _has_room(state: ConnectFourState, column: int) -> bool:
    """Return whether the top cell of a column is empty."""
    top = 1 << column * (state.rows + 1) + state.rows - 1
    return state.occupied & top == 0


@inlined_kernel(plain=True)
def _column_of(cell: int, bottom: int) -> int:
    """Return the column of a cell given as a single bit: the number of column bottoms at or below it, less one."""
    return popcount(bottom & ((cell << 1) - 1)) - 1


@api.implements(api.play, ConnectFourState, plain=True)
def play(state: ConnectFourState, action: int) -> ConnectFourState:
    """Return the state after dropping a stone into a column that is not full."""
    foot = 1 << as_int(action) * (state.rows + 1)
    return ConnectFourState(
        state.occupied ^ state.own, state.occupied | (state.occupied + foot), state.bottom, state.rows, state.length
    )


@api.implements(api.status, ConnectFourState, plain=True)
def status(state: ConnectFourState) -> int:
    """Return the status; only the last player to move can have won."""
    if has_line(state.occupied ^ state.own, state.rows, state.length):
        return X_WINS if popcount(state.occupied) & 1 else O_WINS
    return ONGOING if next_cells(state) else DRAW


@api.implements(api.ply, ConnectFourState, plain=True)
def ply(state: ConnectFourState) -> int:
    """Return the number of stones."""
    return popcount(state.occupied)


@api.implements(api.num_legal_actions, ConnectFourState, plain=True)
def num_legal_actions(state: ConnectFourState) -> int:
    """Return the number of columns that are not full."""
    return popcount(next_cells(state))


@api.implements(api.fill_legal_actions, ConnectFourState, plain=True)
def fill_legal_actions(state: ConnectFourState, actions: NDArray[np.uint8]) -> int:
    """Write the columns that are not full."""
    cells, count = next_cells(state), 0
    while cells:
        actions[count] = _column_of(cells & -cells, state.bottom)
        cells &= cells - 1
        count += 1
    return count


@api.implements(api.is_legal, ConnectFourState, plain=True)
def is_legal(state: ConnectFourState, action: int) -> bool:
    """Return whether the column exists and is not full."""
    if action < 0 or action >= popcount(state.bottom):
        return False
    return _has_room(state, as_int(action))


@api.implements(api.random_action, ConnectFourState)
def random_action(state: ConnectFourState, word: np.uint64) -> int:
    """Return a column that is not full: a draw from all columns, and if that is full, one from the rest."""
    action = below(word, popcount(state.bottom))
    if _has_room(state, action):
        return action
    cells = next_cells(state)
    return _column_of(1 << bit_index(cells, below(mix64(word), popcount(cells))), state.bottom)


@api.implements(api.winning_action, ConnectFourState, plain=True)
def winning_action(state: ConnectFourState) -> int:
    """Return the first column in which the player to move completes a line."""
    cells = completing_cells(state.own, state.rows, state.length) & next_cells(state)
    return _column_of(cells & -cells, state.bottom) if cells else NO_ACTION


@api.implements(api.threat_action, ConnectFourState, plain=True)
def threat_action(state: ConnectFourState) -> int:
    """Return the first column in which the opponent would complete a line."""
    cells = completing_cells(state.occupied ^ state.own, state.rows, state.length) & next_cells(state)
    return _column_of(cells & -cells, state.bottom) if cells else NO_ACTION


@api.implements(api.state_key, ConnectFourState, plain=True)
def state_key(state: ConnectFourState) -> np.uint64:
    """Return, for each column, the stones of the player to move below a bit that marks the height."""
    return np.uint64(state.occupied) + np.uint64(state.bottom) + np.uint64(state.own)


@api.implements(api.state_of_key, ConnectFourState, plain=True)
def state_of_key(like: ConnectFourState, key: np.uint64) -> ConnectFourState:
    """Return the state of a key: the highest bit of each column marks its height, with own stones below it."""
    one, below_tops = np.uint64(1), ~(np.uint64(like.bottom) << np.uint64(like.rows))
    filled = np.uint64(key)
    for _ in range(like.rows):
        filled |= (filled >> one) & below_tops
    occupied = (filled >> one) & below_tops
    own = np.uint64(key) ^ filled ^ occupied
    return ConnectFourState(as_int(own), as_int(occupied), like.bottom, like.rows, like.length)


@api.implements(api.num_actions, ConnectFourState, plain=True)
def num_actions(state: ConnectFourState) -> int:
    """Return the number of columns."""
    return popcount(state.bottom)


@api.implements(api.max_plies, ConnectFourState, plain=True)
def max_plies(state: ConnectFourState) -> int:
    """Return the number of cells."""
    return popcount(state.bottom) * state.rows


@api.implements(api.num_symmetries, ConnectFourState, plain=True)
def num_symmetries(state: ConnectFourState) -> int:
    """Return 2, for a board and its mirror image; 1 for a board of one column."""
    return min(2, popcount(state.bottom))


@inlined_kernel(plain=True)
def _mirrored(stones: int, bottom: int, rows: int) -> int:
    """Return the stones with the columns in reverse order."""
    columns, image = popcount(bottom), 0
    for column in range(columns):
        cells = stones >> column * (rows + 1) & (1 << rows) - 1
        image |= cells << (columns - 1 - column) * (rows + 1)
    return image


@api.implements(api.transform, ConnectFourState, plain=True)
def transform(state: ConnectFourState, symmetry: int) -> ConnectFourState:
    """Return the state or its mirror image."""
    if symmetry == 0:
        return state
    own = _mirrored(state.own, state.bottom, state.rows)
    occupied = _mirrored(state.occupied, state.bottom, state.rows)
    return ConnectFourState(own, occupied, state.bottom, state.rows, state.length)


@api.implements(api.transform_action, ConnectFourState, plain=True)
def transform_action(state: ConnectFourState, action: int, symmetry: int) -> int:
    """Return the column; in the mirror image it is counted from the other side."""
    return popcount(state.bottom) - 1 - action if symmetry else action


@api.implements(api.observation_shape, ConnectFourState, plain=True)
def observation_shape(state: ConnectFourState) -> tuple[int, int, int]:
    """Return (2, rows, columns)."""
    return 2, state.rows, popcount(state.bottom)


@api.implements(api.fill_observation, ConnectFourState, plain=True)
def fill_observation(state: ConnectFourState, out: NDArray[np.float32]) -> None:
    """Write own stones and the opponent's, from the top row down."""
    columns, other = popcount(state.bottom), state.occupied ^ state.own
    for row in range(state.rows):
        for column in range(columns):
            cell = column * (state.rows + 1) + state.rows - 1 - row
            out[row * columns + column] = state.own >> cell & 1
            out[(state.rows + row) * columns + column] = other >> cell & 1
