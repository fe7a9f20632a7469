"""Learning curves: exact measures of a learner's greedy policy, cheap enough for a thousand checkpoints.

One kernel call finds the greedy actions and, from them, everything that a learning curve shows.  Between two stretches
of training nothing else needs the interpreter, which threads share.
"""

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import Solution, StateTable
from ttt_fast.tables.state_table import ROOT

SEAT_NAMES = {rules.X: "x", rules.O: "o"}
DRAWN = 3
"""Mover of the empty board where the first move is drawn."""

_BLOCK = 128  # numbers that pairwise summation adds in eight strands


class _Game(NamedTuple):
    """The game, the judges and the exact values behind the measures, in arrays that do not change.

    Attributes
    ----------
    edge_start, edge_child, status
        From the state table.
    mover : (S,) int8
        The player to move: 0 nobody (the game is over), 1, 2, or DRAWN.
    own : (L,) int32
        States in which a learner moves.
    seats : (K,) int8
        The seats that learn.
    judges : (J, E) float64
        The chance of each edge where a judge moves.
    counted : (N,) int32, keeps_value : (E,) bool
        States over which agreement is taken, and the edges that agree.
    edges : (M,) int32, target : (M,) float64
        Edges over which distance is taken, and their exact values.
    block_end, block_merges : (B,) int32
        The blocks of pairwise summation: the end of each in `edges`, and the number of sums added up after it.
    """

    edge_start: NDArray[np.int32]
    edge_child: NDArray[np.int16]
    status: NDArray[np.int8]
    mover: NDArray[np.int8]
    own: NDArray[np.int32]
    seats: NDArray[np.int8]
    judges: NDArray[np.float64]
    counted: NDArray[np.int32]
    keeps_value: NDArray[np.bool_]
    edges: NDArray[np.int32]
    target: NDArray[np.float64]
    block_end: NDArray[np.int32]
    block_merges: NDArray[np.int32]


class _Scratch(NamedTuple):
    """Work arrays over the states: zeros between calls but for `order` and `value`.

    Attributes
    ----------
    is_reached : (S,) bool, order : (S,) int32
        The states that greedy play of a seat can reach for some play of the other, as a mask and as a list.
    reach : (S,) float64
        Their probabilities.
    value : (S,) int8
        The largest value that the other can get.
    """

    is_reached: NDArray[np.bool_]
    order: NDArray[np.int32]
    reach: NDArray[np.float64]
    value: NDArray[np.int8]


@kernel
def _greedy_edges(game: _Game, q: NDArray[np.float64], last: bool, greedy: NDArray[np.int32]) -> int:
    """Fill the greedy edge (of equal ones the first or last) of each learning state; return how many have changed."""
    changed = 0
    for state in game.own:
        chosen = game.edge_start[state]
        value = q[chosen]
        for edge in range(game.edge_start[state] + 1, game.edge_start[state + 1]):
            is_better = (q[edge] > value) | (last & (q[edge] == value))
            chosen = np.int32(edge) if is_better else chosen
            value = q[edge] if is_better else value
        changed += chosen != greedy[state]
        greedy[state] = chosen
    return changed


@kernel
def _reachable(game: _Game, seat: int, greedy: NDArray[np.int32], scratch: _Scratch) -> int:
    """List the states that greedy play of a seat can reach, ascending; return their number."""
    count = 0
    scratch.is_reached[ROOT] = True
    for state in range(game.mover.size):
        if not scratch.is_reached[state]:
            continue
        scratch.is_reached[state] = False
        scratch.order[count] = state
        count += 1
        if game.mover[state] == seat:
            scratch.is_reached[game.edge_child[greedy[state]]] = True
        else:  # also nobody, who has no edges
            for edge in range(game.edge_start[state], game.edge_start[state + 1]):
                scratch.is_reached[game.edge_child[edge]] = True
    return count


@kernel
def _result_against(
    game: _Game,
    seat: int,
    judge: int,
    greedy: NDArray[np.int32],
    scratch: _Scratch,
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Fill `out` (3,) with the chances of the greedy policy in `seat` to win, draw and lose."""
    reach = scratch.reach
    reach[ROOT] = 1.0
    out[:] = 0.0
    for place in range(count):
        state = scratch.order[place]
        mass = reach[state]
        reach[state] = 0.0
        mover = game.mover[state]
        first, end = game.edge_start[state], game.edge_start[state + 1]
        if mover == 0:
            out[1 if game.status[state] == rules.DRAW else (0 if game.status[state] == seat else 2)] += mass
        elif mover == seat:
            reach[game.edge_child[greedy[state]]] += mass
        elif mover == DRAWN:
            for edge in range(first, end):
                reach[game.edge_child[edge]] += mass * (1.0 / (end - first))
        else:
            for edge in range(first, end):
                reach[game.edge_child[edge]] += mass * game.judges[judge, edge]


@kernel
def _best_reply(game: _Game, seat: int, greedy: NDArray[np.int32], scratch: _Scratch, count: int) -> float:
    """Return the best value of an opponent of the greedy policy in `seat`; where a move is drawn, the mean."""
    value = scratch.value
    for place in range(count - 1, -1, -1):
        state = scratch.order[place]
        mover = game.mover[state]
        first, end = game.edge_start[state], game.edge_start[state + 1]
        if mover == 0:
            value[state] = 0 if game.status[state] == rules.DRAW else (-1 if game.status[state] == seat else 1)
        elif mover == seat:
            value[state] = value[game.edge_child[greedy[state]]]
        elif mover == DRAWN:  # the empty board, the last of this loop
            total = 0.0
            for edge in range(first, end):
                total += value[game.edge_child[edge]]
            return float(total / (end - first))
        else:
            best = np.int8(-1)
            for edge in range(first, end):
                best = max(best, value[game.edge_child[edge]])
            value[state] = best
    return float(value[ROOT])


@kernel
def _rms_error(game: _Game, q: NDArray[np.float64], sums: NDArray[np.float64]) -> float:
    """Return the root of the mean square of the errors of the values, summed pairwise as numpy sums an array."""
    strands = np.zeros(8)
    start = depth = 0
    for block in range(game.block_end.size):
        end = int(game.block_end[block])
        in_strands = (end - start) // 8 * 8
        strands[:] = 0.0
        for i in range(start, start + in_strands, 8):
            for k in range(8):
                error = q[game.edges[i + k]] - game.target[i + k]
                strands[k] += error * error
        total = ((strands[0] + strands[1]) + (strands[2] + strands[3])) + (
            (strands[4] + strands[5]) + (strands[6] + strands[7])
        )
        for i in range(start + in_strands, end):
            error = q[game.edges[i]] - game.target[i]
            total += error * error
        sums[depth] = total
        depth += 1
        for _ in range(game.block_merges[block]):
            depth -= 1
            sums[depth - 1] += sums[depth]
        start = end
    return float(np.sqrt(sums[0] / game.edges.size)) if game.edges.size > 0 else 0.0


class Measures(NamedTuple):
    """The input of the kernel, and its work arrays.

    Attributes
    ----------
    game
        The fixed arrays of the measures.
    last
        Whether the last of equally good actions is taken.
    greedy : (S,) int32
        The greedy edge of each learning state at the last call.
    scratch : _Scratch, sums : (B,) float64
        Work arrays.
    """

    game: _Game
    last: bool
    greedy: NDArray[np.int32]
    scratch: _Scratch
    sums: NDArray[np.float64]


@kernel
def measure(measures: Measures, q: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Fill `out` with the measures in the order of `Truth.columns`; `greedy` goes on to the next call."""
    game, last, greedy, scratch, sums = measures
    changed = _greedy_edges(game, q, last, greedy)
    num_seats, num_judges = game.seats.size, game.judges.shape[0]
    replies = 0.0
    for number in range(num_seats):
        seat = game.seats[number]
        count = _reachable(game, seat, greedy, scratch)
        for judge in range(num_judges):
            place = 3 * (judge * num_seats + number)
            _result_against(game, seat, judge, greedy, scratch, count, out[place : place + 3])
        replies += _best_reply(game, seat, greedy, scratch, count)
    agreeing = 0
    for state in game.counted:
        agreeing += game.keeps_value[greedy[state]]
    place = 3 * num_judges * num_seats
    out[place] = replies / 2
    out[place + 1] = agreeing / max(game.counted.size, 1)
    out[place + 2] = changed
    out[place + 3] = _rms_error(game, q, sums)


def pairwise_blocks(count: int) -> tuple[list[int], list[int]]:
    """Return numpy's order of summing `count` numbers: the end of each block, and the additions of sums after it.

    Examples
    --------
    >>> pairwise_blocks(200)
    ([96, 200], [0, 1])
    """

    def split(start: int, end: int) -> list[tuple[int, int]]:
        if end - start <= _BLOCK:
            return [(end, 0)]
        middle = start + (end - start) // 16 * 8
        blocks = split(start, middle) + split(middle, end)
        return [*blocks[:-1], (end, blocks[-1][1] + 1)]

    blocks = split(0, count) if count else []
    return [end for end, _ in blocks], [merges for _, merges in blocks]


class Truth:
    """Measures the greedy policy of a table of action values.

    Parameters
    ----------
    table, solution
        The game.
    seats
        The seats that learn.
    judges
        Opponents in the measures; the first is the opponent of training, where there is one.
    target : (E,) float64
        The exact action values of the training problem.
    counted : (S,) bool
        States over which agreement and distance are taken.
    last
        Whether the last of equally good actions is taken, instead of the first.
    random_opening
        Whether the first move is drawn uniformly.  All results are then those after a drawn move, which belongs to
        no seat: exploitability is the mean over the first moves.
    """

    def __init__(
        self,
        table: StateTable,
        solution: Solution,
        seats: tuple[int, ...],
        judges: Sequence[Policy],
        target: NDArray[np.float64],
        counted: NDArray[np.bool_],
        last: bool = False,
        random_opening: bool = False,
    ) -> None:
        self.seats, self.judges, self.target, self.last = seats, list(judges), target, last
        mover, counts = table.player.copy(), counted.copy()
        if random_opening:
            mover[ROOT], counts[ROOT] = DRAWN, False
        edges = np.flatnonzero(np.repeat(counts, np.diff(table.edge_start)))
        ends, merges = pairwise_blocks(edges.size)
        self._game = _Game(
            table.edge_start,
            table.edge_child,
            table.status,
            mover,
            np.flatnonzero(np.isin(mover, seats)).astype(np.int32),
            np.array(seats, np.int8),
            np.array([judge.probabilities[table.legal_action_mask] for judge in judges]),
            np.flatnonzero(counts).astype(np.int32),
            solution.optimal_action_mask[table.legal_action_mask],
            edges.astype(np.int32),
            target[edges],
            np.array(ends, np.int32),
            np.array(merges, np.int32),
        )
        for array in self._game:
            array.flags.writeable = False
        self._work()

    def fresh(self) -> "Truth":
        """Return the same measures with fresh work arrays, as before the first call."""
        other = copy(self)
        other._work()
        return other

    def _work(self) -> None:
        states = self._game.mover.size
        scratch = _Scratch(
            np.zeros(states, np.bool_), np.zeros(states, np.int32), np.zeros(states), np.zeros(states, np.int8)
        )
        sums = np.zeros(max(self._game.block_end.size, 1))
        self.greedy = self._game.edge_start[:-1].astype(np.int32)
        self.measures = Measures(self._game, self.last, self.greedy, scratch, sums)

    @property
    def columns(self) -> list[str]:
        """Names of the numbers that a call returns.

        First the chances to win, draw and lose, for each judge and seat (the first judge's without a prefix).  Then
        `exploitability` (minimax plays a seat that does not learn) and `agreement`.  Last `changed` (states whose
        greedy action has changed since the last call) and `rms_error` (of the values from the exact ones).
        """
        names = []
        for number, judge in enumerate(self.judges):
            for seat in self.seats:
                first = number == 0 and seat == self.seats[0]
                prefix = "" if first else f"{SEAT_NAMES[seat]}_v_{judge.name}_"
                names += [f"{prefix}wins", f"{prefix}draws", f"{prefix}losses"]
        return [*names, "exploitability", "agreement", "changed", "rms_error"]

    def __call__(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the measures of the values `q`, (E,) float64 over the edges of the state table."""
        out: NDArray[np.float64] = self.rows(1)[0]
        measure(self.measures, q, out)
        return out

    def rows(self, number: int) -> NDArray[np.float64]:
        """Return room for the measures of several calls, (number, columns) float64."""
        return np.empty((number, 3 * len(self.judges) * len(self.seats) + 4))
