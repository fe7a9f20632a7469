"""Backward induction: the value of every state and its optimal moves."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.tables.state_table import Edges, StateTable


class Solution(NamedTuple):
    """The value of every state under best play, in read-only arrays.

    Attributes
    ----------
    value : (S,) int8
        For X: +1 X wins, 0 draw, -1 O wins.
    distance : (S,) int16
        Plies to the end if the winner hurries and the loser delays; for a draw, plies to the end of the longest drawn
        game.
    optimal : (E,) bool
        Edges that preserve the value (regardless of distance).
    fastest : (E,) bool
        Optimal edges with the soonest win or the latest loss.

    Examples
    --------
    >>> from ttt_fast import solution_of
    >>> solution_of("tic-tac-toe")
    <Solution: a draw in 9 plies, 5,478 states>
    """

    value: NDArray[np.int8]
    distance: NDArray[np.int16]
    optimal: NDArray[np.bool_]
    fastest: NDArray[np.bool_]

    def __repr__(self) -> str:
        """Return the value of the whole game in one line."""
        return f"<Solution: {self._summary()}, {self.value.size:,} states>"

    def _summary(self) -> str:
        result, plies = ("a draw", "X wins", "O wins")[int(self.value[0])], int(self.distance[0])
        return f"{result} in {plies} {'ply' if plies == 1 else 'plies'}"

    def _repr_svg_(self) -> str | None:
        """Return the first board with the value of each move for the player to move, for notebooks."""
        table = next((table for table, one in list(SOLUTIONS.items()) if one is self), None)
        if table is None:
            return None
        sign, notes = (1 if table.player[0] == api.X else -1), {}
        for edge in range(int(table.edge_start[1])):
            word = ("draw", "win", "loss")[sign * int(self.value[table.edge_child[edge]])]
            notes[int(table.edge_action[edge])] = (word, float(self.optimal[edge]), False)
        return api.svg(table.state(0), self._summary(), notes)


SOLUTIONS: WeakKeyDictionary[StateTable, Solution] = WeakKeyDictionary()
"""The solutions that `tables.solution_of` returns, by table."""


@kernel(plain=True)
def _solve(edges: Edges, solution: Solution) -> None:
    """Fill the solution from the last state to the first."""
    edge_start, edge_child, status, player = edges
    value, distance, optimal, fastest = solution
    for state in range(len(status) - 1, -1, -1):
        if player[state] == 0:
            value[state] = 1 if status[state] == api.X_WINS else (-1 if status[state] == api.O_WINS else 0)
            distance[state] = 0
            continue
        sign = 1 if player[state] == api.X else -1
        best, best_distance = -2, 0
        for edge in range(edge_start[state], edge_start[state + 1]):
            mine = sign * value[edge_child[edge]]
            far = distance[edge_child[edge]]
            sooner = far < best_distance if mine > 0 else far > best_distance
            if mine > best or (mine == best and sooner):
                best, best_distance = mine, far
        value[state] = sign * best
        distance[state] = best_distance + 1
        for edge in range(edge_start[state], edge_start[state + 1]):
            keeps = sign * value[edge_child[edge]] == best
            optimal[edge] = keeps
            fastest[edge] = keeps and distance[edge_child[edge]] == best_distance


def solve(table: StateTable) -> Solution:
    """Return the solution of a table by backward induction, computed anew; `solution_of` caches its results.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> solution = solve(table)
    >>> int(solution.value[0]), int(solution.distance[0])
    (0, 9)
    >>> [int(action) for action in table.dense(solution.optimal)[table.state_index("X........")].nonzero()[0]]
    [4]
    """
    solution = Solution(
        np.empty(table.num_states, np.int8),
        np.empty(table.num_states, np.int16),
        np.empty(table.num_edges, np.bool_),
        np.empty(table.num_edges, np.bool_),
    )
    _solve(table.edges, solution)
    for array in solution:
        frozen(array)
    return solution
