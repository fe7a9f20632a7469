"""The exact result of a match between two policies, by forward propagation over the table: floats and fractions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel_without_overlap
from ttt_fast.core.plain import frozen
from ttt_fast.evaluate.exact_fractions import OutcomeFractions, Passes
from ttt_fast.evaluate.strength_row import RESULTS, columns_of
from ttt_fast.games import api
from ttt_fast.games.results import Seat, Status, check_seat
from ttt_fast.policies.policy import Policy, check_pair
from ttt_fast.policies.views import CHANCES, CHOICE, Moves
from ttt_fast.tables.state_table import ROOT, Edges, StateTable

_RESULT_ROWS = [api.X_WINS, api.DRAW, api.O_WINS]
_MOST_BITS = 3 * 10**11
"""Edges times bits of the common denominator: fractions that would take longer than a minute are not computed."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The policies of a match.

    Attributes
    ----------
    x, o
        The policies.
    starts
        The first state of the match, or several states with the share of the games that begin at each.
    random_opening
        Whether the first move is drawn uniformly.
    """

    x: Policy
    o: Policy
    starts: Mapping[int, float]
    random_opening: bool = False

    def push(self, places: NDArray[np.int64], mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each result at each length, (3, P + 1), with the memory for `_propagate`."""
        x, o = check_pair(self.x, self.o)
        table, ends, first = x.table, np.zeros(4 * (x.table.num_plies + 1)), min(self.starts)
        begun = table.ply_of(first)
        for start, share in self.starts.items():
            mass[start + places[begun]] = share
        moves = x.moves, o.moves, first if self.random_opening else -1, begun
        _propagate(table.edges, table.edge_action, *moves, table.ply_start, places, mass, ends)
        return ends.reshape(4, -1)[_RESULT_ROWS]

    def lengths(self) -> NDArray[np.float64]:
        """Return the probability of each result at each length, (3, P + 1) float64."""
        table = self.x.table
        if len(self.starts) > 1:
            return self.push(frozen(np.zeros(table.num_plies + 2, np.int64)), np.zeros(table.num_states))
        return self.push(table.places_of_two_plies, np.zeros(2 * table.widest_ply))

    @cached_property
    def reach(self) -> NDArray[np.float64]:
        """The probability that a game reaches each state, (S,) float64."""
        reach = np.zeros(self.x.table.num_states)
        self.push(frozen(np.zeros(self.x.table.num_plies + 2, np.int64)), reach)
        return reach

    @cached_property
    def fractions(self) -> OutcomeFractions | None:
        """The probabilities as fractions; None if they are known as floats only, or would take minutes."""
        x, o = self.x, self.o
        if len(self.starts) > 1 or not (x.is_exact and o.is_exact):
            return None
        (start,) = self.starts
        passes = Passes(x, o, start, self.random_opening)
        return None if x.table.num_edges * passes.whole.bit_length() > _MOST_BITS else passes.fractions()


class Outcome(NamedTuple):
    """The exact distribution of the results of a match.

    Attributes
    ----------
    x_wins, draws, o_wins
        Probabilities, which sum to 1.
    lengths : (3, P + 1) float64
        Probability of each result (rows: X wins, draw, O wins) at each length in plies.
    pair
        The policies.

    Examples
    --------
    >>> from ttt_fast import Policy
    >>> random = Policy.uniform("tic-tac-toe")
    >>> exact_outcome(random, random)
    Outcome(x_wins=0.584921, draws=0.126984, o_wins=0.288095)
    """

    x_wins: float
    draws: float
    o_wins: float
    lengths: NDArray[np.float64]
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
    def reach(self) -> NDArray[np.float64]:
        """The probability that a game reaches each state, (S,) float64, computed at first use."""
        return self.pair.reach

    @property
    def reachable_boards(self) -> int:
        """Number of final boards that have a positive probability."""
        return int(((self.reach > 0) & ~self.table.decision_mask).sum())

    def columns(self, prefix: str = "") -> dict[str, float]:
        """Return the probability of each result."""
        return {f"{prefix}{name}": getattr(self, name) for name in RESULTS}

    def fraction_columns(self, prefix: str = "") -> dict[str, str | None]:
        """Return each probability as the text of a fraction; None without a known fraction."""
        texts = (None,) * 3 if self.fractions is None else map(str, self.fractions)
        return {f"{prefix}{name}_fraction": text for name, text in zip(RESULTS, texts, strict=True)}

    def seat_row(self, seat: int | str, **known: Any) -> dict[str, Any]:
        """Return the result for the agent in a seat, with the columns of `Strength` and fractions.

        Columns that do not follow from the result are None, if they are not given as `known`.

        Examples
        --------
        >>> from ttt_fast import exact_outcome
        >>> row = exact_outcome("random", "minimax").seat_row("o")
        >>> row["policy"], row["opponent"], round(row["value"], 6), row["best_value"]
        ('minimax', 'random', 0.777484, None)
        """
        seat, x, o = Seat.parse(seat), self.pair.x.name, self.pair.o.name
        policy, opponent = (x, o) if seat == Seat.X else (o, x)
        of_pair = {"x": x, "o": o, **self.columns(), "value": self.value_of(seat)}
        row = columns_of(policy=policy, seat=seat.text, opponent=opponent, **of_pair, **known)
        return {**row, **self.fraction_columns()}

    def row(self) -> dict[str, Any]:
        """Return the result as a row: agents, probabilities, value, fractions, and the distribution of the length.

        Over a table with a fixed seat, the row also has this seat and the number of ongoing positions.

        Examples
        --------
        >>> from ttt_fast import exact_outcome
        >>> row = exact_outcome("random", "random").row()
        >>> row["draws_fraction"], row["plies_by_result"]["draws"]
        ('8/63', {9: 0.12698412698412698})
        """
        fixed = self.table.fixed
        return {
            "x": self.pair.x.name,
            "o": self.pair.o.name,
            **({} if fixed is None else {"fixed_seat": Seat(fixed.seat).text}),
            **self.columns(),
            "value": self.value,
            **self.fraction_columns(),
            **({} if fixed is None else {"positions": int((self.table.status == api.ONGOING).sum())}),
            **self._length_columns(),
        }

    def _length_columns(self) -> dict[str, Any]:
        """Return the distribution of the length of games, of all and by result."""
        return {
            **{f"plies_{length}": float(share) for length, share in enumerate(self.lengths.sum(axis=0)) if share > 0},
            "plies_by_result": {
                name: {length: float(share) for length, share in enumerate(of) if share > 0}
                for name, of in zip(RESULTS, self.lengths, strict=True)
            },
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


@kernel_without_overlap(plain=True)
def _propagate(
    edges: Edges,
    edge_action: NDArray[np.uint8],
    x: Moves,
    o: Moves,
    drawn: int,
    begun: int,
    ply_start: NDArray[np.int32],
    places: NDArray[np.int64],
    mass: NDArray[np.float64],
    ends: NDArray[np.float64],
) -> None:
    """Push probability down the table, ply by ply.

    Parameters
    ----------
    edges, edge_action, x, o, ply_start
        The table and the policies.
    drawn
        A state whose action is drawn uniformly; -1 without one.
    begun
        The ply of the first states.
    places : (P + 2,) int64
        Index in `mass` of a state of each ply, minus the state: zeros, or `StateTable.places_of_two_plies`.
    mass : (S,) or (2 * W,) float64
        The probabilities of all states, or of those of two plies; on entry of the first states only.
    ends : (4 * (P + 1),) float64
        Output, zero on entry: the probability of each status at each length.
    """
    edge_start, edge_child, status, player = edges
    plies, holds_all = len(ply_start) - 1, places[0] == places[len(places) - 1]
    ply, here, below, next_state = begun, places[begun], places[begun + 1], ply_start[begun + 1]
    for state in range(ply_start[begun], len(status)):  # a loop over the plies around it takes a tenth longer
        if state == next_state:
            ply += 1
            here, below, next_state = below, places[ply + 1], ply_start[ply + 1]
        share = mass[state + here]
        if share == 0.0:
            continue
        if not holds_all:
            mass[state + here] = 0.0
        if player[state] == 0:
            ends[status[state] * plies + ply] += share
            continue
        first, after = edge_start[state], edge_start[state + 1]
        is_x, is_drawn = player[state] == api.X, state == drawn
        if is_x and x.form == CHANCES and not is_drawn:  # a single loop for both seats takes a sixth longer
            for edge in range(first, after):
                mass[edge_child[edge] + below] += share * x.probabilities[edge]
        elif not is_x and o.form == CHANCES and not is_drawn:
            for edge in range(first, after):
                mass[edge_child[edge] + below] += share * o.probabilities[edge]
        else:
            if (x.form if is_x else o.form) == CHOICE and not is_drawn:
                action = x.actions[state] if is_x else o.actions[state]
                while edge_action[first] != action:
                    first += 1
                after = first + 1
            share *= 1.0 / (after - first)
            for edge in range(first, after):
                mass[edge_child[edge] + below] += share


def exact_outcome(x: Policy, o: Policy, *, start: int = ROOT, random_opening: bool = False) -> Outcome:
    """Return the exact result of a match between two policies of one game."""
    return _outcome_of(Pair(x, o, {x.table.check_state(start): 1.0}, bool(random_opening)))


def _outcome_of(pair: Pair) -> Outcome:
    lengths = pair.lengths()
    x_wins, draws, o_wins = lengths.sum(axis=1).tolist()
    return Outcome(x_wins, draws, o_wins, lengths, pair)


def exact_outcome_from(x: Policy, o: Policy, starts: Sequence[int]) -> Outcome:
    """Return the exact mean result of the games of two policies from the states in `starts`, one game for each.

    Examples
    --------
    >>> from ttt_fast import Policy
    >>> random = Policy.uniform("tic-tac-toe")
    >>> exact_outcome_from(random, random, [0, 0]).draws == exact_outcome(random, random).draws
    True
    """
    often = Counter(x.table.check_state(start) for start in starts)
    return _outcome_of(Pair(x, o, {start: count / len(starts) for start, count in often.items()}))
