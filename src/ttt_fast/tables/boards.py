"""State tables on nine cells: the marks of every state, and look-up by the base-3 codes of published programs."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.plain import frozen
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.games.game import Game
from ttt_fast.tables.state_table import NO_STATE, StateTable

POWERS_OF_3 = 3 ** np.arange(rules.NUM_CELLS)
"""Weights of the nine cells in the code of a board: the sum of mark * 3**cell."""


def is_ordinary_game(game: Game) -> bool:
    """Return whether a game is ordinary tic-tac-toe, the game of the published programs."""
    return game.initial_state == rules.initial_state()


def is_ordinary(table: StateTable) -> bool:
    """Return whether a table is that of ordinary tic-tac-toe."""
    return is_ordinary_game(table.game)


@lru_cache(maxsize=4)
def boards_of(table: StateTable) -> NDArray[np.uint8]:
    """Return the marks of every state of a game on nine cells, (S, 9) uint8: 0 empty, 1 X, 2 O.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> boards_of(table_of("tic-tac-toe"))[10]
    array([1, 2, 0, 0, 0, 0, 0, 0, 0], dtype=uint8)
    """
    bits = np.arange(rules.NUM_CELLS, dtype=np.uint64)
    own, other = ((table.key[:, None] >> (bits + np.uint64(shift))) & np.uint64(1) for shift in (0, rules.NUM_CELLS))
    mover = (1 + table.ply % 2)[:, None]
    return frozen((own * mover + other * (3 - mover)).astype(np.uint8))


@lru_cache(maxsize=4)
def index_of_code(table: StateTable) -> NDArray[np.int32]:
    """Return the state of each base-3 code, (3**9,) int32; -1 for boards that are not reachable."""
    found = np.full(3**rules.NUM_CELLS, NO_STATE, np.int32)
    found[boards_of(table) @ POWERS_OF_3] = np.arange(table.num_states)
    return frozen(found)
