"""The content of a learned table of Connect 4: values of boards that are won, and of those that are not."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games.connect_four import LENGTH, ConnectFourState
from ttt_fast.games.registry import Game
from ttt_fast.values.hashed import SortedRows

X_WON, X_OPEN, O_WON, O_OPEN = KINDS = "X has won", "X has moved", "O has won", "O has moved"
MARKS: Final = ("boards", "above 0", "sum", "highest", "lowest")
"""Marks of a kind of board: how many there are, how many have a value above 0, and the values."""
_1 = np.uint64(1)


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


def kinds_of(content: SortedRows, game: Game) -> list[list[float]]:
    """Return the MARKS of each of the KINDS of boards in a table of afterstates."""
    assert isinstance(game.initial_state, ConnectFourState)
    rows = game.initial_state.rows
    mover, stones = boards_of_keys(content.keys, game.num_actions, rows)
    won, by_x = has_four(mover, rows), np.bitwise_count(stones) % 2 == 1
    found = []
    for mask in (by_x & won, by_x & ~won, ~by_x & won, ~by_x & ~won):
        own = content.values[:, 0][mask]
        values = (own.sum(), own.max(), own.min()) if own.size else (0.0, 0.0, 0.0)
        found.append([float(one) for one in (own.size, (own > 0).sum(), *values)])
    return found
