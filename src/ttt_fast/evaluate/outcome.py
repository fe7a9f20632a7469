"""The exact result of a match between two policies, by forward propagation over the table."""

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, standard_table
from ttt_fast.tables.state_table import ROOT


class Outcome(NamedTuple):
    """The exact distribution of the results of a match.

    Attributes
    ----------
    x_wins, draws, o_wins
        Probabilities, which sum to 1.
    lengths : (3, A + 1) float64
        Probability of each result (rows: X wins, draw, O wins) at each length in plies.
    reach : (S,) float64
        Probability that the game passes through (or ends in) each state.
    """

    x_wins: float
    draws: float
    o_wins: float
    lengths: NDArray[np.float64]
    reach: NDArray[np.float64]

    @property
    def score(self) -> float:
        """X's expected payoff: wins minus losses."""
        return self.x_wins - self.o_wins

    def value_of(self, seat: int) -> float:
        """Return the expected payoff of a seat (1 X, 2 O)."""
        return self.score if seat == rules.X else self.o_wins - self.x_wins


class ExactOutcome(NamedTuple):
    """The result of a match between scripted players as fractions."""

    x_wins: Fraction
    draws: Fraction
    o_wins: Fraction


@kernel
def _propagate(
    edge_start: NDArray[np.int32],
    edge_action: NDArray[np.int8],
    edge_child: NDArray[np.int16],
    status: NDArray[np.int8],
    player: NDArray[np.int8],
    ply: NDArray[np.int8],
    x: NDArray[np.float64],
    o: NDArray[np.float64],
    start: int,
    uniform_start: bool,
    reach: NDArray[np.float64],
    lengths: NDArray[np.float64],
) -> None:
    """Push probability from `start` down the table; `reach` and `lengths` are zero on entry."""
    reach[start] = 1.0
    for state in range(start, status.size):
        mass = reach[state]
        if mass == 0.0:
            continue
        code = status[state]
        if code != rules.ONGOING:
            row = 0 if code == rules.X_WINS else (2 if code == rules.O_WINS else 1)
            lengths[row, ply[state]] += mass
        elif state == start and uniform_start:
            for edge in range(edge_start[state], edge_start[state + 1]):
                reach[edge_child[edge]] += mass / (edge_start[state + 1] - edge_start[state])
        else:
            policy = x if player[state] == rules.X else o
            for edge in range(edge_start[state], edge_start[state + 1]):
                reach[edge_child[edge]] += mass * policy[state, edge_action[edge]]


def exact_outcome(
    x: Policy,
    o: Policy,
    *,
    start: int = ROOT,
    random_opening: bool = False,
    table: StateTable | None = None,
) -> Outcome:
    """Return the exact result of a match.

    Parameters
    ----------
    x, o
        The policies in the two seats.
    start
        State index of the board that the game starts from.
    random_opening
        Whether the first move from `start` is drawn uniformly instead of by the policy whose turn it is.
    table
        The game (default: ordinary tic-tac-toe).

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> result = exact_outcome(parse_agent("random"), parse_agent("random"))
    >>> round(result.x_wins * 1260, 9), round(result.draws * 63, 9), round(result.o_wins * 420, 9)
    (737.0, 8.0, 121.0)
    """
    table = table or standard_table()
    start = table.check_state(start)
    x.check_fits(table)
    o.check_fits(table)
    reach = np.zeros(table.num_states)
    lengths = np.zeros((3, table.num_actions + 1))
    _propagate(
        table.edge_start,
        table.edge_action,
        table.edge_child,
        table.status,
        table.player,
        table.ply,
        x.probabilities,
        o.probabilities,
        start,
        bool(random_opening),
        reach,
        lengths,
    )
    x_wins, draws, o_wins = lengths.sum(axis=1).tolist()
    return Outcome(x_wins, draws, o_wins, lengths, reach)


def exact_fractions(
    x: Policy,
    o: Policy,
    *,
    start: int = ROOT,
    random_opening: bool = False,
    table: StateTable | None = None,
) -> ExactOutcome | None:
    """Return the result of a match as fractions, or None where a policy is known as floats only.

    Parameters are those of `exact_outcome`.

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> exact_fractions(parse_agent("random"), parse_agent("random"))
    ExactOutcome(x_wins=Fraction(737, 1260), draws=Fraction(8, 63), o_wins=Fraction(121, 420))
    """
    table = table or standard_table()
    start = table.check_state(start)
    x.check_fits(table)
    o.check_fits(table)
    if x.weights is None or o.weights is None:
        return None
    totals = {rules.X_WINS: Fraction(0), rules.DRAW: Fraction(0), rules.O_WINS: Fraction(0)}
    layer, denominator = {start: 1}, 1
    while layer:
        # All states of a layer share one denominator, so that the inner loop adds integers.
        rows = {}
        for state, mass in layer.items():
            if table.status[state] != rules.ONGOING:
                totals[int(table.status[state])] += Fraction(mass, denominator)
                continue
            seat = x if table.player[state] == rules.X else o
            uniform = random_opening and state == start
            assert seat.weights is not None
            rows[state] = (table.legal_action_mask if uniform else seat.weights)[state].tolist()
        scale = lcm(*(sum(row) for row in rows.values()))
        following: dict[int, int] = {}
        for state, row in rows.items():
            share = layer[state] * (scale // sum(row))
            children = table.child[state].tolist()
            for action, weight in enumerate(row):
                if weight:
                    following[children[action]] = following.get(children[action], 0) + share * weight
        layer, denominator = following, denominator * scale
    return ExactOutcome(totals[rules.X_WINS], totals[rules.DRAW], totals[rules.O_WINS])
