"""An emulation of Langan's learner as coded: its numbering of actions, its ties, and its three defects.

The algorithm is Q-learning with a constant step size and epsilon, no discount, and one table per learner, initialised
to 0.  The program has three defects that its report does not mention.  Each can be mended separately:

B1  successor: in self-play the successor of a move is the board right after it, where the *opponent* is to move.  The
    learner never acts there, so that row stays 0 and no value is ever backed up.
B2  credit: in self-play only the player with the last move is rewarded, and that player cannot have lost.  No table
    learns from a loss.
B3  maximum: the best value of a successor is the maximum over all nine actions.  The values of illegal actions stay 0,
    so a lost position counts as a draw one move earlier.  This defect affects all training, not only self-play.

Random numbers.  A segment of episodes has one SplitMix64 stream, and every decision of a learner consumes one word `w`.
The learner explores if `(w & 0xFFFFFF) < round(epsilon * 2**24)`.  Then `x = w >> 24` is a 40-bit fraction.  Successive
multiplication (`x *= n`; take `x >> 40`; `x &= 2**40 - 1`) draws first the exploratory action, if any.  It then draws
the opponent's reply, if the opponent is a fixed player.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games import api
from ttt_fast.kernels import kernel, next_word
from ttt_fast.studies.langan.game import (
    COUNT_SHIFT,
    FIRST_SHIFT,
    ROOT_ROW,
    STATE_MASK,
    STATUS_SHIFT,
    LearnerTables,
    Replies,
)

STEP_SIZE, EPSILON = 0.1, 0.2
"""Section 5.1; the discount is 1."""
CODED, WRITTEN = (1.0, 0.0, -1.0), (1.0, 0.5, 0.0)
"""Rewards of a win, a draw and a loss: as in the program, and as in section 4.3."""

_CELLS = 9
_MASK_24, _MASK_40 = np.uint64((1 << 24) - 1), np.uint64((1 << 40) - 1)
_24, _40 = np.uint64(24), np.uint64(40)


class Mended(NamedTuple):
    """Flags for the defects that are mended."""

    successor: bool = False
    credit: bool = False
    maximum: bool = False

    def __str__(self) -> str:
        """Return the mended defects as text."""
        names = [name for name, mended in zip(("B1", "B2", "B3"), self, strict=True) if mended]
        return "+".join(names) or "as coded"


class EmulatedRule(NamedTuple):
    """The learning rule of the program.

    Attributes
    ----------
    mended
        The defects that are mended.
    rewards
        Rewards of a win, a draw and a loss.
    step, last_step
        Step sizes: of ordinary updates, and of updates at the end of a game.
    epsilon
        Probability of exploration.
    """

    mended: Mended = Mended()
    rewards: tuple[float, float, float] = CODED
    step: float = STEP_SIZE
    last_step: float = STEP_SIZE
    epsilon: float = EPSILON


@kernel
def _update(t: LearnerTables, learner: int, state: int, row: int, place: int, step: float, target: float) -> None:
    """Move one value towards its target, and update `best` and `greedy` of its row; `row` is a packed link."""
    first = row >> FIRST_SHIFT
    value = t.q[learner, first + place]
    value += step * (target - value)
    t.q[learner, first + place] = value
    top = t.best[learner, state]
    at = int(t.greedy[learner, state])
    if place != at:
        if value > top or (value == top and place < at):
            t.best[learner, state] = value
            t.greedy[learner, state] = place
    elif value >= top:
        t.best[learner, state] = value
    else:
        top = -np.inf
        for i in range((row >> COUNT_SHIFT) & 15):
            if t.q[learner, first + i] > top:
                top = t.q[learner, first + i]
                at = i
        t.best[learner, state] = top
        t.greedy[learner, state] = at


@kernel
def _value_of_row(t: LearnerTables, learner: int, state: int, row: int, over_legal: bool) -> float:
    """Return the maximum over a row of nine values, in which the values of illegal actions are 0."""
    value = float(t.best[learner, state])
    if not over_legal and value < 0.0 and (row >> COUNT_SHIFT) & 15 < _CELLS:
        return 0.0
    return value


@kernel
def self_play(link: NDArray[np.int64], t: LearnerTables, rule: EmulatedRule, episodes: int, stream: np.uint64) -> None:
    """Play a segment of episodes between two learners, learner 0 as X; the tables are changed in place."""
    mended, rewards, step, last_step = rule.mended, rule.rewards, rule.step, rule.last_step
    explore_below = np.uint64(round(rule.epsilon * 2.0**24))
    for _ in range(episodes):
        state, row, mover = 0, ROOT_ROW, 0
        my_state, my_row, my_place = -1, 0, 0  # each player's last decision
        their_state, their_row, their_place = -1, 0, 0
        while True:
            t.seen[mover, state] = True
            if mended.successor and my_state >= 0:
                target = _value_of_row(t, mover, state, row, mended.maximum)
                _update(t, mover, my_state, my_row, my_place, step, target)
            stream, word = next_word(stream)
            place = int(t.greedy[mover, state])
            if (word & _MASK_24) < explore_below:
                place = int(np.int64(((word >> _24) * np.uint64((row >> COUNT_SHIFT) & 15)) >> _40))
            after_row = int(link[(row >> FIRST_SHIFT) + place])
            after = after_row & STATE_MASK
            status = (after_row >> STATUS_SHIFT) & 15
            if status != api.ONGOING:
                won = status == mover + 1  # the result of a win is the winner's seat
                _update(t, mover, state, row, place, last_step, rewards[0] if won else rewards[1])
                if mended.credit and their_state >= 0:
                    lost = rewards[2] if won else rewards[1]
                    _update(t, 1 - mover, their_state, their_row, their_place, last_step, lost)
                break
            if not mended.successor:
                t.seen[mover, after] = True
                target = _value_of_row(t, mover, after, after_row, mended.maximum)
                _update(t, mover, state, row, place, step, target)
            my_state, my_row, my_place = their_state, their_row, their_place
            their_state, their_row, their_place = state, row, place
            state, row, mover = after, after_row, 1 - mover


@kernel
def learn_against(
    link: NDArray[np.int64], replies: Replies, t: LearnerTables, rule: EmulatedRule, episodes: int, stream: np.uint64
) -> None:
    """Train a learner as X for a segment of episodes against a fixed player, whose move is part of the transition.

    The tables are changed in place.
    """
    reply_count, reply = replies
    explore_below = np.uint64(round(rule.epsilon * 2.0**24))
    for _ in range(episodes):
        state, row = 0, ROOT_ROW
        while True:
            t.seen[0, state] = True
            stream, word = next_word(stream)
            x = word >> _24
            place = int(t.greedy[0, state])
            if (word & _MASK_24) < explore_below:
                x *= np.uint64((row >> COUNT_SHIFT) & 15)
                place = int(np.int64(x >> _40))
                x &= _MASK_40
            after_row = int(link[(row >> FIRST_SHIFT) + place])
            if (after_row >> STATUS_SHIFT) & 15 == api.ONGOING:
                between = after_row & STATE_MASK
                after_row = int(reply[between, np.int64((x * np.uint64(reply_count[between])) >> _40)])
            status = (after_row >> STATUS_SHIFT) & 15
            if status != api.ONGOING:
                reward = rule.rewards[2]
                if status == api.X_WINS:
                    reward = rule.rewards[0]
                elif status == api.DRAW:
                    reward = rule.rewards[1]
                _update(t, 0, state, row, place, rule.last_step, reward)
                break
            after = after_row & STATE_MASK
            target = _value_of_row(t, 0, after, after_row, rule.mended.maximum)
            _update(t, 0, state, row, place, rule.step, target)
            state, row = after, after_row
