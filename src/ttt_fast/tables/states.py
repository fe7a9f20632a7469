"""The states of a table as objects, for Python functions of states."""

from functools import lru_cache

from ttt_fast.games.api import GameState
from ttt_fast.tables.state_table import StateTable


class StatesOf(dict[int, GameState]):
    """The states of a table by their index, each created on first access.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> StatesOf(table_of("tic-tac-toe"))[1]
    TicTacToeState(own=0, other=1, misere=0)
    """

    def __init__(self, table: StateTable) -> None:
        super().__init__()
        self.table = table

    def __missing__(self, index: int) -> GameState:
        """Create the state of an index."""
        self[index] = self.table.state(index)
        return self[index]


@lru_cache(maxsize=16)
def states_of(table: StateTable) -> StatesOf:
    """Return the states of a table; all callers share the same object."""
    return StatesOf(table)
