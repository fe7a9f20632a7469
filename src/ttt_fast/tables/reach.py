"""The states that can occur when only some of the actions are played."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.tables.state_table import ROOT, StateTable


@kernel
def _mark(child: NDArray[np.int16], played: NDArray[np.bool_], start: int, reached: NDArray[np.bool_]) -> None:
    """Mark the states that `start` leads to; children have larger indices than their parents."""
    reached[start] = True
    for state in range(start, child.shape[0]):
        if reached[state]:
            for action in range(child.shape[1]):
                if played[state, action] and child[state, action] >= 0:
                    reached[child[state, action]] = True


def reachable_mask(table: StateTable, played: NDArray[np.bool_], start: int = ROOT) -> NDArray[np.bool_]:
    """Return the states that can occur from a start, itself included, by some actions.

    Parameters
    ----------
    table
        The game.
    played : (S, A) bool
        Actions that may be played; illegal ones do not count.
    start
        State index of the first board.

    Returns
    -------
    (S,) bool

    Examples
    --------
    >>> from ttt_fast.tables import standard_table
    >>> table = standard_table()
    >>> first_free_cell = table.legal_action_mask & (table.legal_action_mask.cumsum(axis=1) == 1)
    >>> [table.board(int(state)) for state in reachable_mask(table, first_free_cell).nonzero()[0]][-2:]
    ['XOXOXO...', 'XOXOXOX..']
    """
    reached = np.zeros(table.num_states, np.bool_)
    _mark(table.child, np.ascontiguousarray(played), table.check_state(start), reached)
    return reached
