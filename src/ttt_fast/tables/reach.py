"""The states that are reachable when only some of the actions are played."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.tables.state_table import ROOT, StateTable


@kernel(plain=True)
def _mark(
    edge_start: NDArray[np.int32],
    edge_child: NDArray[np.int32],
    played: NDArray[np.bool_],
    start: int,
    reached: NDArray[np.bool_],
) -> None:
    """Mark the states reachable from `start`; children have larger indices than their parents."""
    reached[start] = True
    for state in range(start, len(reached)):
        if reached[state]:
            for edge in range(edge_start[state], edge_start[state + 1]):
                if played[edge]:
                    reached[edge_child[edge]] = True


def reachable_mask(table: StateTable, played: NDArray[np.bool_], start: int = ROOT) -> NDArray[np.bool_]:
    """Return a mask of the states reachable from a start state, itself included, by some of the actions.

    Parameters
    ----------
    table
        The game.
    played : (E,) bool
        Edges that may be played.
    start
        Index of the first state.

    Returns
    -------
    (S,) bool

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> table = table_of("tic-tac-toe")
    >>> first_free_cell = np.zeros(table.num_edges, np.bool_)
    >>> first_free_cell[table.edge_start[:-1][table.decision_mask]] = True
    >>> [table.board(int(state)) for state in reachable_mask(table, first_free_cell).nonzero()[0]][-2:]
    ['XOXOXO...', 'XOXOXOX..']
    """
    reached = np.zeros(table.num_states, np.bool_)
    _mark(table.edge_start, table.edge_child, frozen(np.array(played, np.bool_)), table.check_state(start), reached)
    return reached
