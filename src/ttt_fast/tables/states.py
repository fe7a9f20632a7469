"""The states of a table as objects, for functions of states in Python."""

from functools import lru_cache

from ttt_fast.games.api import GameState
from ttt_fast.tables.state_table import StateTable


class StatesOf(dict[int, GameState]):
    """The states of a table by their index, each made when it is first asked for.

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
        """Make a state."""
        self[index] = self.table.state(index)
        return self[index]


@lru_cache(maxsize=16)
def states_of(table: StateTable) -> StatesOf:
    """Return the states of a table, which all who ask share."""
    return StatesOf(table)
