"""Backward induction: the value of every state and the moves that keep it."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.tables.state_table import NO_STATE, StateTable, standard_table


class Solution(NamedTuple):
    """The value of every state under best play, in read-only arrays.

    Attributes
    ----------
    value : (S,) int8
        For X: +1 X wins, 0 draw, -1 O wins.
    distance : (S,) int8
        Plies to the end when the winner hurries and the loser delays; to the full board in a draw.
    optimal_action_mask : (S, A) bool
        Actions that keep the value (whatever the distance); none in a terminal state.
    """

    value: NDArray[np.int8]
    distance: NDArray[np.int8]
    optimal_action_mask: NDArray[np.bool_]

    def fastest_action_mask(self, table: StateTable) -> NDArray[np.bool_]:
        """Return the optimal actions that win soonest or lose latest, (S, A) bool.

        These are the best moves under the utility +-(10 - number of marks on the final board).
        """
        distance_after = np.where(table.legal_action_mask, self.distance[table.child], -1)
        mask: NDArray[np.bool_] = self.optimal_action_mask & (distance_after + 1 == self.distance[:, None])
        return mask


@kernel
def _solve(
    child: NDArray[np.int16],
    status: NDArray[np.int8],
    player: NDArray[np.int8],
    value: NDArray[np.int8],
    distance: NDArray[np.int8],
    optimal: NDArray[np.bool_],
) -> None:
    """Fill `value`, `distance` and `optimal` from the last state to the first."""
    actions = child.shape[1]
    for state in range(child.shape[0] - 1, -1, -1):
        if status[state] != rules.ONGOING:
            if status[state] == rules.X_WINS:
                value[state] = 1
            elif status[state] == rules.O_WINS:
                value[state] = -1
            continue
        sign = 1 if player[state] == rules.X else -1
        best, best_distance = -2, 0
        for action in range(actions):
            after = child[state, action]
            if after == NO_STATE:
                continue
            mine = sign * value[after]
            far = distance[after]
            sooner = far < best_distance if mine > 0 else far > best_distance
            if mine > best or (mine == best and sooner):
                best, best_distance = mine, far
        value[state] = sign * best
        distance[state] = best_distance + 1
        for action in range(actions):
            after = child[state, action]
            optimal[state, action] = after != NO_STATE and sign * value[after] == best


def solve(table: StateTable) -> Solution:
    """Solve a game by backward induction over its table.

    Examples
    --------
    >>> from ttt_fast.tables import standard_table
    >>> table = standard_table()
    >>> solution = solve(table)
    >>> int(solution.value[0]), int(solution.distance[0])
    (0, 9)
    >>> [int(action) for action in solution.optimal_action_mask[table.state_index("X........")].nonzero()[0]]
    [4]
    """
    value = np.zeros(table.num_states, np.int8)
    distance = np.zeros(table.num_states, np.int8)
    optimal = np.zeros(table.child.shape, np.bool_)
    _solve(table.child, table.status, table.player, value, distance, optimal)
    solution = Solution(value, distance, optimal)
    for array in solution:
        array.flags.writeable = False
    return solution


@lru_cache(maxsize=1)
def standard_solution() -> Solution:
    """Return the solution of `standard_table`, computed once a process."""
    return solve(standard_table())
