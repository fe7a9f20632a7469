"""What a learned table of Connect 4 holds: values of boards that are won, and of those that are not."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games.connect_four import LENGTH, ConnectFourState
from ttt_fast.games.registry import Game
from ttt_fast.values.hashed import SortedRows

X_WON, X_OPEN, O_WON, O_OPEN = "X has won", "X has moved", "O has won", "O has moved"
CLASSES = (X_WON, X_OPEN, O_WON, O_OPEN)
_1 = np.uint64(1)

LOST_AS_CODED = -0.009 / 0.19
"""Where X's last board before a certain win of O ends as coded: V = 0.9 (0.9 V + 0.09) - 0.09 = 0.81 V - 0.009."""
WON_AS_CODED = 0.81 * -0.009 / (1 - 0.81**2)
"""Where a certain win of X ends as coded: the same, then two rewards of 0: V = 0.81 (0.81 V - 0.009)."""


class ValueClass(NamedTuple):
    """The values of one kind of board.

    Attributes
    ----------
    name
        One of `CLASSES`: who has moved, and whether that won the game.
    boards, positive, zero
        Boards, those above 0, and those at 0 exactly.
    total, highest, lowest
        Sum and extremes of the values; 0 without boards.
    """

    name: str
    boards: int
    positive: int
    zero: int
    total: float
    highest: float
    lowest: float


def boards_of_keys(keys: NDArray[np.uint64], columns: int, rows: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the stones of the player who has just moved and all stones, (N,) uint64 each, of some state keys.

    In a key each column holds the stones of the player to move below a bit that marks its height.

    Parameters
    ----------
    keys : (N,) uint64
        Keys as `games.api.state_key` gives them.
    columns, rows
        Size of the board.

    Examples
    --------
    >>> from ttt_fast.games import api
    >>> from ttt_fast.games.registry import parse_game
    >>> state = parse_game("connect4").state_after("4453")
    >>> mover, stones = boards_of_keys(np.array([api.state_key(state)], np.uint64), 7, 6)
    >>> int(stones[0]) == state.occupied, int(mover[0]) == state.occupied ^ state.own
    (True, True)
    """
    mover, stones = np.zeros_like(keys), np.zeros_like(keys)
    full = np.uint64((1 << rows + 1) - 1)
    for column in range(columns):
        shift = np.uint64(column * (rows + 1))
        word = (keys >> shift) & full
        below = word.copy()
        for distance in (1, 2, 4):  # all bits up to the highest one
            below |= below >> np.uint64(distance)
        heap = below >> _1
        stones |= heap << shift
        mover |= (heap & ~word) << shift
    return mover, stones


def has_four(stones: NDArray[np.uint64], rows: int) -> NDArray[np.bool_]:
    """Return whether four stones stand in a row, (N,) bool."""
    found = np.zeros(stones.shape, np.bool_)
    for step in (1, rows, rows + 1, rows + 2):
        line = stones.copy()
        for distance in range(1, LENGTH):
            line &= stones >> np.uint64(distance * step)
        found |= line != 0
    return found


def value_classes(content: SortedRows, game: Game) -> list[ValueClass]:
    """Return the kinds of boards of a table of afterstates, and their values."""
    assert isinstance(game.initial_state, ConnectFourState)
    rows = game.initial_state.rows
    mover, stones = boards_of_keys(content.keys, game.num_actions, rows)
    won, by_x = has_four(mover, rows), np.bitwise_count(stones) % 2 == 1
    values = content.values[:, 0]
    masks = (by_x & won, by_x & ~won, ~by_x & won, ~by_x & ~won)
    return [_class(name, values[mask]) for name, mask in zip(CLASSES, masks, strict=True)]


def _class(name: str, values: NDArray[np.float64]) -> ValueClass:
    if not values.size:
        return ValueClass(name, 0, 0, 0, 0.0, 0.0, 0.0)
    positive, zero = int((values > 0).sum()), int((values == 0).sum())
    return ValueClass(name, values.size, positive, zero, float(values.sum()), float(values.max()), float(values.min()))
