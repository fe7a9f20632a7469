"""Afterstate learning: the value of a board for the player who has just moved (Sai), in any world.

The afterstates of the two players never coincide, so that one table holds the values of both.  At the end of a
game a learner's afterstates are updated from the last to the first, `V += alpha * (gamma * r - V)`.  Here `r` is the
reward at the last one, and before it the new `V` of the following one.  There is no maximum, and gamma applies at the
last step, too.  The value of an action is that of the board after it; as exploration ends and the step size falls,
it goes to gamma times the value of `exact_q`.  A board that nobody has updated is worth the initial value.

Draws, as in `general`.  A chunk of games has one SplitMix64 stream; every ply takes one word `w`; `x = w >> 24` is a
40-bit fraction:

* a fixed opponent moves: `worlds.reply` by `x`;
* a learner moves: it explores if `(w & 0xFFFFFF) < round(epsilon * 2**24)`, with the epsilon of the game, taking
  the (x * n >> 40)-th of n legal actions in the order of ties (descending for `last`, else ascending); else the first
  one in that order whose afterstate has the highest value or, with random ties, the (x * m >> 40)-th of m such;
* the first move, if it is to be drawn: the (x * n >> 40)-th legal action, which is not learned from.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games.api import State
from ttt_fast.games.results import ONGOING, outcome_of
from ttt_fast.learn.general import Episodes, Rule
from ttt_fast.learn.settings import ALTERNATE, Passes
from ttt_fast.learn.worlds import fill_actions, move, reply, status_of
from ttt_fast.values.api import find_row, has_room, hold_row, mark_of, move_towards, value_at
from ttt_fast.values.choice import best_place, drawn_place, ordered

_GAMMA = np.uint64(GOLDEN_GAMMA)
_MASK_24 = np.uint64(0xFFFFFF)
_0, _24 = np.uint64(0), np.uint64(24)


@kernel
def _fill_scores(
    world: Any, rows: Any, state: State, actions: NDArray[np.uint8], count: int, tie: int, scores: NDArray[np.float64]
) -> None:
    """Fill `scores` with the values of the boards after each of `count` actions, in the order of ties."""
    only = as_int(_0)
    for place in range(count):
        mark = mark_of(rows, move(world, state, ordered(actions, count, place, tie)))
        scores[place] = value_at(rows, find_row(rows, mark), only, only)


@kernel
def learn_boards(
    start: State,
    world: Any,
    rows: Any,
    rule: Rule,
    passes: tuple[NDArray[np.float64], NDArray[np.int64]],
    episodes: Episodes,
    stream: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> int:
    """Learn from games until they are done or the table is full; return the number done.

    Parameters
    ----------
    start
        State in which every game begins, X to move.
    world
        Where it goes on (`worlds`).
    rows
        The values, a column each (`values`), updated in place.
    rule
        The rule of the learner; its algorithm is of no use here.
    passes
        For X's win, a draw and O's win the rewards of X and of O, (3, P, 2) float64, one pair an update at the end of
        a game, and how many of the P updates each has, (3,) int64.
    episodes
        The games of the chunk.
    stream : (1,) uint64
        Random stream of the chunk; afterwards at the start of the next game.
    counts : (3,) int64
        Games that X won, drew, lost; added to.
    """
    longest = world.max_plies
    actions = np.arange(world.num_actions).astype(np.uint8)
    scores = np.empty(world.num_actions)
    marks, slots = np.empty(longest, np.uint64), np.empty(longest, np.uint64)
    rewards, num_passes = passes
    opened, only = int(rule.random_opening), as_int(_0)  # a literal 0 would be a signature of its own
    now = stream[0]
    for game in range(episodes.alphas.size):
        if not has_room(rows, longest):
            stream[0] = now
            return game
        explore_below = np.uint64(round(episodes.epsilons[game] * 2.0**24))
        seat = 1 + (episodes.first + game) % 2 if rule.seat == ALTERNATE else rule.seat
        state, length = start, 0
        status = status_of(world, state)
        while status == ONGOING:
            now += _GAMMA
            word = mix64(now)
            x = word >> _24
            if seat != 0 and 1 + (length & 1) != seat and length >= opened:
                state = reply(world, state, x)
            else:
                count = fill_actions(world, state, actions)
                if (word & _MASK_24) < explore_below or length < opened:
                    place = drawn_place(x, count)
                else:
                    _fill_scores(world, rows, state, actions, count, rule.tie, scores)
                    place = best_place(scores, count, rule.tie, x)
                state = move(world, state, ordered(actions, count, place, rule.tie))
                marks[length] = mark_of(rows, state)
                # looked for now: the next ply does not wait for it, and the update finds it in the cache
                slots[length] = find_row(rows, marks[length])
            length += 1
            status = status_of(world, state)
        result = outcome_of(status)
        counts[result] += 1
        for turn in range(num_passes[result]):
            target = rewards[result, turn, (length - 1) & 1]  # of the player who has moved last
            other = rewards[result, turn, length & 1]
            for i in range(length - 1, opened - 1, -1):
                if (seat == 0 or 1 + (i & 1) == seat) and (rule.o_learns if i & 1 else rule.x_learns):
                    slots[i] = hold_row(rows, slots[i], marks[i])
                    target = move_towards(
                        rows, slots[i], only, only, rule.discount * target, episodes.alphas[game], rule.visit_power
                    )
                target, other = other, target
    stream[0] = now
    return int(episodes.alphas.size)


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
