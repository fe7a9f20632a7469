"""Q-learning over tables larger than the cache: interleaved episodes, which hide the latency of memory.

A chunk has LANES episodes in progress at a time, which take turns.  In its turn an episode either prefetches the row of
its new state, or plays from that state.  The prefetch completes during the turns of the other episodes.

An episode therefore sees the updates of the others in a fixed order, and the result depends only on the settings.  The
chunk's stream gives one word to each move, in the order of the moves.  Episode i of a chunk begins in the lane that is
free; the first LANES episodes begin together.  At the end of a chunk lanes run empty: no episode extends into the next
chunk.

The rule is that of `general`, by action: Q-learning with ties to the first action, and the step size and epsilon of
each episode.  A move takes the word `w`, `x = w >> 24` and rank `x * n >> 40` of n.  An opponent with probabilities
takes the first edge whose running sum exceeds x / 2**40.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.episodes import ALTERNATE, Episodes
from ttt_fast.core.bits import as_int
from ttt_fast.core.instructions import prefetch
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import next_word
from ttt_fast.games.results import outcome_of, result_of
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.views import CHOICE, UNIFORM, Moves
from ttt_fast.tables.state_table import ROOT, StateTable

LANES = 32
"""Number of episodes in progress at a time; it affects the result."""
_MASK_24 = np.uint64((1 << 24) - 1)
_MASK_8 = np.uint64(255)
_8, _16, _24, _32, _40 = (np.uint64(bits) for bits in (8, 16, 24, 32, 40))
_NO_EDGE = _NO_STATE = -1


class Lanes(NamedTuple):
    """The L episodes in progress.

    Attributes
    ----------
    state : (L,) int64
        Current state of each episode; _NO_STATE in an empty lane.
    head : (L,) uint64
        The head of that state.
    edge : (L, 2) int64
        The last edge of each learning seat; _NO_EDGE before it.
    seat : (L,) int64
        The learning seat, 0 for both.
    alpha : (L,) float64, explore_below : (L,) uint64
        Step size of the episode, and the 24-bit words below which it explores.
    """

    state: NDArray[np.int64]
    head: NDArray[np.uint64]
    edge: NDArray[np.int64]
    seat: NDArray[np.int64]
    alpha: NDArray[np.float64]
    explore_below: NDArray[np.uint64]


class InterleavedProblem(NamedTuple):
    """The data of a learning problem.

    Attributes
    ----------
    head : (S,) uint64
        For each state, first edge << 32 | player << 16 | status << 8 | number of edges.
    child : (E,) int32, edge_action : (E,) uint8
        As in the table.
    seat
        1 (X) or 2 (O) learns against the opponent, 3 alternating; 0: both learn.
    opponent
        The moves of the opponent.
    rewards : (3,) float64
        Rewards of a win, a draw and a loss, for every learner.
    discount
        Gamma.
    """

    head: NDArray[np.uint64]
    child: NDArray[np.int32]
    edge_action: NDArray[np.uint8]
    seat: int
    opponent: Moves
    rewards: NDArray[np.float64]
    discount: float


def interleaved_problem(
    table: StateTable, seat: int, opponent: Policy, rewards: NDArray[np.float64], discount: float
) -> InterleavedProblem:
    """Return a problem over a table."""
    first, counts = table.edge_start[:-1].astype(np.uint64), np.diff(table.edge_start).astype(np.uint64)
    head = first << _32 | table.player.astype(np.uint64) << _16 | table.status.astype(np.uint64) << _8 | counts
    return InterleavedProblem(
        frozen(head), table.edge_child, table.edge_action, seat, opponent.moves, rewards, discount
    )


def make_lanes(number: int) -> Lanes:
    """Return work arrays for a number of episodes in progress."""
    whole, words = np.zeros((2, number), np.int64), np.zeros((2, number), np.uint64)
    return Lanes(whole[0], words[0], np.zeros((number, 2), np.int64), whole[1], np.zeros(number), words[1])


@kernel
def _opponent_step(problem: InterleavedProblem, state: int, first: int, end: int, x: np.uint64) -> int:
    """Return the edge that the opponent plays, by the 40-bit fraction `x`."""
    opponent = problem.opponent
    if opponent.form == CHOICE:
        edge = first
        while problem.edge_action[edge] != opponent.actions[state]:
            edge += 1
        return edge
    # the first edge whose running sum exceeds the fraction; if rounding leaves the sum below it, the last one played
    edge = last = first
    total, drawn = opponent.probabilities[first], np.float64(x) * 2.0**-40
    while edge + 1 < end and total <= drawn:
        edge += 1
        total += opponent.probabilities[edge]
        if opponent.probabilities[edge] > 0.0:
            last = edge
    return last


@kernel
def _update(q: NDArray[np.float64], updated: NDArray[np.bool_], edge: int, target: float, alpha: float) -> None:
    """Update the value of an edge towards a target, if there is an edge."""
    if edge != _NO_EDGE:
        q[edge] += alpha * (target - q[edge])
        updated[edge] = True


@kernel
def _begin(lane: int, episode: int, problem: InterleavedProblem, episodes: Episodes, lanes: Lanes) -> None:
    """Begin an episode of the chunk in a lane."""
    seat = problem.seat
    if seat == ALTERNATE:
        seat = 1 + (episodes.first + episode) % 2
    lanes.state[lane], lanes.seat[lane], lanes.alpha[lane] = ROOT, seat, episodes.alphas[episode]
    lanes.explore_below[lane] = np.uint64(round(episodes.epsilons[episode] * 2.0**24))
    lanes.edge[lane, 0] = lanes.edge[lane, 1] = _NO_EDGE


@kernel
def learn_interleaved(
    problem: InterleavedProblem,
    q: NDArray[np.float64],
    updated: NDArray[np.bool_],
    episodes: Episodes,
    stream: np.uint64,
    lanes: Lanes,
    counts: NDArray[np.int64],
) -> None:
    """Learn from the episodes of a chunk.

    Parameters
    ----------
    problem
        The table, the opponent, the rewards.
    q, updated : (E,)
        The values, and whether they have been updated; changed in place.
    episodes
        The episodes of the chunk.
    stream
        Random stream of the chunk.
    lanes
        Work arrays.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    child, head = problem.child, problem.head
    # episodes of the chunk, and those begun so far; the first ones begin in the lane of their number
    number, begun = episodes.alphas.size, min(lanes.state.size, episodes.alphas.size)
    under_way = begun
    lanes.state[:] = _NO_STATE
    for lane in range(begun):
        _begin(lane, lane, problem, episodes, lanes)
    while under_way > 0:
        # first turn of each lane: end its game if it is over, and request the row of its state
        for lane in range(lanes.state.size):
            state = lanes.state[lane]
            if state == _NO_STATE:
                continue
            word = head[state]
            if word & _MASK_8 == 0:  # the game is over
                status = as_int(word >> _8 & _MASK_8)
                counts[outcome_of(status)] += 1
                # `which` is 0 for X, 1 for O; a seat that has not moved or does not learn has no edge
                for which in range(2):
                    reward = problem.rewards[result_of(status, which + 1)]
                    _update(q, updated, lanes.edge[lane, which], reward, lanes.alpha[lane])
                # no episode is left for this lane
                if begun == number:
                    lanes.state[lane] = _NO_STATE
                    under_way -= 1
                    continue
                _begin(lane, begun, problem, episodes, lanes)
                word = head[ROOT]
                begun += 1
            lanes.head[lane] = word
            # the first and last edge of the row; a line of the cache has 8 values
            first, last = as_int(word >> _32), as_int((word >> _32) + (word & _MASK_8)) - 1
            prefetch(child, first)
            prefetch(child, last)
            prefetch(q, first)
            prefetch(q, min(first + 8, last))
            prefetch(q, last)
        # second turn of each lane: a move from the row, which has arrived meanwhile
        for lane in range(lanes.state.size):
            if lanes.state[lane] == _NO_STATE:
                continue
            head_word, seat = lanes.head[lane], lanes.seat[lane]
            mover, count = as_int(head_word >> _16 & _MASK_8), head_word & _MASK_8
            first = as_int(head_word >> _32)
            stream, word = next_word(stream)
            x = word >> _24
            # the edge of a random move
            drawn = first + as_int((x * count) >> _40)
            if seat != 0 and seat != mover:
                edge = drawn
                if problem.opponent.form != UNIFORM:
                    edge = as_int(_opponent_step(problem, as_int(lanes.state[lane]), first, first + as_int(count), x))
            else:
                # the first edge of the highest value
                edge, best = first, q[first]
                for other in range(first + 1, first + as_int(count)):
                    value = q[other]
                    edge = other if value > best else edge
                    best = max(value, best)
                # the previous edge of the same player leads here, by the reply: its target is the highest value
                _update(q, updated, lanes.edge[lane, mover - 1], problem.discount * best, lanes.alpha[lane])
                if (word & _MASK_24) < lanes.explore_below[lane]:
                    edge = drawn
                lanes.edge[lane, mover - 1] = edge
            after = as_int(child[edge])
            # for the first turn of this lane in the next round
            prefetch(head, after)
            lanes.state[lane] = after
