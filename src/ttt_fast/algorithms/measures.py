"""The rows of a learning curve: exact measures of the greedy policy, cheap enough for a thousand checkpoints.

One kernel call finds the greedy actions and computes all measures of a curve from them.  Between two stretches of
training nothing else needs the interpreter, which threads share.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.episodes import SEAT_NAMES, O, X
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games.results import result_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import Solution, StateTable
from ttt_fast.tables.state_table import ROOT

DRAWN = 3
"""Code for the player to move on the empty board if the first move is drawn at random."""


class MeasuredGame(NamedTuple):
    """The game and the measured seats, as read-only arrays for the kernels that measure a learning curve.

    Attributes
    ----------
    edge_start, edge_child, status
        From the state table.
    mover : (S,) int8
        The player to move: 1, 2, or DRAWN; 0 if the game is over.
    own : (L,) int32
        States in which a learner moves.
    seats : (K,) int8
        The seats that learn.
    judges : (J, E) float64
        The policies against which the greedy policy is measured: the probability of each edge.
    counted : (N,) int32, keeps_value : (E,) bool
        States over which agreement is computed, and the edges that agree.
    edges : (M,) int32, target : (M,) float64
        Edges over which `rms_error` is computed, and their exact values.
    last
        Whether ties go to the last of equally good actions instead of the first.
    conceded
        The value that the seat that does not learn concedes to the other under minimax play; 0 if both seats learn.
    """

    edge_start: NDArray[np.int32]
    edge_child: NDArray[np.int32]
    status: NDArray[np.int8]
    mover: NDArray[np.int8]
    own: NDArray[np.int32]
    seats: NDArray[np.int8]
    judges: NDArray[np.float64]
    counted: NDArray[np.int32]
    keeps_value: NDArray[np.bool_]
    edges: NDArray[np.int32]
    target: NDArray[np.float64]
    last: bool
    conceded: float


class Scratch(NamedTuple):
    """Work arrays over the states; zeros between rows, except for `order` and `value`.

    Attributes
    ----------
    is_reached : (S,) bool, order : (S,) int32
        The states that greedy play of a seat can reach against any play of the other, as a mask and as a list.
    reach : (S,) float64
        Their probabilities.
    value : (S,) int8
        The largest value that the other seat can obtain.
    """

    is_reached: NDArray[np.bool_]
    order: NDArray[np.int32]
    reach: NDArray[np.float64]
    value: NDArray[np.int8]


@kernel
def _greedy_edges(game: MeasuredGame, q: NDArray[np.float64], greedy: NDArray[np.int32]) -> int:
    """Fill the greedy edge (the first or last of equal ones) of each learning state; return the number of changes."""
    changed = 0
    for state in game.own:
        chosen = game.edge_start[state]
        value = q[chosen]
        for edge in range(game.edge_start[state] + 1, game.edge_start[state + 1]):
            is_better = (q[edge] > value) | (game.last & (q[edge] == value))
            chosen = np.int32(edge) if is_better else chosen
            value = q[edge] if is_better else value
        changed += chosen != greedy[state]
        greedy[state] = chosen
    return changed


@kernel
def _reachable(game: MeasuredGame, seat: int, greedy: NDArray[np.int32], scratch: Scratch) -> int:
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
        else:  # includes finished games, which have no edges
            for edge in range(game.edge_start[state], game.edge_start[state + 1]):
                scratch.is_reached[game.edge_child[edge]] = True
    return count


@kernel
def _result_against(
    game: MeasuredGame,
    seat: int,
    judge: int,
    greedy: NDArray[np.int32],
    scratch: Scratch,
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Fill `out` (3,) with the probabilities that the greedy policy in `seat` wins, draws and loses."""
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
            out[result_of(game.status[state], seat)] += mass
        elif mover == seat:
            reach[game.edge_child[greedy[state]]] += mass
        elif mover == DRAWN:
            for edge in range(first, end):
                reach[game.edge_child[edge]] += mass * (1.0 / (end - first))
        else:
            for edge in range(first, end):
                reach[game.edge_child[edge]] += mass * game.judges[judge, edge]


@kernel
def _best_reply(game: MeasuredGame, seat: int, greedy: NDArray[np.int32], scratch: Scratch, count: int) -> float:
    """Return the best value of an opponent of the greedy policy in `seat`, averaged over a random first move."""
    value = scratch.value
    for place in range(count - 1, -1, -1):
        state = scratch.order[place]
        mover = game.mover[state]
        first, end = game.edge_start[state], game.edge_start[state + 1]
        if mover == 0:
            value[state] = result_of(game.status[state], seat) - 1  # the other seat's: WIN, DRAWN, LOSS are 0, 1, 2
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
def _rms_error(game: MeasuredGame, q: NDArray[np.float64]) -> float:
    """Return the root mean square error of the values."""
    total = 0.0
    for i in range(game.edges.size):
        error = q[game.edges[i]] - game.target[i]
        total += error * error
    return float(np.sqrt(total / max(game.edges.size, 1)))


@kernel
def measure_greedy(
    game: MeasuredGame,
    q: NDArray[np.float64],
    greedy: NDArray[np.int32],
    changed: int,
    scratch: Scratch,
    out: NDArray[np.float64],
) -> None:
    """Fill a row of a learning curve as `measure` does, from the greedy edges of `q` and the number of changes."""
    num_seats, num_judges = game.seats.size, game.judges.shape[0]
    replies = game.conceded
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
    out[place + 3] = _rms_error(game, q)


@kernel
def measure(
    game: MeasuredGame,
    q: NDArray[np.float64],
    greedy: NDArray[np.int32],
    scratch: Scratch,
    out: NDArray[np.float64],
) -> None:
    """Fill a row of a learning curve.

    Parameters
    ----------
    game
        The read-only arrays that all rows share.
    q : (E,) float64
        Values of the edges.
    greedy : (S,) int32
        The greedy edges at the previous row; replaced by those of `q`.
    scratch
        Work arrays, restored on return.
    out : (K,) float64
        Output: the measures, in the order of `Measures.columns`.
    """
    measure_greedy(game, q, greedy, _greedy_edges(game, q, greedy), scratch, out)


class Measures:
    """Exact measures of the greedy policy of a table of action values; immutable, so that threads can share it.

    Parameters
    ----------
    table, solution
        The game.
    seats
        The seats that learn.
    judges
        The policies against which the greedy policy is measured; the first is the training opponent, if there is one.
    target : (E,) float64
        The exact action values of the training problem.
    counted : (S,) bool
        States over which agreement and error are computed.
    last
        Whether ties go to the last of equally good actions instead of the first.
    random_opening
        Whether the first move is drawn uniformly at random.  It then belongs to no seat, and all results are those
        after it: exploitability is the mean over the first moves.

    Attributes
    ----------
    game
        The arrays for the kernel.
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
        self.table, self.seats, self.judges, self.target = table, seats, list(judges), target
        mover, counts = table.player.copy(), counted.copy()
        if random_opening:
            mover[ROOT], counts[ROOT] = DRAWN, False
        starts = table.edge_child[: table.edge_start[ROOT + 1]] if random_opening else np.array([ROOT])
        edges = np.flatnonzero(np.repeat(counts, np.diff(table.edge_start)))
        self.game = MeasuredGame(
            table.edge_start,
            table.edge_child,
            table.status,
            mover,
            np.flatnonzero(np.isin(mover, seats)).astype(np.int32),
            np.array(seats, np.int8),
            np.array([judge.edge_probabilities for judge in judges]),
            np.flatnonzero(counts).astype(np.int32),
            solution.optimal,
            edges.astype(np.int32),
            target[edges],
            last,
            ((X in seats) - (O in seats)) * float(solution.value[starts].mean()),
        )
        for array in self.game[:-2]:
            frozen(array)
        self(np.zeros_like(target))  # loads the kernel

    def first_greedy(self) -> NDArray[np.int32]:
        """Return the greedy edges before learning, when all values are equal, (S,) int32."""
        start, own = self.game.edge_start, self.game.own
        greedy = start[:-1].astype(np.int32)
        if self.game.last:
            greedy[own] = start[own + 1] - 1
        return greedy

    @property
    def columns(self) -> list[str]:
        """Names of the measures.

        The first ones are, for each judge and seat, the probabilities of a win, a draw and a loss.  Then follow
        `exploitability`, `agreement`, `changed` and `rms_error`.  For the exploitability, minimax plays a seat that
        does not learn.  `changed` is the number of states with another greedy action than at the previous row, and
        `rms_error` is that of the values relative to the exact ones.
        """
        names = []
        for number, judge in enumerate(self.judges):
            for seat in self.seats:
                first = number == 0 and seat == self.seats[0]
                prefix = "" if first else f"{SEAT_NAMES[seat]}_v_{judge.name}_"
                names += [f"{prefix}wins", f"{prefix}draws", f"{prefix}losses"]
        return [*names, "exploitability", "agreement", "changed", "rms_error"]

    def __call__(self, q: NDArray[np.float64], greedy: NDArray[np.int32] | None = None) -> NDArray[np.float64]:
        """Return a row of measures.

        Parameters
        ----------
        q : (E,) float64
            Values of the edges of the state table.
        greedy : (S,) int32
            The greedy edges at the previous row, replaced by those of `q`.  Default: those of `first_greedy`.

        Returns
        -------
        (K,) float64
            In the order of `columns`.
        """
        out: NDArray[np.float64] = self.rows(1)[0]
        measure(self.game, q, self.first_greedy() if greedy is None else greedy, self.scratch(), out)
        return out

    def rows(self, number: int) -> NDArray[np.float64]:
        """Return an array for rows of measures, (number, K) float64."""
        return np.empty((number, len(self.columns)))

    def scratch(self) -> Scratch:
        """Return work arrays for `measure`."""
        states = self.game.mover.size
        return Scratch(
            np.zeros(states, np.bool_), np.zeros(states, np.int32), np.zeros(states), np.zeros(states, np.int8)
        )
