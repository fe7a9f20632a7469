"""The content of a learned table of Connect 4: the values of won boards, and those of all other boards."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Game
from ttt_fast.games import api
from ttt_fast.kernels import kernel

X_WON, X_OPEN, O_WON, O_OPEN = KINDS = "X has won", "X has moved", "O has won", "O has moved"
MARKS: Final = ("boards", "above 0", "sum", "highest", "lowest")
"""Metrics of a kind of board: the number of boards, the number with a value above 0, and statistics of the values."""


@kernel
def _fill_statuses(like: api.GameState, keys: NDArray[np.uint64], out: NDArray[np.int8]) -> None:
    """Fill the statuses and the players to move of the states of N keys, (2, N)."""
    for place in range(keys.size):
        state = api.state_of_key(like, keys[place])
        out[0, place], out[1, place] = api.status(state), api.player(state)


def statuses_of(game: Game, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return `api.status` and `api.player` of the states of some keys, (N,) int8 each.

    Parameters
    ----------
    game
        A game whose keys are exact.
    keys : (N,) uint64
        Keys as returned by `api.state_key`.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> keys = [api.state_key(game.state_after(moves)) for moves in ("", "4", "1213141")]
    >>> [one.tolist() for one in statuses_of(game, np.array(keys, np.uint64))]
    [[0, 0, 1], [1, 2, 2]]
    """
    out = np.zeros((2, keys.size), np.int8)
    _fill_statuses(game.initial_state, keys, out)
    return out[0], out[1]


def kinds_of(content: Any, game: Game) -> list[list[float]]:
    """Return the MARKS of each of the KINDS of boards in the sorted rows of a hash table of afterstates."""
    status, player = statuses_of(game, content.keys)
    won, by_x, found = np.isin(status, (api.X_WINS, api.O_WINS)), player == api.O, []
    for mask in (by_x & won, by_x & ~won, ~by_x & won, ~by_x & ~won):
        own = content.values[:, 0][mask]
        values = (own.sum(), own.max(), own.min()) if own.size else (0.0, 0.0, 0.0)
        found.append([float(one) for one in (own.size, (own > 0).sum(), *values)])
    return found
