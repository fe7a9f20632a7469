"""The exact action values of a training problem: the limit to which a learner should converge."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, standard_table


@kernel
def _iterate(
    edge_start: NDArray[np.int32],
    edge_action: NDArray[np.int8],
    edge_child: NDArray[np.int16],
    status: NDArray[np.int8],
    player: NDArray[np.int8],
    learns: NDArray[np.bool_],
    opponent: NDArray[np.float64],
    rewards: NDArray[np.float64],
    discount: float,
    q: NDArray[np.float64],
    best: NDArray[np.int32],
) -> None:
    """Fill `q` (E,) with own-view values from the last state to the first; `best` (S,) is the greedy edge."""
    for state in range(status.size - 1, -1, -1):
        mover = player[state]
        if mover == 0:
            continue
        best[state] = edge_start[state]
        for edge in range(edge_start[state], edge_start[state + 1]):
            mid = edge_child[edge]
            if player[mid] == 0:
                q[edge] = rewards[_result(status[mid], mover)]
            else:
                total = 0.0
                for answer in range(edge_start[mid], edge_start[mid + 1]):
                    # A learning opponent takes its best reply; a fixed one draws.
                    chance = 1.0 if answer == best[mid] else 0.0
                    if not learns[3 - mover]:
                        chance = opponent[mid, edge_action[answer]]
                    after = edge_child[answer]
                    if player[after] == 0:
                        total += chance * rewards[_result(status[after], mover)]
                    else:
                        total += chance * discount * q[best[after]]
                q[edge] = total
            if q[edge] > q[best[state]]:
                best[state] = edge


@kernel
def _result(status: int, player: int) -> int:
    """Return 0 for a win of the player, 1 for a draw, 2 for a loss."""
    if status == rules.DRAW:
        return 1
    return 0 if status == player else 2


def exact_q(
    opponent: Policy | None,
    rewards: NDArray[np.float64],
    discount: float,
    seats: tuple[int, ...],
    table: StateTable | None = None,
) -> NDArray[np.float64]:
    """Return the optimal action values of a training problem, by value iteration over the table.

    Parameters
    ----------
    opponent
        The fixed policy of the opponent; None for self-play, where the other seat is optimal too.
    rewards : (3,) float64
        Of a win, a draw, a loss.
    discount
        Gamma, for each pair of plies.
    seats
        The seats that learn.
    table
        The game (default: ordinary tic-tac-toe).

    Returns
    -------
    (E,) float64
        Own-view value of every edge of the state table (also those of seats that do not learn).

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> q = exact_q(parse_agent("random"), np.array([1.0, 0.0, -1.0]), 1.0, seats=(1,))
    >>> round(float(q[:9].max()) * 192, 9)
    191.0
    """
    table = table or standard_table()
    learns = np.array([False, rules.X in seats, rules.O in seats])
    if opponent is not None:
        learns[:] = False  # whoever learns, the other seat is the fixed policy
    q = np.zeros(table.edge_child.size)
    best = np.zeros(table.num_states, np.int32)
    fixed = opponent.probabilities if opponent is not None else _nobody(table)
    _iterate(
        table.edge_start, table.edge_action, table.edge_child, table.status, table.player,
        learns, fixed, np.ascontiguousarray(rewards, np.float64), float(discount), q, best,
    )  # fmt: skip
    return q


def _nobody(table: StateTable) -> NDArray[np.float64]:
    empty = np.zeros(table.child.shape)
    empty.flags.writeable = False
    return empty
