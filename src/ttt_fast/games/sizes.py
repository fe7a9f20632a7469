"""Upper bounds on the number of reachable states, from the size of a board alone."""

from functools import reduce
from math import comb

import numpy as np

from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.mnk import MnkState
from ttt_fast.games.tic_tac_toe import TicTacToeState


def marks_bound(state: TicTacToeState | MnkState) -> float:
    """Return the number of ways to place equal numbers of X and O, or one more X, on the cells of a board.

    Examples
    --------
    >>> marks_bound(TicTacToeState(0, 0, 0))  # of which 5,478 are reached
    6046.0
    """
    cells = api.num_actions(state)
    return float(sum(comb(cells, marks) * comb(marks, marks // 2) for marks in range(cells + 1)))


def connect_four_bound(state: ConnectFourState) -> float:
    """Return the number of ways to stack stones in the columns, with equal numbers of both players or one more of X.

    Examples
    --------
    >>> from ttt_fast.games.connect_four import initial_state
    >>> connect_four_bound(initial_state(columns=4, rows=4))  # of which 161,029 are reached
    201755.0
    """
    heights = [np.ones(state.rows + 1, object)] * state.bottom.bit_count()  # objects: integers of any size
    stacks = reduce(np.convolve, heights)  # the number of ways to place n stones in all in the columns
    return float(sum(ways * comb(stones, stones // 2) for stones, ways in enumerate(stacks)))
