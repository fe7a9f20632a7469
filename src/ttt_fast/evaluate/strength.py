"""The strength of a policy: exploitability, the proof that it never loses, agreement with minimax, value lost."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games import api
from ttt_fast.games.registry import Game
from ttt_fast.games.results import Seat, check_seat
from ttt_fast.policies.best_response import best_response
from ttt_fast.policies.given import AgentLike, pair_of, policy_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import ROOT, reachable_mask, solution_of


class Agreement(NamedTuple):
    """The number of states in which the most probable action of a policy is one of minimax.

    Examples
    --------
    >>> Agreement(agreeing=3, states=4).share
    0.75
    """

    agreeing: int
    states: int

    @property
    def share(self) -> float:
        """Share of the states, nan where the policy holds none."""
        return self.agreeing / self.states if self.states else float("nan")


def nash_conv(policy: AgentLike, game: Game | str | None = None) -> float:
    """Return what the two seats could gain together by deviating from `policy`, as OpenSpiel defines it.

    The sum over the seats of (value of a best response against the policy - value of the policy); 0 for an
    equilibrium.

    Examples
    --------
    >>> round(nash_conv("random"), 12)
    1.919659391534
    """
    policy = policy_of(policy, game)
    return nash_conv_of(policy, policy)


def nash_conv_of(x: AgentLike, o: AgentLike) -> float:
    """Return `nash_conv` of the pair of policies that play X and O.

    Examples
    --------
    >>> round(nash_conv_of("minimax", "random") * 192, 9)  # the best against random as X
    191.0
    """
    x, o = pair_of(x, o)
    # The values of the policies against each other cancel: the game is zero-sum.
    return sum(float(best_response(one, seat).value[ROOT]) for one, seat in ((o, api.X), (x, api.O)))


def exploitability(policy: AgentLike, game: Game | str | None = None) -> float:
    """Return `nash_conv` divided by the number of players, as OpenSpiel defines it.

    Examples
    --------
    >>> round(exploitability("random"), 9), exploitability("minimax")
    (0.959829696, 0.0)
    """
    return nash_conv(policy, game) / 2


def states_in_play(policy: AgentLike, seat: int | str) -> NDArray[np.bool_]:
    """Return the states that can occur when the policy plays one seat, whatever the other does, (S,) bool."""
    policy, seat = policy_of(policy), check_seat(seat)
    table = policy.for_seat(seat).table
    return reachable_mask(table, policy.played | table.to_edges(table.player != seat))


def reached_decisions(policy: Policy, seat: int) -> NDArray[np.bool_]:
    """Return the states of a seat that the policy's own play in it reaches, learned or not, (S,) bool."""
    reached: NDArray[np.bool_] = states_in_play(policy, seat) & (policy.table.player == seat)
    return reached


def never_loses(policy: AgentLike, seat: int | str, game: Game | str | None = None) -> bool:
    """Return whether no opponent can ever beat the policy in a seat: a proof, not a sample.

    Examples
    --------
    >>> never_loses("minimax", seat="o"), never_loses("default", seat="o")
    (True, False)
    """
    policy = policy_of(policy, game)
    lost = api.O_WINS if check_seat(seat) == api.X else api.X_WINS
    return not bool((states_in_play(policy, seat) & (policy.table.status == lost)).any())


def agreement(
    policy: AgentLike, seat: int | str | None = None, game: Game | str | None = None, *, reached: bool = False
) -> Agreement:
    """Return in how many of its states the policy's most probable action keeps the minimax value.

    The definition of langan, section 3.4: over the decision states that the policy holds, of one seat or
    of both; of equally probable actions the lowest one counts.

    Parameters
    ----------
    policy
        The agent to judge.
    seat
        The seat (default: both).
    game
        The game of an agent that is no policy (default: tic-tac-toe).
    reached
        Whether instead the states count that the policy's own play reaches, in the seats that it holds: those that
        occur with some probability when the policy plays the seat that is to move there, for some play of the other
        seat.  Each counts once, however probable it is, and one that was never learned counts as the policy plays.

    Examples
    --------
    >>> agreement("minimax")
    Agreement(agreeing=4520, states=4520)
    >>> agreement("heuribot", seat="x"), agreement("heuribot", seat="x", reached=True)
    (Agreement(agreeing=2413, states=2423), Agreement(agreeing=80, states=80))
    """
    policy, seat = policy_of(policy, game), None if seat is None else check_seat(seat)
    table = policy.table
    seats = [one for one in Seat if seat in (None, one) and one.text in policy.seats_held()]
    if reached:
        counted = np.logical_or.reduce([np.zeros_like(policy.held), *(reached_decisions(policy, one) for one in seats)])
    else:
        counted = policy.held & np.isin(table.player, seats)
    states = np.flatnonzero(counted)
    return Agreement(int(solution_of(table).optimal[policy.greedy_edges()[states]].sum()), int(states.size))


def value_lost(policy: AgentLike, game: Game | str | None = None) -> NDArray[np.float64]:
    """Return how much minimax value each state's row gives away on average, (S,) float64, 0 to 2.

    The minimax value of the state minus the mean minimax value after the policy's move, for the mover.

    Examples
    --------
    >>> float(value_lost("minimax").max())
    0.0
    """
    policy = policy_of(policy, game)
    table = policy.table
    value = solution_of(table).value
    weighed = np.empty(table.num_edges)
    for states, edges in table.blocks():
        weighed[edges] = policy.chances(states, edges) * value[table.edge_child[edges]]
    kept = table.row_sums(weighed)
    sign = np.where(table.player == api.X, 1, -1)
    lost: NDArray[np.float64] = np.where(table.decision_mask, sign * (value - kept), 0.0)
    return np.where(np.abs(lost) < 1e-12, 0.0, lost)
