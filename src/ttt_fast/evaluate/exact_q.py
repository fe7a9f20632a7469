"""The exact action values of a training problem: the limit to which a learner should converge."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.results import result_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import Edges


@kernel(plain=True)
def _iterate(
    edges: Edges,
    learns: NDArray[np.bool_],
    opponent: NDArray[np.float64],
    rewards: NDArray[np.float64],
    discount: float,
    q: NDArray[np.float64],
    best: NDArray[np.int32],
) -> None:
    """Fill `q` (E,) with own-view values from the last state to the first; `best` (S,) is the greedy edge."""
    start, child, status, player = edges
    for state in range(len(status) - 1, -1, -1):
        mover = player[state]
        if mover == 0:
            continue
        best[state] = start[state]
        for edge in range(start[state], start[state + 1]):
            mid = child[edge]
            if player[mid] == 0:
                q[edge] = rewards[result_of(status[mid], mover)]
            else:
                total = 0.0
                for answer in range(start[mid], start[mid + 1]):
                    # A learning opponent takes its best reply; a fixed one draws.
                    chance = 1.0 if answer == best[mid] else 0.0
                    if not learns[3 - mover]:
                        chance = opponent[answer]
                    after = child[answer]
                    if player[after] == 0:
                        total += chance * rewards[result_of(status[after], mover)]
                    else:
                        total += chance * discount * q[best[after]]
                q[edge] = total
            if q[edge] > q[best[state]]:
                best[state] = edge


def exact_q(
    table: StateTable,
    opponent: Policy | None,
    rewards: NDArray[np.float64],
    discount: float,
    seats: tuple[int, ...],
) -> NDArray[np.float64]:
    """Return the optimal action values of a training problem, by value iteration over the table.

    Parameters
    ----------
    table
        The game.
    opponent
        The fixed policy of the opponent; None for self-play, where the other seat is optimal too.
    rewards : (3,) float64
        Of a win, a draw, a loss.
    discount
        Gamma, for each pair of plies.
    seats
        The seats that learn.

    Returns
    -------
    (E,) float64
        Own-view value of every edge of the state table (also those of seats that do not learn).

    Examples
    --------
    >>> from ttt_fast.agents.registry import parse_agent
    >>> random = parse_agent("random")
    >>> q = exact_q(random.table, random, np.array([1.0, 0.0, -1.0]), 1.0, seats=(1,))
    >>> round(float(q[:9].max()) * 192, 9)
    191.0
    """
    # Where a policy is fixed it is the other seat's, whoever learns.
    learns = np.array([opponent is None and seat in seats for seat in (0, api.X, api.O)])
    q = np.zeros(table.num_edges)
    best = np.zeros(table.num_states, np.int32)
    fixed = opponent.edge_probabilities if opponent is not None else np.zeros(table.num_edges)
    _iterate(table.edges, learns, frozen(fixed), np.array(rewards, np.float64), float(discount), q, best)
    return q
