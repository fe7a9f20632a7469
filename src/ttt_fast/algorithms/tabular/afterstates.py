"""Values of boards (afterstates; Sai), in games in which X and O alternate: one kernel for all settings.

The value of a board is that for the player of the last move.  The boards of the two players never coincide, so that one
table holds both.  At the end of a game a learner's boards are updated from the last to the first,
`V += alpha * (gamma * r - V)`.  Here `r` is the reward for the last board, and for an earlier one the new `V` of the
following board.  There is no maximum, and gamma also applies at
the last step.  The value of an action is that of the board after it.  As exploration ends and the step size falls, it
converges to gamma times the value of `exact_q`.  A board without updates has the initial value.

Draws are those of `general`: one word for each ply.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dynamics import AnyState, Dynamics, fill_actions, opponent_step, status_of, transition
from ttt_fast.algorithms.episodes import Episodes
from ttt_fast.algorithms.seats import ALTERNATE
from ttt_fast.algorithms.tabular.general import EpisodeScratch, reset
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel, kernel_without_counts
from ttt_fast.core.rng import next_word
from ttt_fast.games.results import ONGOING, outcome_of
from ttt_fast.values.api import ValueRows, find_row, has_room, insert_row, row_key, update_value, value_at
from ttt_fast.values.choice import best_place, drawn_place, ordered

_MASK_24 = np.uint64((1 << 24) - 1)
_0, _24 = np.uint64(0), np.uint64(24)


class BoardRule(NamedTuple):
    """The rule of a learner of board values, as plain numbers.

    Attributes
    ----------
    seat, tie, random_opening, visit_power, discount
        As in `general.ActionRule`.
    o_learns
        Whether values of O are updated.
    rewards : (3, P, 2) float64
        For X's win, a draw and O's win: the rewards of X and of O, one pair for each update at the end of a game.
    num_passes : (3,) int64
        Number of updates (at most P) of each result.
    """

    seat: int
    tie: int
    random_opening: bool
    visit_power: float
    discount: float
    o_learns: bool
    rewards: NDArray[np.float64]
    num_passes: NDArray[np.int64]


@kernel
def _fill_values(
    dynamics: Dynamics,
    rows: ValueRows,
    state: AnyState,
    actions: NDArray[np.uint8],
    count: int,
    tie: int,
    scores: NDArray[np.float64],
) -> None:
    """Fill `scores` with the values of the boards after each of `count` actions, in tie order."""
    only = as_int(_0)
    for place in range(count):
        # scores[place]: the board after the place-th action in tie order
        key = row_key(rows, transition(dynamics, state, ordered(actions, count, place, tie)))
        scores[place] = value_at(rows, find_row(rows, key), only, only)


@kernel_without_counts
def learn_boards(
    dynamics: Dynamics,
    rows: ValueRows,
    rule: BoardRule,
    scratch: EpisodeScratch,
    episodes: Episodes,
    stream: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> int:
    """Learn from games until they are done or the table is full; return the number of games done.

    Parameters
    ----------
    dynamics
        The dynamics of every game, with its initial state.
    rows
        The values, one in each row (`values`), updated in place.
    rule
        The rule of the learner.
    scratch
        Scratch buffers.
    episodes
        The games of the chunk.
    stream : (1,) uint64
        Random stream of the chunk; advanced to the start of the next game.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    # keys[i] and slots[i] are of the board after ply i, which is a move of X if i is even
    longest, actions, scores = dynamics.max_plies, scratch.actions, scratch.scores
    keys, slots = scratch.keys, scratch.places
    rewards, num_passes = rule.rewards, rule.num_passes
    # `opened` plies begin a game and are not learned from; `only` is the number of the only column and the only table
    opened, only = int(rule.random_opening), as_int(_0)  # a literal 0 would be a signature of its own
    now = stream[0]
    for game in range(episodes.alphas.size):
        if not has_room(rows, longest):
            stream[0] = now
            return game
        # of the 2**24 values of the low bits of a word, those below this number explore
        explore_below = np.uint64(round(episodes.epsilons[game] * 2.0**24))
        seat = 1 + (episodes.first + game) % 2 if rule.seat == ALTERNATE else rule.seat
        state, now = reset(dynamics, rule.random_opening, rule.tie, actions, now)
        length, status = opened, status_of(dynamics, state)
        while status == ONGOING:
            now, word = next_word(now)
            x = word >> _24
            # the seat to move is 1 + (length & 1)
            if seat != 0 and 1 + (length & 1) != seat:
                state = opponent_step(dynamics, state, x)
            else:
                count = fill_actions(dynamics, state, actions)
                if (word & _MASK_24) < explore_below:
                    place = drawn_place(x, count)
                else:
                    _fill_values(dynamics, rows, state, actions, count, rule.tie, scores)
                    place = best_place(scores, count, rule.tie, x)
                state = transition(dynamics, state, ordered(actions, count, place, rule.tie))
                keys[length] = row_key(rows, state)
                # looked up now, so that the next ply does not wait for it, and the update finds it in the cache
                slots[length] = find_row(rows, keys[length])
            length += 1
            status = status_of(dynamics, state)
        result = outcome_of(status)
        counts[result] += 1
        for turn in range(num_passes[result]):
            target = rewards[result, turn, (length - 1) & 1]  # of the player of the last move
            other = rewards[result, turn, length & 1]
            # one ply back, the other player has moved: the two targets change places
            for i in range(length - 1, opened - 1, -1):
                if (seat == 0 or 1 + (i & 1) == seat) and (rule.o_learns or i & 1 == 0):
                    slots[i] = insert_row(rows, slots[i], keys[i])
                    target = update_value(
                        rows, slots[i], only, only, rule.discount * target, episodes.alphas[game], rule.visit_power
                    )
                target, other = other, target
    stream[0] = now
    return int(episodes.alphas.size)
