"""The exact result of a match between two policies, by forward propagation over the table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel_without_overlap
from ttt_fast.games import api
from ttt_fast.games.results import check_seat
from ttt_fast.policies.joint import check_pair
from ttt_fast.policies.moves import CHANCES, CHOICE, Moves
from ttt_fast.policies.policy import Policy
from ttt_fast.tables.state_table import ROOT, Edges


class Outcome(NamedTuple):
    """The exact distribution of the results of a match.

    Attributes
    ----------
    x_wins, draws, o_wins
        Probabilities, which sum to 1.
    lengths : (3, P + 1) float64
        Probability of each result (rows: X wins, draw, O wins) at each length in plies.
    reach : (S,) float64
        Probability that the game passes through (or ends in) each state.

    Examples
    --------
    >>> from ttt_fast.policies.policy import Policy
    >>> random = Policy.uniform("tic-tac-toe")
    >>> exact_outcome(random, random)
    Outcome(x_wins=0.584921, draws=0.126984, o_wins=0.288095)
    """

    x_wins: float
    draws: float
    o_wins: float
    lengths: NDArray[np.float64]
    reach: NDArray[np.float64]

    def __repr__(self) -> str:
        """Return the three probabilities in a line."""
        return f"Outcome(x_wins={self.x_wins:.6g}, draws={self.draws:.6g}, o_wins={self.o_wins:.6g})"

    @property
    def value(self) -> float:
        """The value for X: wins minus losses."""
        return self.x_wins - self.o_wins

    def value_of(self, seat: int | str) -> float:
        """Return the value for a seat (1 X, 2 O)."""
        return self.value if check_seat(seat) == api.X else self.o_wins - self.x_wins


@kernel_without_overlap(plain=True)
def _propagate(
    edges: Edges,
    edge_action: NDArray[np.uint8],
    x: Moves,
    o: Moves,
    start: int,
    uniform_start: bool,
    ply_start: NDArray[np.int32],
    reach: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> None:
    """Push probability from `start` down the table.

    `reach` (S,) is zero on entry, and so is `ends` (4 * (P + 1),): the probability of each status at each length.
    """
    edge_start, edge_child, status, player = edges
    ply, plies = 0, len(ply_start) - 1
    reach[start] = 1.0
    for state in range(start, len(status)):
        mass = reach[state]
        if mass == 0.0:
            continue
        if player[state] == 0:
            while state >= ply_start[ply + 1]:
                ply += 1
            ends[status[state] * plies + ply] += mass
            continue
        first, after = edge_start[state], edge_start[state + 1]
        is_x, is_drawn = player[state] == api.X, state == start and uniform_start
        if is_x and x.form == CHANCES and not is_drawn:  # one loop for both seats takes a sixth more
            for edge in range(first, after):
                reach[edge_child[edge]] += mass * x.chances[edge]
        elif not is_x and o.form == CHANCES and not is_drawn:
            for edge in range(first, after):
                reach[edge_child[edge]] += mass * o.chances[edge]
        else:
            if (x.form if is_x else o.form) == CHOICE and not is_drawn:
                action = x.actions[state] if is_x else o.actions[state]
                while edge_action[first] != action:
                    first += 1
                after = first + 1
            share = mass * (1.0 / (after - first))
            for edge in range(first, after):
                reach[edge_child[edge]] += share


def exact_outcome(x: Policy, o: Policy, *, start: int = ROOT, random_opening: bool = False) -> Outcome:
    """Return the exact result of a match between two policies of one game."""
    x, o = check_pair(x, o)
    table = x.table
    start = table.check_state(start)
    reach, ends = np.zeros(table.num_states), np.zeros(4 * (table.num_plies + 1))
    moves = x.moves, o.moves, start, bool(random_opening)
    _propagate(table.edges, table.edge_action, *moves, table.ply_start, reach, ends)
    lengths = ends.reshape(4, -1)[[api.X_WINS, api.DRAW, api.O_WINS]]
    x_wins, draws, o_wins = lengths.sum(axis=1).tolist()
    return Outcome(x_wins, draws, o_wins, lengths, reach)
