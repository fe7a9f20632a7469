"""Two-ply Q-learning in self-play for the state of any game, over a hash table.

The rule and the draws are those of `learn.general` in self-play, so that on tic-tac-toe both end in the same bits.
An action is updated when its mover is to move again (the opponent's reply is part of the environment), or when
the game ends; winner, loser and drawers are all credited.  A row holds the values of all A actions of a state.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import api
from ttt_fast.learn.hashed.afterstate import Rule
from ttt_fast.values.choice import best_place, drawn_place, ordered
from ttt_fast.values.hashed import Rows, find, hold, move_towards

_GAMMA = np.uint64(GOLDEN_GAMMA)
_MASK_24 = np.uint64(0xFFFFFF)
_FREE, _1, _24 = np.uint64(0), np.uint64(1), np.uint64(24)


@kernel
def fill_scores(
    rows: Rows, slot: np.uint64, actions: NDArray[np.uint8], count: int, tie: int, scores: NDArray[np.float64]
) -> float:
    """Fill `scores` with the values of `count` actions, in the order of ties; return the highest."""
    is_there = rows.words[slot, 0] != _FREE
    best = -np.inf
    for place in range(count):
        value = rows.values[slot, 1 + ordered(actions, count, place, tie)] if is_there else rows.initial
        scores[place] = value
        best = max(best, value)
    return best


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
    best = fill_scores(rows, find(rows.words, api.state_key(state) + _1), actions, count, tie, scores)
    return ordered(actions, count, best_place(scores, count, tie, word >> _24), tie), best, count


@kernel
def learn_q(
    start: api.State,
    rows: Rows,
    rule: Rule,
    rewards: NDArray[np.float64],
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
        The table, A values a row, updated in place.
    rule
        The rule of the learner.
    rewards : (3,) float64
        Of a win, a draw, a loss, for every learner.
    alphas : (G,) float64, explore_below : (G,) uint64
        Step size and 24-bit exploration threshold of each game.
    stream : (1,) uint64
        Random stream of the chunk; afterwards at the start of the next game.
    counts : (3,) int64
        Games that X won, drew, lost; added to.
    """
    longest = api.max_plies(start)
    actions, scores = np.empty(api.num_actions(start), np.uint8), np.empty(api.num_actions(start))
    last_mark, last_slot = np.zeros(2, np.uint64), np.zeros(2, np.uint64)  # by player
    last_action = np.zeros(2, np.int64)
    now = stream[0]
    for game in range(alphas.size):
        if rows.used[0] + longest > rows.limit:
            stream[0] = now
            return game
        alpha = alphas[game]
        last_mark[:] = _FREE
        state, mover = start, 0
        status = api.status(state)
        while status == api.ONGOING:
            now += _GAMMA
            word = mix64(now)
            count = api.fill_legal_actions(state, actions)
            mark = api.state_key(state) + _1
            slot = find(rows.words, mark)
            best = fill_scores(rows, slot, actions, count, rule.tie, scores)
            if (word & _MASK_24) < explore_below[game]:
                place = drawn_place(word >> _24, count)
            else:
                place = best_place(scores, count, rule.tie, word >> _24)
            if last_mark[mover] != _FREE and (rule.o_learns if mover else rule.x_learns):
                held = hold(rows, last_slot[mover], last_mark[mover])
                move_towards(rows, held, last_action[mover], rule.discount * best, alpha, rule.visit_power)
            last_mark[mover], last_slot[mover] = mark, slot
            last_action[mover] = ordered(actions, count, place, rule.tie)
            state = api.play(state, last_action[mover])
            mover = 1 - mover
            status = api.status(state)
        result = 0 if status == api.X_WINS else (2 if status == api.O_WINS else 1)
        counts[result] += 1
        for player in range(2):
            if last_mark[player] != _FREE and (rule.o_learns if player else rule.x_learns):
                reward = rewards[2 - result if player else result]
                held = hold(rows, last_slot[player], last_mark[player])
                move_towards(rows, held, last_action[player], reward, alpha, rule.visit_power)
    stream[0] = now
    return alphas.size
