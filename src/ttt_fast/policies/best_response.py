"""The best response: the policy that exploits a given one best, by backward induction over the table."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast._jit import kernel
from ttt_fast.errors import UsageError
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.policy import Policy, check_policy
from ttt_fast.tables import StateTable, standard_table

Objective = Literal["score", "wins"]
OBJECTIVES: tuple[Objective, ...] = ("score", "wins")
Then = Literal["wins", "draws"]

_PAYOFFS = {"score": (1.0, 0.0, -1.0), "wins": (1.0, 0.0, 0.0), "draws": (0.0, 1.0, 0.0)}
"""What a win, a draw and a loss are worth to each goal."""

_TIE = 1e-12
"""Actions whose values differ by no more are equally good.

Floats decide: fractions take thousands of times as long.  Rounding moves a value by less than 4e-15, since a mean over
n replies adds at most (n + 1) 2**-53, and the replies of a game are at most 9, 7, 5, 3 and 1.  So a true tie is always
seen as one.  A true difference of more than 1e-12 is never taken for a tie (against `default:skill=0.01` the smallest
is 2.5e-5); a smaller one, which only a policy made for it has, costs at most 1e-12 at each of five moves.  Of a policy
that is known as floats these are the truth: where rows sum to 1 within 1e-9 only, that noise may decide.
"""


class BestResponse(NamedTuple):
    """What a best response achieves and how.

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


@kernel
def _break_ties(
    edge_start: NDArray[np.int32],
    edge_action: NDArray[np.int8],
    edge_child: NDArray[np.int16],
    status: NDArray[np.int8],
    player: NDArray[np.int8],
    probabilities: NDArray[np.float64],
    seat: int,
    payoffs: NDArray[np.float64],
    value: NDArray[np.float64],
    second: NDArray[np.float64],
    actions: NDArray[np.int8],
) -> None:
    """Of the actions with the value of `_respond`, choose in `actions` those with the most of a second value.

    Fills `second`, whose payoffs these are, and leaves `value` as it is.
    """
    for state in range(status.size - 1, -1, -1):
        if player[state] == 0:
            second[state] = payoffs[status[state]]
        elif player[state] == seat:
            best = -np.inf
            for edge in range(edge_start[state], edge_start[state + 1]):
                child = edge_child[edge]
                if abs(value[child] - value[state]) <= _TIE and second[child] > best + _TIE:
                    best = second[child]
                    actions[state] = edge_action[edge]
            second[state] = best
        else:
            total = 0.0
            for edge in range(edge_start[state], edge_start[state + 1]):
                total += probabilities[state, edge_action[edge]] * second[edge_child[edge]]
            second[state] = total


def best_response(
    policy: Policy,
    seat: int,
    objective: Objective = "score",
    table: StateTable | None = None,
    *,
    then: Then | None = None,
) -> BestResponse:
    """Return the best response of one seat against a policy in the other.

    Parameters
    ----------
    policy
        The policy to exploit.
    seat
        The responding seat, 1 (X) or 2 (O).
    objective
        `score` maximises wins minus losses; `wins` the probability of a win, and of equally many wins takes those
        with the fewest losses.
    table
        The game, ordinary tic-tac-toe unless told.
    then
        With `score`: whether the most `wins` or the most `draws` decide between equal scores; the lowest action
        does unless told.

    Examples
    --------
    >>> from ttt_fast.policies.agents import parse_agent
    >>> round(float(best_response(parse_agent("random"), seat=1).value[0]) * 192, 9)
    191.0
    """
    table, seat = table or standard_table(), rules.check_seat(seat)
    policy = check_policy(policy, table)
    if objective not in OBJECTIVES:
        raise UsageError(f"expected an objective of 'score' or 'wins', got {objective!r}")
    if then not in ("wins", "draws", None):
        raise UsageError(f"expected a second goal of 'wins', 'draws' or None, got {then!r}")
    value, actions = np.empty(table.num_states), np.empty(table.num_states, np.int8)
    edges = table.edge_start, table.edge_action, table.edge_child, table.status, table.player
    _respond(*edges, policy.probabilities, seat, _payoffs(objective, seat), value, actions)
    second_goal = "draws" if objective == "wins" else then  # with equally many wins, fewest losses are most draws
    if second_goal is not None:
        payoffs, second = _payoffs(second_goal, seat), np.empty(table.num_states)
        _break_ties(*edges, policy.probabilities, seat, payoffs, value, second, actions)
    return BestResponse(value, actions)


def _payoffs(goal: str, seat: int) -> NDArray[np.float64]:
    """Return what the results are worth to a seat, indexed by the status code, (4,) float64."""
    win, loss = (rules.X_WINS, rules.O_WINS) if seat == rules.X else (rules.O_WINS, rules.X_WINS)
    payoffs = np.zeros(4)
    payoffs[[win, rules.DRAW, loss]] = _PAYOFFS[goal]
    return payoffs


def best_response_policy(
    policy: Policy,
    objective: Objective = "score",
    name: str | None = None,
    table: StateTable | None = None,
    *,
    then: Then | None = None,
) -> Policy:
    """Return the policy that exploits another one best, in both seats; the words are those of `best_response`."""
    table = table or standard_table()
    as_x = best_response(policy, rules.X, objective, table, then=then).actions
    as_o = best_response(policy, rules.O, objective, table, then=then).actions
    suffix = "" if objective == "score" else f",objective={objective}"
    return Policy.from_actions(
        np.where(table.player == rules.X, as_x, as_o),
        name or f"best-response:{policy.name}{suffix}",
        table=table,
    )
