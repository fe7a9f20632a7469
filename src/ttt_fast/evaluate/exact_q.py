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
    of_x: NDArray[np.float64],
    of_o: NDArray[np.float64],
) -> None:
    """Fill `q` (E,) with own-view values from the last state to the first.

    `of_x` and `of_o` (S,) are the values of the states for X and O when an action leads there: a reward at the end, the
    discounted value of the best action where it is one's own turn, else the mean over the replies.
    """
    start, child, status, player = edges
    for state in range(len(status) - 1, -1, -1):
        mover = player[state]
        if mover == 0:
            of_x[state] = rewards[result_of(status[state], api.X)]
            of_o[state] = rewards[result_of(status[state], api.O)]
            continue
        best = start[state]
        for edge in range(start[state], start[state + 1]):
            q[edge] = of_x[child[edge]] if mover == api.X else of_o[child[edge]]
            if q[edge] > q[best]:
                best = edge
        total = 0.0
        for answer in range(start[state], start[state + 1]):
            # A learning opponent takes its best reply; a fixed one draws.
            chance = 1.0 if answer == best else 0.0
            if not learns[mover]:
                chance = opponent[answer]
            total += chance * (of_o[child[answer]] if mover == api.X else of_x[child[answer]])
        of_x[state] = discount * q[best] if mover == api.X else total
        of_o[state] = total if mover == api.X else discount * q[best]


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
        Gamma, from one decision of a player to the next.
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
    of_x, of_o = np.zeros((2, table.num_states))
    fixed = opponent.edge_probabilities if opponent is not None else np.zeros(table.num_edges)
    _iterate(table.edges, learns, frozen(fixed), np.array(rewards, np.float64), float(discount), q, of_x, of_o)
    return q
