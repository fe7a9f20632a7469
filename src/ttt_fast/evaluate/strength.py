"""The strength of a policy: exploitability, proofs of never losing, agreement with minimax, regret."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.games import api
from ttt_fast.games.results import Seat, check_seat
from ttt_fast.policies.best_response import best_value
from ttt_fast.policies.joint import check_pair
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import reachable_mask, solution_of

ROUNDING = 1e-12
"""Differences of exact values below this are floating-point noise: true differences are far larger."""


def without_rounding(gains: ArrayLike) -> NDArray[np.float64]:
    """Return differences of exact values that cannot be negative: regrets, or gains of a best response.

    nan stays nan.

    Examples
    --------
    >>> without_rounding([0.25, 1e-16, -1e-16]).tolist()
    [0.25, 0.0, 0.0]
    """
    found = np.asarray(gains, np.float64)
    return np.where(found <= ROUNDING, 0.0, found)


class Agreement(NamedTuple):
    """The number of states in which the most probable action of a policy is a minimax action.

    Examples
    --------
    >>> Agreement(agreeing=3, states=4).share
    0.75
    """

    agreeing: int
    states: int

    @property
    def share(self) -> float:
        """Share of the states; nan if the policy's domain is empty."""
        return self.agreeing / self.states if self.states else float("nan")


def nash_conv(policy: Policy) -> float:
    """Return the sum of the gains of both seats from deviating from a policy."""
    return nash_conv_of(policy, policy)


def nash_conv_of(x: Policy, o: Policy) -> float:
    """Return `nash_conv` of a pair of policies that play X and O."""
    x, o = check_pair(x, o)
    # The values of the policies against each other cancel: the game is zero-sum.
    gain = sum(best_value(one, seat) for one, seat in ((o, api.X), (x, api.O)))
    return gain if gain > ROUNDING else 0.0


def exploitability(policy: Policy) -> float:
    """Return `nash_conv` divided by the number of players."""
    return nash_conv(policy) / 2


def states_in_play(policy: Policy, seat: int | str) -> NDArray[np.bool_]:
    """Return the states that can occur if the policy plays one seat against any opponent, (S,) bool."""
    seat = check_seat(seat)
    table = policy.for_seat(seat).table
    return reachable_mask(table, policy.support | table.to_edges(table.player != seat))


def reached_decisions(policy: Policy, seat: int) -> NDArray[np.bool_]:
    """Return the states of a seat that the policy's own play can reach, learned or not, (S,) bool."""
    reached: NDArray[np.bool_] = states_in_play(policy, seat) & (policy.table.player == seat)
    return reached


def never_loses(policy: Policy, seat: int | str) -> bool:
    """Return whether no opponent can ever beat the policy in a seat."""
    return not bool((states_in_play(policy, seat) & (policy.table.status == lost_by(check_seat(seat)))).any())


def lost_by(seat: int) -> int:
    """Return the status of a game that a seat has lost."""
    return api.O_WINS if seat == api.X else api.X_WINS


def agreement(policy: Policy, seat: int | str | None = None, *, reached: bool = False) -> Agreement:
    """Return the number of states in which the policy's most probable action keeps the minimax value."""
    seat = None if seat is None else check_seat(seat)
    seats = [one for one in Seat if seat in (None, one) and one.text in policy.seats_held()]
    if reached:
        masks = [np.zeros_like(policy.held), *(reached_decisions(policy, one) for one in seats)]
        return agreement_in(policy, np.logical_or.reduce(masks))
    return agreement_in(policy, policy.held & np.isin(policy.table.player, seats))


def agreement_in(policy: Policy, counted: NDArray[np.bool_]) -> Agreement:
    """Return the agreement in the states of a mask, (S,) bool."""
    states = np.flatnonzero(counted)
    return Agreement(int(solution_of(policy.table).optimal[policy.greedy_edges()[states]].sum()), int(states.size))


def regret(policy: Policy) -> NDArray[np.float64]:
    """Return the minimax value of each state minus the mean after the policy's move, (S,) float64."""
    table = policy.table
    value = solution_of(table).value
    weighed = np.empty(table.num_edges)
    for states, edges in table.blocks():
        weighed[edges] = policy.block_probabilities(states, edges) * value[table.edge_child[edges]]
    kept = table.row_sums(weighed)
    sign = np.where(table.player == api.X, 1, -1)
    return without_rounding(np.where(table.decision_mask, sign * (value - kept), 0.0))
