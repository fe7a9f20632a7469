"""The rules of m,n,k-games: tic-tac-toe on boards of up to 25 cells, with any winning length, also misère.

Cells are numbered row by row from the top left; action `a` marks cell `a`, which is bit `a` of a set of cells.  The
rows are adjacent in the bit mask.  A mask of the cells at which a line may begin prevents lines that continue in the
next row.  Completing a line wins the game, or in misère loses it.  (Tic-tac-toe itself, three in a row on nine cells,
has its own state type, `games/tic_tac_toe.py`.)
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, bit_index, fill_bits, lowest_bit_index, popcount
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.rng import below
from ttt_fast.games import api
from ttt_fast.games.api import DRAW, NO_ACTION, O_WINS, ONGOING, X_WINS
from ttt_fast.games.connect_four import starts_of_runs

MAX_CELLS: Final = 25
"""Cells of the largest board; the key of a state, in 64 bits, has two bits for each."""


class MnkState(NamedTuple):
    """A position, the shape of its board, and the effect of a line.

    Attributes
    ----------
    own, other
        Cells of the player to move and of the opponent.
    board
        All cells.
    starts
        Cells of the columns in which a horizontal line, or a diagonal from the top left, may begin.
    columns
        The number of cells in a row.
    length
        The number of marks in a row that makes a line.
    misere
        0: completing a line wins; 1: completing a line loses.
    """

    own: int
    other: int
    board: int
    starts: int
    columns: int
    length: int
    misere: int

    def __str__(self) -> str:
        """Return the board as lines of text."""
        return api.picture(self)

    def _repr_svg_(self) -> str | None:
        """Return the board as a picture for notebooks."""
        return api.svg(self)


def initial_state(rows: int = 3, columns: int = 3, length: int = 3, misere: int = 0) -> MnkState:
    """Return the empty board of the given size, for misère if `misere` is 1.

    Raises
    ------
    UsageError
        If the board has no cell or more than 25, or no line fits on it.

    Examples
    --------
    >>> initial_state(rows=2, columns=4)
    MnkState(own=0, other=0, board=255, starts=51, columns=4, length=3, misere=0)
    """
    if rows < 1 or columns < 1 or rows * columns > MAX_CELLS:
        raise UsageError(
            f"expected rows * columns to be at most {MAX_CELLS}, got {rows!r} rows and {columns!r} columns"
        )
    if not 2 <= length <= max(rows, columns):
        raise UsageError(f"expected a length of a line from 2 to {max(rows, columns)}, got {length!r}")
    first = (1 << max(0, columns - length + 1)) - 1
    starts = sum(first << row * columns for row in range(rows))
    return MnkState(0, 0, (1 << rows * columns) - 1, starts, columns, length, misere)


@inlined_kernel(plain=True)
def has_line(marks: int, state: MnkState) -> bool:
    """Return whether a set of marks has a horizontal, vertical or diagonal line on the board of a state."""
    columns, length = state.columns, state.length
    right = starts_of_runs(marks, 1, length) | starts_of_runs(marks, columns + 1, length)
    left = starts_of_runs(marks, columns - 1, length) & state.starts << length - 1  # these begin at the other end
    return (right & state.starts | left | starts_of_runs(marks, columns, length)) != 0


@inlined_kernel(plain=True)
def _gaps(marks: int, starts: int, step: int, length: int) -> int:
    """Return the cells that would complete a line in one direction, from one of the cells `starts`."""
    cells = 0
    for gap in range(length):
        line = starts
        for other in range(length):
            if other != gap:
                line &= marks >> other * step
        cells |= line << gap * step
    return cells


@inlined_kernel(plain=True)
def completing_cells(marks: int, state: MnkState) -> int:
    """Return the free cells of a state's board on which one more mark of the set would complete a line."""
    columns, length, starts = state.columns, state.length, state.starts
    cells = _gaps(marks, starts, 1, length) | _gaps(marks, starts, columns + 1, length)
    cells |= _gaps(marks, starts << length - 1, columns - 1, length) | _gaps(marks, state.board, columns, length)
    return cells & free_cells(state)


@inlined_kernel(plain=True)
def free_cells(state: MnkState) -> int:
    """Return the cells without a mark."""
    return state.board & ~(state.own | state.other)


@inlined_kernel(plain=True)
def rows_of(state: MnkState) -> int:
    """Return the number of rows of the board."""
    return popcount(state.board) // state.columns


@api.implements(api.play, MnkState, plain=True)
def play(state: MnkState, action: int) -> MnkState:
    """Return the state after marking a free cell."""
    return MnkState(
        state.other, state.own | 1 << as_int(action), state.board, state.starts, state.columns, state.length,
        state.misere,
    )  # fmt: skip


@api.implements(api.status, MnkState, plain=True)
def status(state: MnkState) -> int:
    """Return the status; only the last player to move can have a line, which wins or, in misère, loses."""
    if has_line(state.other, state):
        return X_WINS if (popcount(state.own | state.other) & 1) ^ state.misere else O_WINS
    return ONGOING if free_cells(state) else DRAW


@api.implements(api.ply, MnkState, plain=True)
def ply(state: MnkState) -> int:
    """Return the number of marks."""
    return popcount(state.own | state.other)


@api.implements(api.num_legal_actions, MnkState, plain=True)
def num_legal_actions(state: MnkState) -> int:
    """Return the number of free cells."""
    return popcount(free_cells(state))


@api.implements(api.fill_legal_actions, MnkState, plain=True)
def fill_legal_actions(state: MnkState, actions: NDArray[np.uint8]) -> int:
    """Write the free cells."""
    return fill_bits(actions, 0, free_cells(state), 0)


@api.implements(api.is_legal, MnkState, plain=True)
def is_legal(state: MnkState, action: int) -> bool:
    """Return whether the cell is on the board and free."""
    return 0 <= action < MAX_CELLS and free_cells(state) >> action & 1 == 1


@api.implements(api.random_action, MnkState)
def random_action(state: MnkState, word: np.uint64) -> int:
    """Return a random free cell."""
    cells = free_cells(state)
    return bit_index(cells, below(word, popcount(cells)))


@inlined_kernel(plain=True)
def _first_completing(marks: int, state: MnkState) -> int:
    cells = 0 if state.misere else completing_cells(marks, state)
    return lowest_bit_index(cells) if cells else NO_ACTION


@api.implements(api.winning_action, MnkState, plain=True)
def winning_action(state: MnkState) -> int:
    """Return the first cell that completes a line of the player to move; -1 in misère, where no move wins at once."""
    return _first_completing(state.own, state)


@api.implements(api.threat_action, MnkState, plain=True)
def threat_action(state: MnkState) -> int:
    """Return the first cell that would complete a line of the opponent; -1 in misère, where no move wins at once."""
    return _first_completing(state.other, state)


@api.implements(api.state_key, MnkState, plain=True)
def state_key(state: MnkState) -> np.uint64:
    """Return own cells in the low bits and the opponent's above them: two bits a cell."""
    return np.uint64(state.other << popcount(state.board) | state.own)


@api.implements(api.state_of_key, MnkState, plain=True)
def state_of_key(like: MnkState, key: np.uint64) -> MnkState:
    """Return the state of a key."""
    cells = as_int(key)
    return MnkState(
        cells & like.board, cells >> popcount(like.board), like.board, like.starts, like.columns, like.length,
        like.misere,
    )  # fmt: skip


@api.implements(api.num_actions, MnkState, plain=True)
def num_actions(state: MnkState) -> int:
    """Return the number of cells."""
    return popcount(state.board)


@api.implements(api.max_plies, MnkState, plain=True)
def max_plies(state: MnkState) -> int:
    """Return the number of cells."""
    return popcount(state.board)


@api.implements(api.num_symmetries, MnkState, plain=True)
def num_symmetries(state: MnkState) -> int:
    """Return the number of symmetries: 8 for a square, 4 for a rectangle, 2 for a single row or column."""
    rows = rows_of(state)
    if rows == state.columns:
        return 8
    return 2 if min(rows, state.columns) == 1 else 4


@api.implements(api.transform_action, MnkState, plain=True)
def transform_action(state: MnkState, action: int, symmetry: int) -> int:
    """Return the image of a cell under a symmetry.

    Symmetries 0 to 3 of a square are quarter turns, 4 to 7 quarter turns of its mirror image.  A rectangle has the
    identity, the half turn and two reflections; a single row has the identity and the half turn.
    """
    columns = state.columns
    rows = rows_of(state)
    number = symmetry if rows == columns else 2 * symmetry + (symmetry >> 1)  # 0, 2, 5, 7 of a square
    turns = number & 3
    row, column = action // columns, action % columns
    if turns & 1:
        row, column = column, row
    if turns == 2 or turns == 3:  # after a half turn, or three quarters
        row = (rows if turns == 2 else columns) - 1 - row
    if turns == 1 or turns == 2:
        column = (columns if turns == 2 else rows) - 1 - column
    if number >= 4:
        row, column = column, row
    return row * columns + column


@inlined_kernel(plain=True)
def _image(cells: int, state: MnkState, symmetry: int) -> int:
    """Return the image of a set of cells."""
    image = 0
    while cells:
        image |= 1 << api.transform_action(state, lowest_bit_index(cells), symmetry)
        cells &= cells - 1
    return image


@api.implements(api.transform, MnkState, plain=True)
def transform(state: MnkState, symmetry: int) -> MnkState:
    """Return the board rotated or reflected."""
    own, other = _image(state.own, state, symmetry), _image(state.other, state, symmetry)
    return MnkState(own, other, state.board, state.starts, state.columns, state.length, state.misere)


@api.implements(api.observation_shape, MnkState, plain=True)
def observation_shape(state: MnkState) -> tuple[int, int, int]:
    """Return (2, rows, columns)."""
    return 2, rows_of(state), state.columns


@api.implements(api.fill_observation, MnkState, plain=True)
def fill_observation(state: MnkState, out: NDArray[np.float32]) -> None:
    """Write own marks and the opponent's."""
    cells = popcount(state.board)
    for cell in range(cells):
        out[cell] = state.own >> cell & 1
        out[cells + cell] = state.other >> cell & 1
