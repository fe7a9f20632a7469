"""Afterstate learning: the value of a board for the player who has just moved (Sai).

The afterstates of the two players never coincide, so that one (S,) array holds both value tables.  At the end of a
game a learner's afterstates are updated from the last to the first, `V += alpha * (gamma * r - V)`.  Here `r` is the
reward at the last one, and before it the new `V` of the following one.  There is no maximum, and gamma applies at the
last step, too.  The value of an action is that of the board after it; as exploration ends and the step size falls,
it goes to gamma times the value of `exact_q`.

Draws, as in `general`.  A chunk of games has one SplitMix64 stream; every ply takes one word `w`; `x = w >> 24` is a
40-bit fraction:

* a fixed policy moves: the alias slot by `x`, as in `q_learning`, rule 3;
* a learner moves: it explores if `(w & 0xFFFFFF) < round(epsilon * 2**24)`, with the epsilon of the game, taking
  the (x * n >> 40)-th of n legal actions in the order of ties (descending for `last`, else ascending); else the first
  one in that order whose afterstate has the highest value or, with random ties, the (x * m >> 40)-th of m such;
* the first move, if it is to be drawn: the (x * n >> 40)-th legal action, which is not learned from.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.learn.general import Switches
from ttt_fast.learn.one_ply import OnePly, one_ply_game, reply, try_order
from ttt_fast.learn.settings import ALTERNATE, Passes
from ttt_fast.policies.policy import Policy

EPSILON_SCALE = 2.0**24
X_WINS, DRAW, O_WINS = 0, 1, 2
"""Results, in the order of counts and rewards."""

_RESULT_OF_STATUS = {rules.X_WINS: X_WINS, rules.DRAW: DRAW, rules.O_WINS: O_WINS}
_GAMMA = np.uint64(GOLDEN_GAMMA)
_MASK_4, _MASK_24 = np.uint64(0xF), np.uint64(0xFFFFFF)
_1, _4, _24, _40 = np.uint64(1), np.uint64(4), np.uint64(24), np.uint64(40)


class Afterstates(NamedTuple):
    """The learned values.

    Attributes
    ----------
    values : (S,) float64
        Value of each board for the player who has just moved.
    updates : (S,) int64
        Number of updates of each.
    """

    values: NDArray[np.float64]
    updates: NDArray[np.int64]


class AfterstateGame(NamedTuple):
    """The game as the kernel reads it.

    Attributes
    ----------
    row : (S,) uint32
        first_edge << 4 | number_of_edges; for a finished game result << 4.
    child : (E,) uint16
        The boards after each legal action, in the order of ties.
    rival
        The fixed policy (of no use in self-play).
    """

    row: NDArray[np.uint32]
    child: NDArray[np.uint16]
    rival: OnePly


def afterstate_game(rival: Policy, tie: str) -> AfterstateGame:
    """Return the arrays of the kernel; `tie` is `first`, `last` or `random`."""
    table = rival.table
    ordered = table.child[:, try_order(tie, table.num_actions)]
    row = table.edge_start[:-1].astype(np.uint32) << 4 | table.legal_action_mask.sum(axis=1).astype(np.uint32)
    for status, result in _RESULT_OF_STATUS.items():
        row[table.status == status] = result << 4
    return AfterstateGame(row, ordered[ordered >= 0].astype(np.uint16), one_ply_game(rival, tie))


@kernel
def _drawn_from_best(
    values: NDArray[np.float64], child: NDArray[np.uint16], first: np.uint64, count: np.uint64, x: np.uint64
) -> np.uint16:
    """Return the highest of the children first to first + count, drawn from equal ones by the 40-bit fraction `x`."""
    best = -np.inf
    equal = np.uint64(0)
    for edge in range(first, first + count):
        value = values[child[edge]]
        equal = _1 if value > best else equal + np.uint64(value == best)
        best = max(best, value)
    skip = (x * equal) >> _40
    chosen: np.uint16 = child[first]
    for edge in range(first, first + count):
        if values[child[edge]] == best:
            chosen = child[edge]
            if skip == 0:
                break
            skip -= _1
    return chosen


@kernel
def learn_afterstates(
    learned: Afterstates,
    game: AfterstateGame,
    switches: Switches,
    rewards: NDArray[np.float64],
    num_passes: NDArray[np.int64],
    first_episode: int,
    alphas: NDArray[np.float64],
    explore_below: NDArray[np.uint64],
    stream: np.uint64,
    counts: NDArray[np.int64],
) -> None:
    """Learn from a chunk of games.

    Parameters
    ----------
    learned
        Updated in place.
    game, switches
        The game and the settings; the switches' algorithm is not used.
    rewards : (3, P, 2) float64
        For X's win, a draw and O's win the rewards of X and of O, one pair an update at the end of a game.
    num_passes : (3,) int64
        Number of the P updates that each result has.
    first_episode
        Index of the first game, for alternating seats.
    alphas : (G,) float64, explore_below : (G,) uint64
        Step size and 24-bit exploration threshold of each game.
    stream
        Random stream of the chunk.
    counts : (3,) int64
        Games that X won, drew, lost; added to.
    """
    values, updates = learned.values, learned.updates
    row, child, rival = game.row, game.child, game.rival
    opened, gamma, visit_power = int(switches.random_opening), switches.discount, switches.visit_power
    path = np.zeros(rules.NUM_CELLS, np.uint16)
    for number in range(alphas.size):
        alpha, below = alphas[number], explore_below[number]
        seat = 1 + (first_episode + number) % 2 if switches.seat == ALTERNATE else switches.seat
        state = np.uint16(0)
        length = 0
        packed = np.uint64(row[0])
        while packed & _MASK_4:
            stream += _GAMMA
            word = mix64(stream)
            first, count = packed >> _4, packed & _MASK_4
            if seat != 0 and 1 + (length & 1) != seat and length >= opened:
                state = np.uint16(rival.child[int(state), reply(rival, int(state), word >> _24)])
            elif (word & _MASK_24) < below or length < opened:
                state = child[first + (((word >> _24) * count) >> _40)]
            elif switches.random_ties:
                state = _drawn_from_best(values, child, first, count, word >> _24)
            else:
                best = -np.inf
                for edge in range(first, first + count):
                    candidate = child[edge]
                    value = values[candidate]
                    better = value > best
                    best = value if better else best
                    state = candidate if better else state
            path[length] = state
            length += 1
            packed = np.uint64(row[state])
        result = packed >> _4
        counts[result] += 1
        for turn in range(num_passes[result]):
            target = rewards[result, turn, (length - 1) & 1]  # of the player who has moved last
            other = rewards[result, turn, length & 1]
            for i in range(length - 1, opened - 1, -1):
                if seat == 0 or 1 + (i & 1) == seat:
                    state = path[i]
                    value = values[state]
                    updates[state] += 1
                    if visit_power > 0.0:
                        alpha = float(updates[state]) ** -visit_power
                    value += alpha * (gamma * target - value)
                    values[state] = value
                    target = value
                target, other = other, target


def packed_rewards(passes: Passes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rewards of the kernel, (3, P, 2) float64, and the number of updates of each result, (3,) int64.

    Examples
    --------
    >>> rewards, num_passes = packed_rewards((((1.0, -1.0), (0.0, 0.0)), ((0.0, 0.0),), ((-1.0, 1.0),)))
    >>> rewards.shape, num_passes.tolist()
    ((3, 2, 2), [2, 1, 1])
    """
    most = max(1, *(len(pairs) for pairs in passes))
    padded = [[*pairs, *[(0.0, 0.0)] * (most - len(pairs))] for pairs in passes]
    return np.array(padded, np.float64), np.array([len(pairs) for pairs in passes])
