"""The exact action values of a training problem: the limit of a learner, and single passes of value iteration."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.results import result_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import Edges


class QProblem(NamedTuple):
    """A training problem.

    Attributes
    ----------
    edges
        The edges of the game's state table.
    learns : (3,) bool
        Whether a seat (index 1: X, 2: O; 0 is unused) learns.  The other seat then expects it to play its best action.
    opponent : (E,) float64
        The probability of each edge under the policy of an opponent that does not learn.
    rewards : (3,) float64
        Rewards of a win, a draw and a loss.
    discount
        The discount factor gamma, applied once for every two plies.
    """

    edges: Edges
    learns: NDArray[np.bool_]
    opponent: NDArray[np.float64]
    rewards: NDArray[np.float64]
    discount: float


@kernel(plain=True)
def back_up(
    problem: QProblem,
    q: NDArray[np.float64],
    best: NDArray[np.int32],
    of_x: NDArray[np.float64],
    of_o: NDArray[np.float64],
    is_synchronous: bool,
    improves: bool,
) -> None:
    """Back up every value once, in place, from the last state to the first.

    Parameters
    ----------
    problem
        The problem.
    q : (E,) float64
        Action values, each for the player to move.
    best : (S,) int32
        The edge chosen in each state.
    of_x, of_o : (S,) float64
        Output: the values of the states for X and O after an action.  The value of a terminal state is the reward.
        On the player's own turn it is the discounted value of the best action, and otherwise the mean over the replies.
    is_synchronous
        Whether new values follow from the values before the pass, instead of new ones.
    improves
        Whether to set `best` to the first edge with the highest new value.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> problem = problem_of(table, None, np.array([1.0, 0.0, -1.0]), 1.0, seats=(1, 2))
    >>> q, best = np.zeros(table.num_edges), table.edge_start[:-1].copy()
    >>> for _ in range(table.num_plies):
    ...     back_up(problem, q, best, *np.zeros((2, table.num_states)), True, True)
    >>> np.array_equal(q, exact_q(table, None, problem.rewards, 1.0, seats=(1, 2)))
    True
    """
    start, child, status, player = problem.edges
    rewards, discount, opponent = problem.rewards, problem.discount, problem.opponent
    for state in range(len(status) - 1, -1, -1):
        mover = player[state]
        if mover == 0:
            of_x[state] = rewards[result_of(status[state], api.X)]
            of_o[state] = rewards[result_of(status[state], api.O)]
            continue
        taken = best[state]
        own = q[taken]
        chosen = start[state]
        for edge in range(start[state], start[state + 1]):
            q[edge] = of_x[child[edge]] if mover == api.X else of_o[child[edge]]
            if q[edge] > q[chosen]:
                chosen = edge
        if improves:
            best[state] = chosen
        if not is_synchronous:
            taken = best[state]
            own = q[taken]
        total = 0.0
        for answer in range(start[state], start[state + 1]):
            # A learning opponent takes its best reply; a fixed one draws.
            chance = 1.0 if answer == taken else 0.0
            if not problem.learns[mover]:
                chance = opponent[answer]
            total += chance * (of_o[child[answer]] if mover == api.X else of_x[child[answer]])
        of_x[state] = discount * own if mover == api.X else total
        of_o[state] = total if mover == api.X else discount * own


def problem_of(
    table: StateTable,
    opponent: Policy | None,
    rewards: NDArray[np.float64],
    discount: float,
    seats: tuple[int, ...],
) -> QProblem:
    """Return the training problem of a learner; parameters as for `exact_q`."""
    # A fixed policy always plays the seat that does not learn.
    learns = np.array([opponent is None and seat in seats for seat in (0, api.X, api.O)])
    fixed = opponent.edge_probabilities if opponent is not None else np.zeros(table.num_edges)
    numbers = frozen(np.array(rewards, np.float64))
    return QProblem(table.edges, frozen(learns), frozen(fixed), numbers, float(discount))


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
        The fixed policy of the opponent; None for self-play, in which both seats are optimal.
    rewards : (3,) float64
        Rewards of a win, a draw, a loss.
    discount
        Gamma, between two successive decisions of a player.
    seats
        The seats that learn.

    Returns
    -------
    (E,) float64
        Value of every edge of the state table for its player, including the seats that do not learn.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> random = as_policy("random")
    >>> q = exact_q(random.table, random, np.array([1.0, 0.0, -1.0]), 1.0, seats=(1,))
    >>> round(float(q[:9].max()) * 192, 9)
    191.0
    """
    q, best = np.zeros(table.num_edges), table.edge_start[:-1].copy()
    of_x, of_o = np.zeros((2, table.num_states))
    back_up(problem_of(table, opponent, rewards, discount, seats), q, best, of_x, of_o, False, True)
    return q
