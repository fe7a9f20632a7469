"""The rules of tic-tac-toe, also of misère: cells, lines, moves, results, and boards as text.

Cells are numbered 0 to 8, row by row from the top left; action `a` marks cell `a`.  X moves first.  A board is two sets
of cells, each a bit mask (bit `a` for cell `a`), or nine marks (0 empty, 1 X, 2 O).  Completing a line wins the game,
or in misère loses it.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, bit_index_of_9, fill_bits, lowest_bit_index, popcount
from ttt_fast.core.errors import BoardError
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import below
from ttt_fast.games import api
from ttt_fast.games.api import DRAW, O_WINS, ONGOING, X_WINS, O, X
from ttt_fast.games.marks_text import format_marks, own_and_other

NUM_CELLS: Final = 9
ALL_CELLS: Final = (1 << NUM_CELLS) - 1
EMPTY: Final = 0
"""The mark of a free cell; the others are the seats."""

LINES: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The eight winning lines: rows, columns, diagonals."""

_COMPLETING_CELLS = np.zeros(1 << NUM_CELLS, np.uint16)
"""For each set of marks, the free cells that complete a line; small enough to be a constant in kernels."""
for _line in LINES:
    for _cell in _line:
        _others = sum(1 << cell for cell in _line if cell != _cell)
        for _marks in range(1 << NUM_CELLS):
            if _marks & _others == _others and not _marks >> _cell & 1:
                _COMPLETING_CELLS[_marks] |= 1 << _cell
frozen(_COMPLETING_CELLS)

_SQUARE: Final = np.arange(NUM_CELLS, dtype=np.uint8).reshape(3, 3)
SQUARE_SYMMETRIES: Final[NDArray[np.uint8]] = frozen(
    np.array([np.rot90(grid, turns).ravel() for grid in (_SQUARE, _SQUARE.T) for turns in range(4)])
)
"""The image of each cell under each of the 8 symmetries of a square, (8, 9); symmetry 0 is the identity."""
_IMAGES = np.zeros((len(SQUARE_SYMMETRIES), 1 << NUM_CELLS), np.uint16)
"""The image of each set of cells under each symmetry."""
for _cell in range(NUM_CELLS):
    _has_cell = np.arange(1 << NUM_CELLS) >> _cell & 1
    _IMAGES |= (_has_cell << SQUARE_SYMMETRIES[:, _cell : _cell + 1].astype(np.int64)).astype(np.uint16)
frozen(_IMAGES)

_MARK_OF_SYMBOL = {symbol: mark for mark, symbols in enumerate(("._-0", "Xx1", "Oo2")) for symbol in symbols}
Board = tuple[int, ...]


def parse_board(text: str) -> Board:
    """Return the nine marks (0 empty, 1 X, 2 O) given by nine characters.

    Parameters
    ----------
    text
        Row by row from the top left; X, x or 1; O, o or 2; and '.', '_', '-' or 0 for an empty cell.

    Raises
    ------
    BoardError
        If the number of characters is not nine, or a character is not one of these.

    Examples
    --------
    >>> parse_board("XO..X...O")
    (1, 2, 0, 0, 1, 0, 0, 0, 2)
    """
    if len(text) != NUM_CELLS:
        raise BoardError(f"expected a board of 9 characters, for instance 'XO..X...O', got {text!r}")
    unknown = [symbol for symbol in text if symbol not in _MARK_OF_SYMBOL]
    if unknown:
        raise BoardError(f"expected only X, O and '.' in a board, got {unknown[0]!r} in {text!r}")
    return tuple(_MARK_OF_SYMBOL[symbol] for symbol in text)


class TicTacToeState(NamedTuple):
    """A position and the effect of a line.

    Attributes
    ----------
    own, other
        Cells of the player to move and of the opponent, nine bits each.
    misere
        0: completing a line wins; 1: completing a line loses.
    """

    own: int
    other: int
    misere: int

    def __str__(self) -> str:
        """Return the board as lines of text."""
        return api.picture(self)

    def _repr_svg_(self) -> str | None:
        """Return the board as a picture for notebooks."""
        return api.svg(self)


def initial_state(misere: int = 0) -> TicTacToeState:
    """Return the empty board, for misère if `misere` is 1."""
    return TicTacToeState(0, 0, misere)


@inlined_kernel(plain=True)
def contains_line(marks: int) -> bool:
    """Return whether nine bits contain one of `LINES`, by bit arithmetic instead of a table of masks."""
    rows = marks & (marks >> 1) & (marks >> 2) & 0o111
    columns = marks & (marks >> 3) & (marks >> 6) & 0o007
    falling = marks & (marks >> 4) & (marks >> 8) & 1
    rising = (marks >> 2) & (marks >> 4) & (marks >> 6) & 1
    return (rows | columns | falling | rising) != 0


@inlined_kernel(plain=True)
def completing_cells(marks: int) -> int:
    """Return the free cells, of nine, on which one more mark would complete a line."""
    return as_int(_COMPLETING_CELLS[np.uint64(marks)])


@inlined_kernel(plain=True)
def _free_cells(state: TicTacToeState) -> int:
    return ~(state.own | state.other) & ALL_CELLS


@inlined_kernel(plain=True)
def _first_of(cells: int) -> int:
    return lowest_bit_index(cells) if cells else api.NO_ACTION


@api.implements(api.play, TicTacToeState, plain=True)
def play(state: TicTacToeState, action: int) -> TicTacToeState:
    """Return the state after marking a free cell."""
    return TicTacToeState(state.other, state.own | 1 << as_int(action), state.misere)


@api.implements(api.status, TicTacToeState, plain=True)
def status(state: TicTacToeState) -> int:
    """Return the status; only the last player to move can have a line, which wins or, in misère, loses."""
    if contains_line(state.other):
        return X_WINS if (popcount(state.own | state.other) & 1) ^ state.misere else O_WINS
    return ONGOING if _free_cells(state) else DRAW


@api.implements(api.ply, TicTacToeState, plain=True)
def ply(state: TicTacToeState) -> int:
    """Return the number of marks."""
    return popcount(state.own | state.other)


@api.implements(api.num_legal_actions, TicTacToeState, plain=True)
def num_legal_actions(state: TicTacToeState) -> int:
    """Return the number of free cells."""
    return NUM_CELLS - popcount(state.own | state.other)


@api.implements(api.fill_legal_actions, TicTacToeState, plain=True)
def fill_legal_actions(state: TicTacToeState, actions: NDArray[np.uint8]) -> int:
    """Write the free cells."""
    return fill_bits(actions, 0, _free_cells(state), 0)


@api.implements(api.is_legal, TicTacToeState, plain=True)
def is_legal(state: TicTacToeState, action: int) -> bool:
    """Return whether the cell is on the board and free."""
    return 0 <= action < NUM_CELLS and _free_cells(state) >> action & 1 == 1


@api.implements(api.random_action, TicTacToeState)
def random_action(state: TicTacToeState, word: np.uint64) -> int:
    """Return a random free cell."""
    cells = _free_cells(state)
    return bit_index_of_9(cells, below(word, popcount(cells)))


@api.implements(api.winning_action, TicTacToeState, plain=True)
def winning_action(state: TicTacToeState) -> int:
    """Return the first cell that completes a line of the player to move; -1 in misère, where no move wins at once."""
    if state.misere:
        return api.NO_ACTION
    return _first_of(completing_cells(state.own) & ~state.other)


@api.implements(api.threat_action, TicTacToeState, plain=True)
def threat_action(state: TicTacToeState) -> int:
    """Return the first cell that would complete a line of the opponent; -1 in misère, where no move wins at once."""
    if state.misere:
        return api.NO_ACTION
    return _first_of(completing_cells(state.other) & ~state.own)


@api.implements(api.state_key, TicTacToeState, plain=True)
def state_key(state: TicTacToeState) -> np.uint64:
    """Return the 18 bits of the position."""
    return np.uint64(state.other << NUM_CELLS | state.own)


@api.implements(api.state_of_key, TicTacToeState, plain=True)
def state_of_key(like: TicTacToeState, key: np.uint64) -> TicTacToeState:
    """Return the state of a key: own cells are its low nine bits, the opponent's the next nine."""
    cells = as_int(key)
    return TicTacToeState(cells & ALL_CELLS, cells >> NUM_CELLS, like.misere)


@api.implements(api.num_actions, TicTacToeState, plain=True)
def num_actions(state: TicTacToeState) -> int:
    """Return 9."""
    return NUM_CELLS


@api.implements(api.max_plies, TicTacToeState, plain=True)
def max_plies(state: TicTacToeState) -> int:
    """Return 9."""
    return NUM_CELLS


@inlined_kernel(plain=True)
def image_of_cells(cells: int, symmetry: int) -> int:
    """Return the image of a set of nine cells under a symmetry of the square."""
    return as_int(_IMAGES[symmetry, cells])


@api.implements(api.num_symmetries, TicTacToeState, plain=True)
def num_symmetries(state: TicTacToeState) -> int:
    """Return 8, the number of symmetries of a square."""
    return 8


@api.implements(api.transform, TicTacToeState, plain=True)
def transform(state: TicTacToeState, symmetry: int) -> TicTacToeState:
    """Return the board rotated or reflected."""
    return TicTacToeState(image_of_cells(state.own, symmetry), image_of_cells(state.other, symmetry), state.misere)


@api.implements(api.transform_action, TicTacToeState, plain=True)
def transform_action(state: TicTacToeState, action: int, symmetry: int) -> int:
    """Return the image of a cell under a symmetry."""
    return as_int(SQUARE_SYMMETRIES[symmetry, action])


@api.implements(api.observation_shape, TicTacToeState, plain=True)
def observation_shape(state: TicTacToeState) -> tuple[int, int, int]:
    """Return (2, 3, 3)."""
    return 2, 3, 3


@api.implements(api.fill_observation, TicTacToeState, plain=True)
def fill_observation(state: TicTacToeState, out: NDArray[np.float32]) -> None:
    """Write own marks and the opponent's."""
    for cell in range(NUM_CELLS):
        out[cell] = state.own >> cell & 1
        out[NUM_CELLS + cell] = state.other >> cell & 1


def split_moves(text: str) -> list[str]:
    """Return the moves of a line of play, one character each."""
    return list("".join(text.split()))


def parse_action(text: str, start: TicTacToeState) -> int:
    """Return the action given by a digit 0 to 8."""
    if len(text) != 1 or text not in "012345678":
        raise BoardError(f"expected a cell from 0 to 8, got {text!r}")
    return int(text)


def format_action(action: int) -> str:
    """Return the digit of a cell, the inverse of `parse_action`."""
    return str(action)


def parse_position(text: str, start: TicTacToeState) -> TicTacToeState:
    """Return the position given by nine characters (see `parse_board`), in the game that `start` begins.

    Raises
    ------
    BoardError
        If the numbers of marks contradict X moving first, or the winner cannot have moved last.

    Examples
    --------
    >>> parse_position("XO..X....", initial_state())
    TicTacToeState(own=2, other=17, misere=0)
    """
    board = parse_board(text)
    x, o = (sum(1 << cell for cell in range(NUM_CELLS) if board[cell] == mark) for mark in (X, O))
    own, other = own_and_other(x, o, contains_line, text)
    return start._replace(own=own, other=other)


def format_position(state: TicTacToeState) -> str:
    """Return the nine characters of a position, the inverse of `parse_position`."""
    x, o = (state.own, state.other) if (state.own | state.other).bit_count() % 2 == 0 else (state.other, state.own)
    return format_marks(x, o, 1, NUM_CELLS, lambda row, column: column)
