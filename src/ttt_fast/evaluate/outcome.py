"""The exact result of a match between two policies, by forward propagation over the table."""

from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.results import check_seat, outcome_of
from ttt_fast.policies.policy import Policy, check_same_game
from ttt_fast.tables.state_table import ROOT, Edges, StateTable


class Outcome(NamedTuple):
    """The exact distribution of the results of a match.

    Attributes
    ----------
    x_wins, draws, o_wins
        Probabilities, which sum to 1.
    lengths : (3, P + 1) float64
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
        return self.score if check_seat(seat) == api.X else self.o_wins - self.x_wins


class ExactOutcome(NamedTuple):
    """The result of a match between scripted players as fractions."""

    x_wins: Fraction
    draws: Fraction
    o_wins: Fraction


@kernel(plain=True)
def _propagate(
    edges: Edges,
    x: NDArray[np.float64],
    o: NDArray[np.float64],
    start: int,
    uniform_start: bool,
    reach: NDArray[np.float64],
) -> None:
    """Push probability from `start` down the table; `reach` (S,) is zero on entry."""
    edge_start, edge_child, status, player = edges
    reach[start] = 1.0
    for state in range(start, len(status)):
        mass = reach[state]
        if mass == 0.0 or player[state] == 0:
            continue
        first, after = edge_start[state], edge_start[state + 1]
        if state == start and uniform_start:
            for edge in range(first, after):
                reach[edge_child[edge]] += mass / (after - first)
        else:
            chances = x if player[state] == api.X else o
            for edge in range(first, after):
                reach[edge_child[edge]] += mass * chances[edge]


@lru_cache(maxsize=16)
def _ends(table: StateTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the terminal states, (T,), and where each counts: its result times P + 1, plus its plies."""
    states = np.flatnonzero(~table.decision_mask)
    row_of_status = np.array([0, *map(outcome_of, (api.X_WINS, api.O_WINS, api.DRAW))], np.int64)
    return states, row_of_status[table.status[states]] * (table.num_plies + 1) + table.ply[states]


def exact_outcome(x: Policy, o: Policy, *, start: int = ROOT, random_opening: bool = False) -> Outcome:
    """Return the exact result of a match.

    Parameters
    ----------
    x, o
        The policies in the two seats, of one game.
    start
        State index of the board that the game starts from.
    random_opening
        Whether the first move from `start` is drawn uniformly instead of by the policy whose turn it is.

    Raises
    ------
    PolicyError
        If the two play different games.

    Examples
    --------
    >>> from ttt_fast.agents.registry import parse_agent
    >>> result = exact_outcome(parse_agent("random"), parse_agent("random"))
    >>> round(result.x_wins * 1260, 9), round(result.draws * 63, 9), round(result.o_wins * 420, 9)
    (737.0, 8.0, 121.0)
    """
    table = check_same_game(x, o)
    start = table.check_state(start)
    reach = np.zeros(table.num_states)
    _propagate(table.edges, x.edge_probabilities, o.edge_probabilities, start, bool(random_opening), reach)
    states, places = _ends(table)
    counted = np.bincount(places, reach[states], 3 * (table.num_plies + 1))
    lengths: NDArray[np.float64] = np.asarray(counted, np.float64).reshape(3, -1)
    x_wins, draws, o_wins = lengths.sum(axis=1).tolist()
    return Outcome(x_wins, draws, o_wins, lengths, reach)


def exact_fractions(x: Policy, o: Policy, *, start: int = ROOT, random_opening: bool = False) -> ExactOutcome:
    """Return the result of a match as fractions.

    Parameters are those of `exact_outcome`.

    Raises
    ------
    PolicyError
        If a policy is known as floats only (`Policy.is_exact` tells): these have no exact fractions.

    Examples
    --------
    >>> from ttt_fast.agents.registry import parse_agent
    >>> exact_fractions(parse_agent("random"), parse_agent("random"))
    ExactOutcome(x_wins=Fraction(737, 1260), draws=Fraction(8, 63), o_wins=Fraction(121, 420))
    """
    table = check_same_game(x, o)
    start = table.check_state(start)
    for policy in (x, o):
        if not policy.is_exact:
            raise PolicyError(
                f"policy {policy.name!r}: expected integer weights, which exact fractions are made of, got"
                " probabilities as floats; exact_outcome takes them"
            )
    weights_of = {api.X: x.edge_weights, api.O: o.edge_weights}
    totals = dict.fromkeys((api.X_WINS, api.DRAW, api.O_WINS), Fraction(0))
    layer, denominator = {start: 1}, 1
    while layer:
        # All states of a layer share one denominator, so that the inner loop adds integers.
        rows = {}
        for state, mass in layer.items():
            weights = weights_of.get(int(table.player[state]))
            if weights is None:
                totals[int(table.status[state])] += Fraction(mass, denominator)
                continue
            edges = slice(table.edge_start[state], table.edge_start[state + 1])
            children = table.edge_child[edges].tolist()
            uniform = random_opening and state == start
            rows[state] = children, [1] * len(children) if uniform else weights[edges].tolist()
        scale = lcm(*(sum(row) for _, row in rows.values()))
        following: dict[int, int] = {}
        for state, (children, row) in rows.items():
            share = layer[state] * (scale // sum(row))
            for child, weight in zip(children, row, strict=True):
                if weight:
                    following[child] = following.get(child, 0) + share * weight
        layer, denominator = following, denominator * scale
    return ExactOutcome(*totals.values())
