"""The symmetries of a game, and the resulting classes of states."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.tables.state_table import StateTable


class Symmetry(NamedTuple):
    """The action of the G symmetries of a game on its actions and states (read-only arrays).

    Attributes
    ----------
    action_map : (G, A) uint8
        Image of each action under each symmetry; symmetry 0 is the identity.
    state_map : (G, S) int32
        Image of each state under each symmetry.
    representative : (S,) int32
        The smallest state index in the class of each state.
    class_index : (S,) int32
        Class number of each state, in the order of the representatives.

    Examples
    --------
    >>> from ttt_fast.tables import symmetry_of
    >>> symmetry_of("tic-tac-toe")
    <Symmetry: 8 symmetries, 765 classes of states>
    """

    action_map: NDArray[np.uint8]
    state_map: NDArray[np.int32]
    representative: NDArray[np.int32]
    class_index: NDArray[np.int32]

    def __repr__(self) -> str:
        """Return the numbers of symmetries and classes in one line."""
        return f"<Symmetry: {len(self.action_map)} symmetries, {self.num_classes:,} classes of states>"

    @property
    def num_classes(self) -> int:
        """Number of classes of states."""
        return int(self.class_index.max()) + 1


@kernel
def _transformed_keys(start: api.State, keys: NDArray[np.uint64], symmetry: int, out: NDArray[np.uint64]) -> None:
    """Fill `out` (S,) with the keys of the images of the states of `keys` under a symmetry."""
    for state in range(keys.size):
        out[state] = api.state_key(api.transform(api.state_of_key(start, keys[state]), symmetry))


def find_symmetry(table: StateTable) -> Symmetry:
    """Return the symmetries of a game and its classes of states, computed anew; `symmetry_of` caches its results.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> find_symmetry(table_of("tic-tac-toe"))
    <Symmetry: 8 symmetries, 765 classes of states>
    """
    start = table.game.initial_state
    action_map = api.action_map(start)
    state_map = np.empty((len(action_map), table.num_states), np.int32)
    keys = np.empty(table.num_states, np.uint64)
    for symmetry in range(len(action_map)):
        _transformed_keys(start, table.key, symmetry, keys)
        for ply, (first, end) in enumerate(pairwise(table.ply_start.tolist())):  # of which a symmetry is a permutation
            state_map[symmetry, first + np.argsort(keys[first:end])] = first + table.order_of_ply(ply)
    representative = state_map.min(axis=0)
    is_first = representative == np.arange(table.num_states)
    class_index = (np.cumsum(is_first, dtype=np.int32) - 1)[representative]
    return Symmetry(*map(frozen, (action_map, state_map, representative, class_index)))
