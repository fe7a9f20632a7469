"""The best response: the policy with the highest value against a given policy, by backward induction over the table."""

from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.results import Seat, check_seat, result_of
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.views import CHANCES, CHOICE, Moves
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.tables.state_table import ROOT, Edges

Objective = Literal["value", "wins"]
OBJECTIVES: tuple[Objective, ...] = ("value", "wins")
Then = Literal["wins", "draws"]

_PAYOFFS = {"value": (1.0, 0.0, -1.0), "wins": (1.0, 0.0, 0.0), "draws": (0.0, 1.0, 0.0)}
"""The payoffs of a win, a draw and a loss for each goal."""

_BY_PLIES = 1_000_000
"""States from which a best value is computed with the values of two plies only; smaller tables take less time whole."""
_TIE = 1e-12
"""Tolerance within which two action values count as equal.

The comparison uses floats, because fractions take thousands of times as long.  Rounding changes a value by less than
4e-15 on tic-tac-toe: a mean over n replies adds at most (n + 1) 2**-53, and there are at most 9, 7, 5, 3 and 1 replies.
A true tie is therefore always recognised.  A true difference above 1e-12 is never taken for a tie (against
`default:skill=0.01` the smallest is 2.5e-5).  A smaller difference occurs only with contrived policies and costs at
most 1e-12 per move.  For a policy given by floats, the results hold for those floats.  Its rows sum to 1 only within
1e-12, and that error may decide between actions.
"""


class BestResponse(NamedTuple):
    """The value of a best response and its actions.

    Attributes
    ----------
    value : (S,) float64
        Expected payoff of the responding seat from every state: wins minus losses, or the probability of a win,
        depending on the objective.
    actions : (S,) int16
        Action of the responding seat in its states (the lowest of equally good ones), -1 elsewhere.

    Examples
    --------
    >>> best_response(Policy.uniform("tic-tac-toe"), "x")
    <BestResponse: 0.994792 from the start, 5,478 states>
    """

    value: NDArray[np.float64]
    actions: NDArray[np.int16]

    def __repr__(self) -> str:
        """Return the value of the whole game in one line."""
        return f"<BestResponse: {self.value[ROOT]:.6g} from the start, {self.value.size:,} states>"


@kernel(plain=True)
def _respond(
    edges: Edges,
    edge_action: NDArray[np.uint8],
    replies: Moves,
    seat: int,
    payoffs: NDArray[np.float64],
    before: NDArray[np.float64],
    value: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> None:
    """Fill `value` (S,) from the `payoffs` of a win, a draw and a loss, and `actions` (S,), -1 in other seats' states.

    An edge is eligible if it preserves the value `before`; the eligible edges with the highest `value` are best.
    `before` is the value (S,) of a first goal, and is empty if this is the first goal.
    """
    start, child, status, player = edges
    is_first = len(before) == 0
    for state in range(len(status) - 1, -1, -1):
        actions[state] = -1
        if player[state] == 0:
            value[state] = payoffs[result_of(status[state], seat)]
        elif player[state] == seat:
            best = -np.inf
            for edge in range(start[state], start[state + 1]):
                after = child[edge]
                if value[after] > best + _TIE and (is_first or abs(before[after] - before[state]) <= _TIE):
                    best = value[after]
                    actions[state] = edge_action[edge]
            value[state] = best
        elif replies.form == CHANCES:
            total = 0.0
            for edge in range(start[state], start[state + 1]):
                total += replies.probabilities[edge] * value[child[edge]]
            value[state] = total
        else:
            first, end = start[state], start[state + 1]
            if replies.form == CHOICE:
                while edge_action[first] != replies.actions[state]:
                    first += 1
                end = first + 1
            total, chance = 0.0, 1.0 / (end - first)
            for edge in range(first, end):
                total += chance * value[child[edge]]
            value[state] = total


@kernel
def _pull(
    edges: Edges,
    edge_action: NDArray[np.uint8],
    replies: Moves,
    seat: int,
    first_state: int,
    next_state: int,
    below: NDArray[np.float64],
    here: NDArray[np.float64],
) -> None:
    """Fill the values of a ply for the seat that responds, `here`, from those of the next ply, `below`, as `_respond`.

    `first_state` and `next_state` are the first states of the two plies.
    """
    start, child, status, player = edges
    for state in range(first_state, next_state):
        first, end = start[state], start[state + 1]
        is_best, value = player[state] == seat, 0.0
        if player[state] == 0:
            value = 1.0 - result_of(status[state], seat)
        elif is_best:
            value = -np.inf
        elif replies.form == CHOICE:
            while edge_action[first] != replies.actions[state]:
                first += 1
            end = first + 1
        chance = 1.0 / max(end - first, 1)
        for edge in range(first, end):
            of_child = below[child[edge] - next_state]
            if is_best:
                value = max(value, of_child)
            elif replies.form == CHANCES:
                value += replies.probabilities[edge] * of_child
            else:
                value += chance * of_child
        here[state - first_state] = value


def _best_value_by_plies(policy: Policy, seat: int) -> float:
    """Return the value of the best response from the start, with the values of two plies in memory."""
    policy = policy.for_seat(Seat(seat).other)
    table, replies, below = policy.table, policy.moves, np.zeros(0)
    for first, end in pairwise(table.ply_start[::-1].tolist()):
        here = np.empty(first - end)
        _pull(table.edges, table.edge_action, replies, seat, end, first, below, here)
        below = here
        check_interrupt()
    return float(below[ROOT])


def best_response(
    policy: Policy, seat: int | str, objective: Objective = "value", *, then: Then | None = None
) -> BestResponse:
    """Return the best response of one seat against a policy in the other seat."""
    seat = check_seat(seat)
    return _best_response(policy.for_seat(Seat(seat).other), seat, objective, then)


def _best_response(policy: Policy, seat: int, objective: Objective, then: Then | None) -> BestResponse:
    """Return the best response of a seat, even if the policy has not learned the opposite seat."""
    table = policy.table
    if not (isinstance(objective, str) and objective in OBJECTIVES):
        raise UsageError(f"expected 'value' or 'wins' as the objective, got {shown(objective)}")
    if not (then is None or (isinstance(then, str) and then in ("wins", "draws"))):
        raise UsageError(f"expected 'wins', 'draws' or None as the second objective, got {shown(then)}")
    second_goal = "draws" if objective == "wins" else then  # for equal wins, the fewest losses mean the most draws
    actions, values = np.empty(table.num_states, np.int16), [np.zeros(0)]
    for goal in (objective, second_goal):
        if goal is not None:
            values.append(np.empty(table.num_states))
            before, value = values[-2:]
            payoffs = np.array(_PAYOFFS[goal])
            _respond(table.edges, table.edge_action, policy.moves, seat, payoffs, before, value, actions)
    return BestResponse(values[1], actions)


def best_value(policy: Policy, seat: int, random_opening: bool = False) -> float:
    """Return the highest value of a seat against a policy; with a random opening, the mean over the first moves.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> round(best_value(as_policy("random"), seat=1) * 192, 9)
    191.0
    """
    key = check_seat(seat), random_opening
    known = policy.best_values  # for as long as the policy is in memory
    if key not in known:
        known[key] = _best_value(policy, *key)
    return known[key]


def _best_value(policy: Policy, seat: int, random_opening: bool) -> float:
    table = policy.table
    if table.num_states > _BY_PLIES and not random_opening:
        return _best_value_by_plies(policy, seat)
    value = best_response(policy, seat).value
    return float(value[table.edge_child[: table.edge_start[ROOT + 1]]].mean() if random_opening else value[ROOT])


def best_response_policy(
    policy: Policy, objective: Objective = "value", name: str | None = None, *, then: Then | None = None
) -> Policy:
    """Return the best response to a policy as a policy for both seats."""
    table = policy.table
    as_x, as_o = (_best_response(policy, int(seat), objective, then).actions for seat in Seat)
    known = [seat for seat in Seat if policy.holds_seat(seat.other)]
    suffix = "" if objective == "value" else f",objective={objective}"
    actions = np.where(table.player == api.X, as_x, as_o)
    name = name or f"best-response:{policy.name}{suffix}"
    return Policy.from_actions(table, actions, name, held=np.isin(table.player, known))
