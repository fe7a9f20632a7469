"""Afterstate learning (Sai) for the state of any game, over a hash table.

The rule and the draws are those of `learn.afterstate` in self-play, so that on tic-tac-toe both end in the same
bits.  A board that nobody has updated is worth the initial value, and takes no room.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import api
from ttt_fast.values.choice import best_place, drawn_place, ordered
from ttt_fast.values.hashed import Rows, find, hold, move_towards

_GAMMA = np.uint64(GOLDEN_GAMMA)
_MASK_24 = np.uint64(0xFFFFFF)
_FREE, _1, _24 = np.uint64(0), np.uint64(1), np.uint64(24)


class Rule(NamedTuple):
    """The rule of a learner.

    Attributes
    ----------
    discount
        Gamma.
    visit_power
        0 for step sizes by episode, else step sizes are n ** -visit_power.
    tie
        A code of `choice.TIES`.
    x_learns, o_learns
        The players whose values are updated; another one moves by the same rule, with initial values only.
    """

    discount: float
    visit_power: float
    tie: int
    x_learns: bool
    o_learns: bool


@kernel
def fill_scores(
    state: api.State, rows: Rows, actions: NDArray[np.uint8], count: int, tie: int, scores: NDArray[np.float64]
) -> None:
    """Fill `scores` with the values of the boards after each of `count` actions, in the order of ties."""
    for place in range(count):
        mark = api.state_key(api.play(state, ordered(actions, count, place, tie))) + _1
        slot = find(rows.words, mark)
        scores[place] = rows.values[slot, 1] if rows.words[slot, 0] != _FREE else rows.initial


@kernel
def think(
    state: api.State,
    rows: Rows,
    tie: int,
    actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
    word: np.uint64,
) -> tuple[int, float, int]:
    """Return the greedy action of an ongoing state, its value, and the number of legal actions.

    `actions` (A,) uint8 and `scores` (A,) float64 are work arrays; ties may be drawn with the random `word`.
    """
    count = api.fill_legal_actions(state, actions)
    fill_scores(state, rows, actions, count, tie, scores)
    place = best_place(scores, count, tie, word >> _24)
    return ordered(actions, count, place, tie), scores[place], count


@kernel
def learn_afterstates(
    start: api.State,
    rows: Rows,
    rule: Rule,
    rewards: NDArray[np.float64],
    num_passes: NDArray[np.int64],
    alphas: NDArray[np.float64],
    explore_below: NDArray[np.uint64],
    stream: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> int:
    """Learn from games until they are done or the table must grow; return the number done.

    Parameters
    ----------
    start
        Start of the games, X to move.
    rows
        The table, updated in place.
    rule
        The rule of the learner.
    rewards : (3, P, 2) float64
        For X's win, a draw and O's win the rewards of X and of O, one pair an update at the end of a game.
    num_passes : (3,) int64
        Number of the P updates that each result has.
    alphas : (G,) float64, explore_below : (G,) uint64
        Step size and 24-bit exploration threshold of each game.
    stream : (1,) uint64
        Random stream of the chunk; afterwards at the start of the next game.
    counts : (3,) int64
        Games that X won, drew, lost; added to.
    """
    longest = api.max_plies(start)
    actions, scores = np.empty(api.num_actions(start), np.uint8), np.empty(api.num_actions(start))
    marks, slots = np.empty(longest, np.uint64), np.empty(longest, np.uint64)
    only = as_int(_FREE)  # the one value of a row; a literal 0 would be a signature of its own
    now = stream[0]
    for game in range(alphas.size):
        if rows.used[0] + longest > rows.limit:
            stream[0] = now
            return game
        state, length = start, 0
        status = api.status(state)
        while status == api.ONGOING:
            now += _GAMMA
            word = mix64(now)
            count = api.fill_legal_actions(state, actions)
            if (word & _MASK_24) < explore_below[game]:
                place = drawn_place(word >> _24, count)
            else:
                fill_scores(state, rows, actions, count, rule.tie, scores)
                place = best_place(scores, count, rule.tie, word >> _24)
            state = api.play(state, ordered(actions, count, place, rule.tie))
            marks[length] = api.state_key(state) + _1
            # looked for now: the next ply does not wait for it, and the update finds it in the cache
            slots[length] = find(rows.words, marks[length])
            length += 1
            status = api.status(state)
        result = 0 if status == api.X_WINS else (2 if status == api.O_WINS else 1)
        counts[result] += 1
        for turn in range(num_passes[result]):
            target = rewards[result, turn, (length - 1) & 1]  # of the player who has moved last
            other = rewards[result, turn, length & 1]
            for i in range(length - 1, -1, -1):
                if rule.o_learns if i & 1 else rule.x_learns:
                    slots[i] = hold(rows, slots[i], marks[i])
                    target = move_towards(rows, slots[i], only, rule.discount * target, alphas[game], rule.visit_power)
                target, other = other, target
    stream[0] = now
    return alphas.size
