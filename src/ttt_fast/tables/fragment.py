"""Some states of a game: fragments, in which an agent's policy is evaluated state by state, and states by index."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.tables.state_table import FixedSeat, StateTable

_NOBODY = FixedSeat(0, "", "")


@kernel
def _fill_fragment(
    like: api.State,
    keys: NDArray[np.uint64],
    edge_start: NDArray[np.int32],
    edge_action: NDArray[np.uint8],
    player: NDArray[np.int8],
) -> None:
    """Fill the players (N,), the offsets (N + 1,) and the actions (at most N * A) of ongoing states."""
    edge = edge_start[0]
    for place in range(keys.size):
        state = api.state_of_key(like, keys[place])
        player[place] = api.player(state)
        edge += api.fill_legal_actions(state, edge_action[edge:])
        edge_start[place + 1] = edge


def fragment_of(game: Game, keys: NDArray[np.uint64]) -> StateTable:
    """Return some ongoing states as a table without their children, (N,) keys in any order.

    All columns are those of `StateTable`, except that `edge_child` is 0 and all states count as one ply.  A policy that
    depends on each state alone can therefore be made over a fragment, by the same functions as over a whole table.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> from ttt_fast.policies.policy import Policy
    >>> game = parse_game("connect4")
    >>> start = np.array([int(api.state_key(game.initial_state))], np.uint64)
    >>> Policy.uniform(fragment_of(game, start)).probabilities.round(3).tolist()
    [[0.143, 0.143, 0.143, 0.143, 0.143, 0.143, 0.143]]
    """
    states = keys.size
    start, player = np.zeros(states + 1, np.int32), np.empty(states, np.int8)
    action = np.empty(states * game.num_actions, np.uint8)
    key = frozen(np.array(keys, np.uint64))
    _fill_fragment(game.initial_state, key, start, action, player)
    edges = int(start[-1])
    return StateTable(
        game,
        edge_start=start,
        edge_action=action[:edges].copy(),
        edge_child=np.zeros(edges, np.int32),
        status=np.zeros(states, np.int8),
        player=player,
        ply_start=np.array([0, states], np.int32),
        key=key,
        key_order=np.argsort(key).astype(np.int32),
        fixed=_NOBODY,
    )


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
