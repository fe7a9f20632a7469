"""The 8 symmetries of the board and the 765 classes of states that they leave."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.tables.state_table import StateTable, standard_table


class Symmetry(NamedTuple):
    """How the rotations and reflections of the square act on cells and states (read-only arrays).

    Attributes
    ----------
    action_map : (8, A) int8
        Cell to which each symmetry sends a cell; symmetry 0 is the identity.
    state_map : (8, S) int16
        State to which each symmetry sends a state.
    representative : (S,) int16
        The smallest state index in the class of each state.
    class_index : (S,) int16
        Number of the class, in the order of the representatives.
    """

    action_map: NDArray[np.int8]
    state_map: NDArray[np.int16]
    representative: NDArray[np.int16]
    class_index: NDArray[np.int16]

    @property
    def num_classes(self) -> int:
        """Number of classes of states."""
        return int(self.class_index.max()) + 1


def _square_symmetries() -> NDArray[np.int8]:
    square = np.arange(9).reshape(3, 3)
    turned = [np.rot90(grid, turns) for grid in (square, square.T) for turns in range(4)]
    return np.array([grid.ravel() for grid in turned], np.int8)


def find_symmetry(table: StateTable) -> Symmetry:
    """Return the symmetries of a table of 3 x 3 boards and its classes.

    Examples
    --------
    >>> from ttt_fast.tables import standard_table
    >>> find_symmetry(standard_table()).num_classes
    765
    """
    action_map = _square_symmetries()
    powers = 3 ** np.arange(table.num_actions)
    # marks of cell c move to cell action_map[g, c], which weighs 3**action_map[g, c]
    codes = table.boards.astype(np.int64) @ powers[action_map].T
    state_map = np.ascontiguousarray(table.index_of_code[codes].T)
    representative = state_map.min(axis=0)
    class_index = np.searchsorted(np.unique(representative), representative).astype(np.int16)
    symmetry = Symmetry(action_map, state_map, representative, class_index)
    for array in symmetry:
        array.flags.writeable = False
    return symmetry


@lru_cache(maxsize=1)
def standard_symmetry() -> Symmetry:
    """Return the symmetry of `standard_table`, computed once a process."""
    return find_symmetry(standard_table())
