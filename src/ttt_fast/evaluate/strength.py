"""The strength of a policy: exploitability, proofs of never losing, agreement with minimax, regret, a row of all."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength_row import RESULTS, ROUNDING, Strength, without_rounding
from ttt_fast.games import api
from ttt_fast.games.results import Seat, check_seat
from ttt_fast.policies.best_response import best_response_policy, best_value
from ttt_fast.policies.policy import Policy, check_pair
from ttt_fast.tables import reachable_mask, solution_of

ADVERSARY = "its best response"
"""The last opponent of a seat in a scorecard."""
SELF_PLAY = "self"
BOTH = "both"
_NO_PAIR: dict[str, Any] = dict.fromkeys(("x", "o", *RESULTS))


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
        masks = [states_in_play(policy, one) & (policy.table.player == one) for one in seats]
        return agreement_in(policy, np.logical_or.reduce([np.zeros_like(policy.held), *masks]))[0]
    return agreement_in(policy, policy.held & np.isin(policy.table.player, seats))[0]


def agreement_in(policy: Policy, *masks: NDArray[np.bool_]) -> list[Agreement]:
    """Return the agreement in the states of each mask, (S,) bool."""
    keeps = solution_of(policy.table).optimal[policy.greedy_edges()]
    return [Agreement(int(keeps[counted].sum()), int(counted.sum())) for counted in masks]


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


def seat_exploitability(policy: Policy) -> float:
    """Return the exploitability of a policy whose missing seat, if any, is played by minimax.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> round(seat_exploitability(as_policy("random")), 9)
    0.959829696
    """
    if all(policy.holds_seat(seat) for seat in Seat):
        return exploitability(policy)
    minimax = Policy.from_weights(policy.table, solution_of(policy.table).optimal, "minimax")
    return nash_conv_of(*(policy if policy.holds_seat(seat) else minimax for seat in Seat)) / 2


def strength(policy: Policy, opponent: Policy | None, seat: int | str, exploited: float | None = None) -> Strength:
    """Return the strength of a policy in a seat against an opponent, or in self-play if that is None.

    Parameters
    ----------
    policy, opponent, seat
        The policy, its opponent, and the seat of the policy.
    exploited
        The exploitability of the policy, if it is known (`seat_exploitability`).
    """
    seat = check_seat(seat)
    player, status = policy.table.player, policy.table.status
    in_play = states_in_play(policy, seat)
    own = player == seat
    agreed, reached = agreement_in(policy, policy.held & own, in_play & own)
    exploited = seat_exploitability(policy) if exploited is None else exploited
    return Strength(
        policy=policy.name,
        seat=Seat(seat).text,
        **_results(policy, opponent, seat, exploited),
        **_agreement_columns(agreed, reached),
        reached_learned=int((policy.held & in_play & own).sum()),
        never_loses=not bool((in_play & (status == lost_by(seat))).any()),
        exploitability=exploited,
    )


def _agreement_columns(agreed: Agreement, reached: Agreement) -> dict[str, Any]:
    """Return the columns of the agreement in the domain, and in the states that the policy's own play can reach."""
    pairs = (("", agreed), ("reached_", reached))
    return {
        **{f"{before}states": one.states for before, one in pairs},
        **{f"{before}agreeing": one.agreeing for before, one in pairs},
        **{f"{before}agreement": one.share for before, one in pairs},
    }


def _results(policy: Policy, opponent: Policy | None, seat: int, exploited: float) -> dict[str, Any]:
    """Return the columns of a policy in a seat that depend on the opponent."""
    if opponent is None:
        return {"opponent": SELF_PLAY, **_NO_PAIR, "value": 0.0 - exploited, "best_value": 0.0}
    x, o = (policy, opponent) if seat == api.X else (opponent, policy)
    result, best = exact_outcome(x, o), best_value(opponent, seat)
    of_pair = {"opponent": opponent.name, "x": x.name, "o": o.name, **result.columns()}
    return {**of_pair, "value": result.value_of(seat), "best_value": best}


def in_both_seats(x: Strength, o: Strength) -> Strength:
    """Return the strength of a policy in both seats against one opponent: mean values, and the states of both.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> random, minimax = as_policy("random"), as_policy("minimax")
    >>> in_both_seats(*(strength(minimax, random, seat) for seat in Seat))
    <Strength minimax as BOTH v random: value 0.872648 of at most 0.959830, never loses>
    """
    agreed = Agreement(x.agreeing + o.agreeing, x.states + o.states)
    reached = Agreement(x.reached_agreeing + o.reached_agreeing, x.reached_states + o.reached_states)
    return replace(
        x,
        seat=BOTH,
        **_NO_PAIR,
        value=(x.value + o.value) / 2,
        best_value=(x.best_value + o.best_value) / 2,
        **_agreement_columns(agreed, reached),
        reached_learned=x.reached_learned + o.reached_learned,
        never_loses=x.never_loses and o.never_loses,
    )


def scorecard(policy: Policy, opponents: Sequence[Policy] = ()) -> list[Strength]:
    """Return the exact results of a policy against opponents and its best response, in each seat of its domain."""
    against = [*opponents, best_response_policy(policy, name=ADVERSARY)]
    exploited = seat_exploitability(policy)
    rows = []
    for seat in Seat:
        if seat.text in policy.seats_held():
            first = strength(policy, against[0], seat, exploited)
            rows += [first, *(replace(first, **_results(policy, one, seat, exploited)) for one in against[1:])]
    return rows
