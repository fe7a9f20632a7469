"""The rules of tic-tac-toe: cells, lines, moves, results, and boards as text.

Cells are numbered 0 to 8, row by row from the top left; action `a` marks cell `a`.  X moves first.  A board is
two sets of cells, each a bit mask (bit `a` for cell `a`), or nine marks (0 empty, 1 X, 2 O).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast._jit import inlined_kernel
from ttt_fast.errors import BoardError, UsageError

NUM_CELLS: Final = 9
EMPTY, X, O = 0, 1, 2  # noqa: E741  (the name of the player)
ONGOING, X_WINS, O_WINS, DRAW = 0, 1, 2, 3
"""Status codes of a state."""

LINES: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The eight winning lines: rows, columns, diagonals."""

LINE_MASKS: Final[NDArray[np.int64]] = np.array([sum(1 << cell for cell in line) for line in LINES])
LINE_MASKS.flags.writeable = False

_MARK_OF_SYMBOL = {symbol: mark for mark, symbols in enumerate(("._-0", "Xx1", "Oo2")) for symbol in symbols}
Board = tuple[int, ...]


@inlined_kernel
def has_line(marks: int, line_masks: NDArray[np.int64]) -> bool:
    """Return whether the cells of the bit mask `marks` contain one of the lines."""
    found = False
    for index in range(line_masks.size):
        if marks & line_masks[index] == line_masks[index]:
            found = True
    return found


@inlined_kernel
def status_after_move(mover: int, marks: int, other_marks: int, line_masks: NDArray[np.int64]) -> int:
    """Return the status of a board on which `mover` (X or O, holding `marks`) has just moved.

    This is the place where the result of a game is decided; everything else reads it from the tables.
    """
    if has_line(marks, line_masks):
        return X_WINS if mover == X else O_WINS
    if marks | other_marks == (1 << NUM_CELLS) - 1:
        return DRAW
    return ONGOING


def check_seat(seat: int) -> int:
    """Return the seat, 1 (X) or 2 (O), as a plain integer, or raise UsageError."""
    if seat not in (X, O):
        raise UsageError(f"expected a seat of 1 (X) or 2 (O), got {seat!r}")
    return int(seat)


def parse_board(text: str) -> Board:
    """Return the nine marks (0 empty, 1 X, 2 O) that nine characters spell.

    Parameters
    ----------
    text
        Row by row from the top left; X, x or 1; O, o or 2; and '.', '_', '-' or 0 for an empty cell.

    Raises
    ------
    BoardError
        If there are not nine characters, or one of them means nothing.

    Examples
    --------
    >>> parse_board("XO..X...O")
    (1, 2, 0, 0, 1, 0, 0, 0, 2)
    """
    if len(text) != NUM_CELLS:
        raise BoardError(f"expected a board of 9 characters, for instance 'XO..X...O', got {text!r}")
    unknown = [symbol for symbol in text if symbol not in _MARK_OF_SYMBOL]
    if unknown:
        raise BoardError(f"expected X, O and '.' in a board, got {unknown[0]!r} in {text!r}")
    return tuple(_MARK_OF_SYMBOL[symbol] for symbol in text)


def format_board(board: Board | NDArray[np.uint8]) -> str:
    """Return the nine characters of a board, the inverse of `parse_board`.

    Examples
    --------
    >>> format_board((1, 2, 0, 0, 1, 0, 0, 0, 2))
    'XO..X...O'
    """
    return "".join(".XO"[mark] for mark in board)
