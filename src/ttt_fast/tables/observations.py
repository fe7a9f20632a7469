"""What the states of a table look like to the player to move."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.tables.state_table import StateTable


@kernel
def _observe_all(like: api.State, keys: NDArray[np.uint64], out: NDArray[np.float32]) -> None:
    """Fill the observations of the states of some keys, (N, planes * rows * columns)."""
    for place in range(keys.size):
        api.fill_observation(api.state_of_key(like, keys[place]), out[place])


def observations_of(table: StateTable, states: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return `api.observe` of some states, (N, planes, rows, columns) float32, read-only.

    Parameters
    ----------
    table
        The table.
    states
        Indices of N states, (N,) int32.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> observations_of(table_of("tic-tac-toe"), np.array([0, 1], np.int32)).sum(axis=(1, 2, 3)).tolist()
    [0.0, 1.0]
    """
    like = table.game.initial_state
    shape = api.observation_shape(like)
    flat = np.zeros((states.size, shape[0] * shape[1] * shape[2]), np.float32)
    _observe_all(like, frozen(table.key[states]), flat)
    return frozen(flat.reshape(-1, *shape))
