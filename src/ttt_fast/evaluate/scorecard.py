"""The scorecard of a policy: exact results against standard opponents, and the regret against each of them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ttt_fast.core.manifest import JsonObject
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import (
    agreement,
    agreement_in,
    exploitability,
    lost_by,
    nash_conv_of,
    states_in_play,
    without_rounding,
)
from ttt_fast.games import api
from ttt_fast.games.results import Seat, check_seat
from ttt_fast.policies.best_response import best_response_policy, best_value
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import solution_of

ADVERSARY = "its best response"
"""The last opponent of a seat in a scorecard."""


@dataclass(frozen=True, repr=False)
class ScoreRow:
    """The exact result of a policy in one seat against one opponent.

    Attributes
    ----------
    policy, seat, opponent
        The policy, its seat (x or o), and its opponent.
    x, o
        The agent strings of the same pair, by seat.
    x_wins, draws, o_wins
        Exact probabilities.
    value
        The policy's wins minus losses.
    best_value
        The largest value of any policy in this seat against this opponent.
    states, agreeing, agreement
        States of this seat in the policy's domain, those in which its move is a minimax move, and their share.
    reached_states, reached_agreeing, reached_agreement
        The same for the states that its own play in this seat can reach against any opponent, learned or not.
    reached_learned
        The number of these states in the policy's domain.
    never_loses
        Whether no opponent can ever beat the policy in this seat.
    exploitability
        The exploitability of the policy; minimax plays a seat without states in the policy's domain.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_policy
    >>> row = score_against(as_policy("minimax"), as_policy("random"), "x")
    >>> row.never_loses, round(row.regret, 6)
    (True, 0.02698)
    >>> row
    <ScoreRow minimax as X v random: value 0.967811 of at most 0.994792, never loses>
    """

    policy: str
    seat: str
    opponent: str
    x: str
    o: str
    x_wins: float
    draws: float
    o_wins: float
    value: float
    best_value: float
    states: int
    agreeing: int
    agreement: float
    reached_states: int
    reached_agreeing: int
    reached_agreement: float
    reached_learned: int
    never_loses: bool
    exploitability: float

    def __repr__(self) -> str:
        """Return a one-line description of the row."""
        summary = f"value {self.value:.6f} of at most {self.best_value:.6f}"
        safe = "never loses" if self.never_loses else "can lose"
        return f"<ScoreRow {self.policy} as {self.seat.upper()} v {self.opponent}: {summary}, {safe}>"

    @property
    def regret(self) -> float:
        """Distance of the policy from the best possible value against this opponent, 0 up to rounding."""
        return float(without_rounding(self.best_value - self.value))

    def as_row(self) -> JsonObject:
        """Return the fields and the regret, as a row for `report.rows`."""
        return {**asdict(self), "regret": self.regret}


def score_against(policy: Policy, opponent: Policy, seat: int | str, exploited: float | None = None) -> ScoreRow:
    """Return the row of a policy in a seat against one opponent."""
    seat = check_seat(seat)
    return _row(policy, opponent, seat, _alone(policy, seat, exploited))


def _alone(policy: Policy, seat: int, exploited: float | None) -> JsonObject:
    """Return the columns of a policy in a seat that are the same against every opponent."""
    player, status = policy.table.player, policy.table.status
    in_play = states_in_play(policy, seat)
    agreed, reached = agreement(policy, seat), agreement_in(policy, in_play & (player == seat))
    return {
        "states": agreed.states,
        "agreeing": agreed.agreeing,
        "agreement": agreed.share,
        "reached_states": reached.states,
        "reached_agreeing": reached.agreeing,
        "reached_agreement": reached.share,
        "reached_learned": int((policy.held & in_play & (player == seat)).sum()),
        "never_loses": not bool((in_play & (status == lost_by(seat))).any()),
        "exploitability": seat_exploitability(policy) if exploited is None else exploited,
    }


def _row(policy: Policy, opponent: Policy, seat: int, alone: JsonObject) -> ScoreRow:
    x, o = (policy, opponent) if seat == api.X else (opponent, policy)
    result = exact_outcome(x, o)
    return ScoreRow(
        policy=policy.name,
        seat=Seat(seat).text,
        opponent=opponent.name,
        x=x.name,
        o=o.name,
        x_wins=result.x_wins,
        draws=result.draws,
        o_wins=result.o_wins,
        value=result.value_of(seat),
        best_value=best_value(opponent, seat),
        **alone,
    )


def seat_exploitability(policy: Policy) -> float:
    """Return the exploitability of a policy whose missing seat, if any, is played by minimax.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_policy
    >>> round(seat_exploitability(as_policy("random")), 9)
    0.959829696
    """
    if all(policy.holds_seat(seat) for seat in Seat):
        return exploitability(policy)
    minimax = Policy.from_weights(policy.table, solution_of(policy.table).optimal, "minimax")
    return nash_conv_of(*(policy if policy.holds_seat(seat) else minimax for seat in Seat)) / 2


def scorecard(policy: Policy, opponents: Sequence[Policy] = ()) -> list[ScoreRow]:
    """Return the exact results of a policy against opponents and its best response, in each seat of its domain."""
    adversary = best_response_policy(policy, name=ADVERSARY)
    exploited = seat_exploitability(policy)
    rows = []
    for seat in Seat:
        if seat.text in policy.seats_held():
            alone = _alone(policy, seat, exploited)
            rows += [_row(policy, opponent, seat, alone) for opponent in [*opponents, adversary]]
    return rows
