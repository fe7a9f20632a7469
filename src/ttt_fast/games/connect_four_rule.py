"""A scripted player of Connect 4: win, block, do not prepare a win of the opponent, prefer the centre."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import popcount
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.connect_four import ConnectFourState, completing_cells, next_cells
from ttt_fast.games.game import Game


@inlined_kernel(plain=True)
def first_column(cells: int, state: ConnectFourState) -> int:
    """Return the first column with one of some cells: the centre, left of it, right of it, and so on; -1 for none."""
    columns, stride = popcount(state.bottom), state.rows + 1
    for place in range(columns):
        column = columns // 2 + (place // 2 if place % 2 == 0 else -(place + 1) // 2)
        if cells >> column * stride & (1 << state.rows) - 1:
            return column
    return api.NO_ACTION


@kernel(plain=True)
def centre_first(state: ConnectFourState) -> int:
    """Return the column of the scripted player in an ongoing state.

    The first column that wins at once is played.  Otherwise it is the first in which the opponent would win at once,
    otherwise the first after which the opponent cannot win on top of the stone, otherwise the first free column.
    """
    free, opponent = next_cells(state), state.occupied ^ state.own
    threats = completing_cells(opponent, state.rows, state.length) & ~(state.bottom << state.rows)
    wins = completing_cells(state.own, state.rows, state.length)
    column = first_column(free & wins, state)
    if column < 0:
        column = first_column(free & threats, state)
    if column < 0:
        column = first_column(free & ~(threats >> 1), state)
    return column if column >= 0 else first_column(free, state)


@kernel
def _fill_centre_first(
    like: ConnectFourState, keys: NDArray[np.uint64], player: NDArray[np.int8], out: NDArray[np.uint8]
) -> None:
    """Fill the column in each ongoing state, (S,)."""
    for place in range(keys.size):
        if player[place] != 0:
            out[place] = centre_first(api.state_of_key(like, keys[place]))


def centre_first_actions(game: Game, keys: NDArray[np.uint64], player: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Return the column of the scripted player in some states, (S,) uint8; 0 where `player` is 0, after the end."""
    actions = np.zeros(keys.size, np.uint8)
    _fill_centre_first(ConnectFourState(*game.initial_state), keys, player, actions)
    return actions


def centre_first_action(state: GameState) -> int:
    """Return the column of the scripted player in an ongoing state.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4")
    >>> centre_first_action(game.initial_state), centre_first_action(game.state_after("121212"))
    (3, 0)
    """
    return int(centre_first(ConnectFourState(*state)))
