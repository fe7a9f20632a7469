"""The exact result of a match between two policies, by forward propagation over the table: floats and fractions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel_without_overlap
from ttt_fast.evaluate.exact_fractions import OutcomeFractions, denominator, exact_fractions
from ttt_fast.games import api
from ttt_fast.games.results import Status, check_seat
from ttt_fast.policies.joint import check_pair
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.views import CHANCES, CHOICE, Moves
from ttt_fast.tables.state_table import ROOT, Edges, StateTable

RESULTS = ("x_wins", "draws", "o_wins")
"""The results of a game: columns of rows, and fields of outcomes."""
_MOST_BITS = 10**11
"""Edges times bits of the common denominator: fractions that would take longer than a minute are not computed."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The policies of a match.

    Attributes
    ----------
    x, o
        The policies.
    start
        The first state of the match; None for several states.
    random_opening
        Whether the first move is drawn uniformly.
    """

    x: Policy
    o: Policy
    start: int | None = ROOT
    random_opening: bool = False

    @cached_property
    def fractions(self) -> OutcomeFractions | None:
        """The probabilities as fractions; None if they are known as floats only, or would take minutes."""
        x, o, start = self.x, self.o, self.start
        if start is None or not (x.is_exact and o.is_exact):
            return None
        digits = denominator(x, o, start=start, random_opening=self.random_opening).bit_length()
        if x.table.num_edges * digits > _MOST_BITS:
            return None
        return exact_fractions(x, o, start=start, random_opening=self.random_opening)


class Outcome(NamedTuple):
    """The exact distribution of the results of a match.

    Attributes
    ----------
    x_wins, draws, o_wins
        Probabilities, which sum to 1.
    lengths : (3, P + 1) float64
        Probability of each result (rows: X wins, draw, O wins) at each length in plies.
    reach : (S,) float64
        Probability that a game reaches each state.
    pair
        The policies.

    Examples
    --------
    >>> from ttt_fast.policies.policy import Policy
    >>> random = Policy.uniform("tic-tac-toe")
    >>> exact_outcome(random, random)
    Outcome(x_wins=0.584921, draws=0.126984, o_wins=0.288095)
    """

    x_wins: float
    draws: float
    o_wins: float
    lengths: NDArray[np.float64]
    reach: NDArray[np.float64]
    pair: Pair

    def __repr__(self) -> str:
        """Return the three probabilities in one line."""
        return f"Outcome(x_wins={self.x_wins:.6g}, draws={self.draws:.6g}, o_wins={self.o_wins:.6g})"

    @property
    def value(self) -> float:
        """The value for X: wins minus losses."""
        return self.x_wins - self.o_wins

    def value_of(self, seat: int | str) -> float:
        """Return the value for a seat (1 X, 2 O)."""
        return self.value if check_seat(seat) == api.X else self.o_wins - self.x_wins

    @property
    def table(self) -> StateTable:
        """The table of the game."""
        return self.pair.x.table

    @property
    def fractions(self) -> OutcomeFractions | None:
        """The probabilities as fractions; None if they are known as floats only, or would take minutes."""
        return self.pair.fractions

    @property
    def reachable_boards(self) -> int:
        """Number of final boards that have a positive probability."""
        return int(((self.reach > 0) & ~self.table.decision_mask).sum())

    def columns(self, prefix: str = "") -> dict[str, float]:
        """Return the probability of each result."""
        return {f"{prefix}{name}": getattr(self, name) for name in RESULTS}

    def fraction_columns(self, prefix: str = "") -> dict[str, str | None]:
        """Return each probability as the text of a fraction; None without a known fraction."""
        return fraction_columns(self.fractions, prefix)

    def row(self) -> dict[str, Any]:
        """Return the result as a row: agents, probabilities, value, fractions, and the distribution of the length.

        Examples
        --------
        >>> from ttt_fast import exact_outcome
        >>> row = exact_outcome("random", "random").row()
        >>> row["draws_fraction"], row["plies_by_result"]["draws"]
        ('8/63', {9: 0.12698412698412698})
        """
        return {
            "x": self.pair.x.name,
            "o": self.pair.o.name,
            **self.columns(),
            "value": self.value,
            **self.fraction_columns(),
            **length_columns(self.lengths),
        }

    def reach_rows(self, which: str = "final") -> list[dict[str, Any]]:
        """Return the boards that the match can reach, the most probable first: `final` boards only, or `all`."""
        if which not in ("final", "all"):
            raise UsageError(f"expected 'final' or 'all' as the boards, got {which!r}")
        table = self.table
        states = np.flatnonzero((self.reach > 0) & (~table.decision_mask if which == "final" else True))
        return [
            {
                "state": int(state),
                "board": table.board(int(state)),
                "ply": int(table.ply[state]),
                "status": Status(table.status[state]).name.lower(),
                "probability": float(self.reach[state]),
            }
            for state in states[np.argsort(-self.reach[states], kind="stable")]
        ]


def fraction_columns(fractions: OutcomeFractions | None, prefix: str = "") -> dict[str, str | None]:
    """Return the probability of each result as the text of a fraction; None without a known fraction."""
    texts = (None,) * 3 if fractions is None else map(str, fractions)
    return {f"{prefix}{name}_fraction": text for name, text in zip(RESULTS, texts, strict=True)}


def length_columns(lengths: NDArray[np.float64]) -> dict[str, Any]:
    """Return the distribution of the length of games, of all and by result, from `Outcome.lengths`."""
    return {
        **{f"plies_{length}": float(share) for length, share in enumerate(lengths.sum(axis=0)) if share > 0},
        "plies_by_result": {
            name: {length: float(share) for length, share in enumerate(of) if share > 0}
            for name, of in zip(RESULTS, lengths, strict=True)
        },
    }


@kernel_without_overlap(plain=True)
def _propagate(
    edges: Edges,
    edge_action: NDArray[np.uint8],
    x: Moves,
    o: Moves,
    start: int,
    uniform_start: bool,
    ply_start: NDArray[np.int32],
    reach: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> None:
    """Push probability from `start` down the table.

    `reach` (S,) is zero on entry, and so is `ends` (4 * (P + 1),): the probability of each status at each length.
    """
    edge_start, edge_child, status, player = edges
    ply, plies = 0, len(ply_start) - 1
    reach[start] = 1.0
    for state in range(start, len(status)):
        mass = reach[state]
        if mass == 0.0:
            continue
        if player[state] == 0:
            while state >= ply_start[ply + 1]:
                ply += 1
            ends[status[state] * plies + ply] += mass
            continue
        first, after = edge_start[state], edge_start[state + 1]
        is_x, is_drawn = player[state] == api.X, state == start and uniform_start
        if is_x and x.form == CHANCES and not is_drawn:  # a single loop for both seats takes a sixth longer
            for edge in range(first, after):
                reach[edge_child[edge]] += mass * x.probabilities[edge]
        elif not is_x and o.form == CHANCES and not is_drawn:
            for edge in range(first, after):
                reach[edge_child[edge]] += mass * o.probabilities[edge]
        else:
            if (x.form if is_x else o.form) == CHOICE and not is_drawn:
                action = x.actions[state] if is_x else o.actions[state]
                while edge_action[first] != action:
                    first += 1
                after = first + 1
            share = mass * (1.0 / (after - first))
            for edge in range(first, after):
                reach[edge_child[edge]] += share


def exact_outcome(x: Policy, o: Policy, *, start: int = ROOT, random_opening: bool = False) -> Outcome:
    """Return the exact result of a match between two policies of one game."""
    pair = Pair(x, o, start, random_opening)
    x, o = check_pair(x, o)
    table = x.table
    start = table.check_state(start)
    reach, ends = np.zeros(table.num_states), np.zeros(4 * (table.num_plies + 1))
    moves = x.moves, o.moves, start, bool(random_opening)
    _propagate(table.edges, table.edge_action, *moves, table.ply_start, reach, ends)
    lengths = ends.reshape(4, -1)[[api.X_WINS, api.DRAW, api.O_WINS]]
    x_wins, draws, o_wins = lengths.sum(axis=1).tolist()
    return Outcome(x_wins, draws, o_wins, lengths, reach, pair)


def exact_outcome_from(x: Policy, o: Policy, starts: Sequence[int]) -> Outcome:
    """Return the exact mean result of the games of two policies from the states in `starts`, one game for each.

    Examples
    --------
    >>> from ttt_fast.policies.policy import Policy
    >>> random = Policy.uniform("tic-tac-toe")
    >>> exact_outcome_from(random, random, [0, 0]).draws == exact_outcome(random, random).draws
    True
    """
    often = Counter(starts)
    if len(often) == 1:
        return exact_outcome(x, o, start=starts[0])
    outcomes = [(count / len(starts), exact_outcome(x, o, start=start)) for start, count in often.items()]
    lengths = np.sum([share * one.lengths for share, one in outcomes], axis=0)
    reach = np.sum([share * one.reach for share, one in outcomes], axis=0)
    x_wins, draws, o_wins = lengths.sum(axis=1).tolist()
    return Outcome(x_wins, draws, o_wins, lengths, reach, Pair(x, o, None))
