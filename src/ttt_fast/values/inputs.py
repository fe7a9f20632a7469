"""The network inputs of a state: marks, or the planes of `api.observe`, always from the view of the player to move.

Marks are compact: 1 for own marks, -1 for the other player's, 0 for free cells.  A game may add further numbers.  It
has only planes if its observations do not show own marks and the other player's.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.tables.state_table import StateTable, cached_on_table


def fill_marks(state: api.State, planes: NDArray[np.float32], out: NDArray[np.int8]) -> int:
    """Write the marks of a state, derived from its observation, into `out`; return their number.

    Parameters
    ----------
    state
        A state of a game whose first two planes are own marks and the other player's.
    planes : (planes * rows * columns,) float32
        The output of `api.fill_observation`.
    out : (I,) int8
        Output, filled from the beginning.
    """
    return api.implementation(fill_marks, state)(state, planes, out)


@api.default_of(fill_marks)
def _fill_marks(state: api.State, planes: NDArray[np.float32], out: NDArray[np.int8]) -> int:
    shape = api.observation_shape(state)
    cells = shape[1] * shape[2]
    for cell in range(cells):
        out[cell] = np.int8(planes[cell]) - np.int8(planes[cells + cell])
    return cells


@kernel
def fill_inputs(state: api.State, as_marks: bool, planes: NDArray[np.float32], out: NDArray[np.int8]) -> int:
    """Write the inputs of a state into `out`; return their number.

    Parameters
    ----------
    state
        A state of any game.
    as_marks
        Whether the inputs are marks instead of planes.
    planes : (planes * rows * columns,) float32
        Work array for the observation.
    out : (I,) int8
        Output, filled from the beginning.
    """
    api.fill_observation(state, planes)
    if as_marks:
        return fill_marks(state, planes, out)
    for place in range(planes.size):
        out[place] = np.int8(planes[place])
    return planes.size


def num_planes(start: api.GameState) -> int:
    """Return the number of elements in an observation of a game."""
    planes, rows, columns = api.observation_shape(start)
    return planes * rows * columns


def num_inputs(start: api.GameState, as_marks: bool) -> int:
    """Return the number of inputs I of a state.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> starts = [parse_game(game).initial_state for game in ("tic-tac-toe", "connect4", "ultimate")]
    >>> [[num_inputs(start, as_marks) for as_marks in (True, False)] for start in starts]
    [[9, 18], [42, 84], [99, 405]]
    """
    size = num_planes(start)
    out = np.zeros(size, np.int8)
    return int(fill_inputs(start, as_marks, np.zeros(size, np.float32), out))


@kernel
def _fill_all(
    start: api.State, keys: NDArray[np.uint64], as_marks: bool, planes: NDArray[np.float32], out: NDArray[np.int8]
) -> None:
    """Fill the inputs of the states with the given keys, (S, I)."""
    for place in range(keys.size):
        fill_inputs(api.state_of_key(start, keys[place]), as_marks, planes, out[place])


@cached_on_table(2)
def table_inputs(table: StateTable, as_marks: bool) -> NDArray[np.int8]:
    """Return the inputs of all states of a table, (S, I) int8, read-only; cached, since runs of a sweep share them.

    Parameters
    ----------
    table
        The game.
    as_marks
        Whether the inputs are marks instead of planes.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table_inputs(table_of("tic-tac-toe"), True)[1]
    array([-1,  0,  0,  0,  0,  0,  0,  0,  0], dtype=int8)
    """
    start = table.game.initial_state
    out = np.zeros((table.num_states, num_inputs(start, as_marks)), np.int8)
    _fill_all(start, table.key, as_marks, np.zeros(num_planes(start), np.float32), out)
    return frozen(out)
