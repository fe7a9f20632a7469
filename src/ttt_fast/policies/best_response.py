"""The best response: the policy that gains most against a given one, by backward induction over the table."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, standard_table

Objective = Literal["score", "wins"]
OBJECTIVES: tuple[Objective, ...] = ("score", "wins")

# Equal up to rounding: differences between true values are multiples of 1/(product of row sums), far larger.
_TIE = 1e-12


class BestResponse(NamedTuple):
    """The value of a best response and its actions.

    Attributes
    ----------
    value : (S,) float64
        Expected payoff of the responding seat from every state: wins minus losses, or the probability of a
        win, by the objective.
    actions : (S,) int8
        Its action where it is to move (the lowest of equally good ones), -1 elsewhere.
    """

    value: NDArray[np.float64]
    actions: NDArray[np.int8]


@kernel
def _respond(
    edge_start: NDArray[np.int32],
    edge_action: NDArray[np.int8],
    edge_child: NDArray[np.int16],
    status: NDArray[np.int8],
    player: NDArray[np.int8],
    probabilities: NDArray[np.float64],
    seat: int,
    payoffs: NDArray[np.float64],
    value: NDArray[np.float64],
    actions: NDArray[np.int8],
) -> None:
    """Fill `value` and `actions`; `payoffs` is indexed by the status code."""
    for state in range(status.size - 1, -1, -1):
        actions[state] = -1
        if player[state] == 0:
            value[state] = payoffs[status[state]]
        elif player[state] == seat:
            best = -np.inf
            for edge in range(edge_start[state], edge_start[state + 1]):
                if value[edge_child[edge]] > best + _TIE:
                    best = value[edge_child[edge]]
                    actions[state] = edge_action[edge]
            value[state] = best
        else:
            total = 0.0
            for edge in range(edge_start[state], edge_start[state + 1]):
                total += probabilities[state, edge_action[edge]] * value[edge_child[edge]]
            value[state] = total


def best_response(
    policy: Policy, seat: int, objective: Objective = "score", table: StateTable | None = None
) -> BestResponse:
    """Return the best response of one seat against a policy in the other.

    Parameters
    ----------
    policy
        The policy to exploit.
    seat
        The responding seat, 1 (X) or 2 (O).
    objective
        `score` maximises wins minus losses, `wins` the probability of a win.
    table
        The game (default: ordinary tic-tac-toe).

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> round(float(best_response(parse_agent("random"), seat=1).value[0]) * 192, 9)
    191.0
    """
    table, seat = table or standard_table(), rules.check_seat(seat)
    policy.check_fits(table)
    if objective not in OBJECTIVES:
        raise UsageError(f"expected an objective of 'score' or 'wins', got {objective!r}")
    payoffs = np.zeros(4)
    win, loss = (rules.X_WINS, rules.O_WINS) if seat == rules.X else (rules.O_WINS, rules.X_WINS)
    payoffs[win] = 1.0
    if objective == "score":
        payoffs[loss] = -1.0
    value = np.empty(table.num_states)
    actions = np.empty(table.num_states, np.int8)
    _respond(
        table.edge_start,
        table.edge_action,
        table.edge_child,
        table.status,
        table.player,
        policy.probabilities,
        seat,
        payoffs,
        value,
        actions,
    )
    return BestResponse(value, actions)


def best_response_policy(
    policy: Policy, objective: Objective = "score", name: str | None = None, table: StateTable | None = None
) -> Policy:
    """Return the policy that exploits another one best, in both seats."""
    table = table or standard_table()
    as_x = best_response(policy, rules.X, objective, table).actions
    as_o = best_response(policy, rules.O, objective, table).actions
    suffix = "" if objective == "score" else f",objective={objective}"
    return Policy.from_actions(
        np.where(table.player == rules.X, as_x, as_o),
        name or f"best-response:{policy.name}{suffix}",
        table=table,
    )
