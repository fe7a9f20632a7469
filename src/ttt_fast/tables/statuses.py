"""How the states of some keys stand: over or not, and who is to move."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.game import Game


@kernel
def _fill_statuses(like: api.State, keys: NDArray[np.uint64], out: NDArray[np.int8]) -> None:
    """Fill the statuses and the players to move of the states of N keys, (2, N)."""
    for place in range(keys.size):
        state = api.state_of_key(like, keys[place])
        out[0, place], out[1, place] = api.status(state), api.player(state)


def statuses_of(game: Game, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return `api.status` of the states of some keys, and `api.player` of them, (N,) int8 each.

    Parameters
    ----------
    game
        A game whose keys are exact.
    keys : (N,) uint64
        Keys as `api.state_key` gives them.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> keys = [api.state_key(game.state_after(moves)) for moves in ("", "4", "1213141")]
    >>> [one.tolist() for one in statuses_of(game, np.array(keys, np.uint64))]
    [[0, 0, 1], [1, 2, 2]]
    """
    out = np.zeros((2, keys.size), np.int8)
    _fill_statuses(game.initial_state, frozen(keys), out)
    return out[0], out[1]
