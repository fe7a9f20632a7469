"""TD(lambda) on the afterstates of Connect 4 in self-play, over n-tuple tables.

V(t) is the value of the t-th state of a game for its player to move, that is, of the board after the previous move.
All states of a game are updated at its end.  The target of V(t) is

    G(t) = -((1 - lambda) * V(t + 1) + lambda * G(t + 1))

where V and G of the finished game are its result for the player to move there.  The state of a random move is not
updated, and the state before it has the target -V(t + 1).  This is the lambda-return of R. S. Sutton and A. G. Barto,
"Reinforcement Learning" (2nd ed., 2018), section 12.1, over the whole game.  One backward pass computes all targets, so
that truncation would save nothing.

Each of the I weights of a state increases by alpha * rate * (G - V) / I.  V is squashed, and the slope of the squashing
is omitted.  This is the gradient of a cross entropy, which does not vanish where a value is wrong by a whole game.  The
rate is 1 or, with temporal coherence, |N| / A, where N is the sum of all errors of the weight so far and A the sum of
their magnitudes (D. F. Beal and M. C. Smith, "Temporal coherence and prediction decay in TD learning", IJCAI 1999).

**Draws.**  A chunk has one SplitMix64 stream.  With drawn openings, every second game takes a word for the number of
its first moves that are drawn.  Each ply takes one word, used as in `general`: to explore, and to choose among equally
good moves.
"""

from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.instructions import prefetch
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import next_word
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.results import ONGOING, outcome_of
from ttt_fast.learn.episodes import Episodes
from ttt_fast.values.choice import best_place, drawn_place, ordered
from ttt_fast.values.ntuple_tables import (
    UNIT,
    NTupleTables,
    Sums,
    add_stone,
    cell_of,
    copy_level,
    score_actions,
    set_level,
    squash,
)

_MASK_24 = np.uint64((1 << 24) - 1)
_24 = np.uint64(24)
_LARGEST = 2**31 - 1


class TdRule(NamedTuple):
    """The rule of a run of TD(lambda) in self-play, as plain numbers.

    Attributes
    ----------
    tie
        A code of `values.choice.TIES`.
    max_opening
        Largest number of random moves at the beginning of a game; in Connect 4, of every second game.
    trace_decay
        Lambda.
    """

    tie: int
    max_opening: int
    trace_decay: float


@kernel
def learn_games(
    tables: NTupleTables,
    sums: Sums,
    initial: ConnectFourState,
    rule: TdRule,
    errors: NDArray[np.float32],
    episodes: Episodes,
    stream: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> None:
    """Learn from games, one after another.

    Parameters
    ----------
    tables
        The weights, updated in place.
    sums
        Work arrays with a level for each ply, and one more.
    initial
        The empty board.
    rule
        The rule of the learner.
    errors : (2 * W,) float32
        The sum of the errors of each weight and the sum of their magnitudes, updated in place; empty unless coherent.
    episodes
        The games.  A step size is the share of its error by which an update corrects a value.
    stream : (1,) uint64
        Random stream of the chunk; advanced to its end.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    longest, many, trace_decay = api.max_plies(initial), tables.start.size, rule.trace_decay
    actions, scores = np.zeros(api.num_actions(initial), np.uint8), np.zeros(api.num_actions(initial))
    values, is_drawn, now = np.zeros(longest + 1), np.zeros(longest, np.bool_), stream[0]
    for game in range(episodes.alphas.size):
        explore_below = np.uint64(round(episodes.epsilons[game] * 2.0**24))
        opening = rule.max_opening if (episodes.first + game) & 1 else as_int(0)
        if opening > 0:
            now, word = next_word(now)
            opening = as_int(drawn_place(word >> _24, opening + 1))
        length, status, now = play_game(
            tables, sums, initial, rule.tie, opening, explore_below, now, actions, scores, is_drawn
        )
        counts[outcome_of(status)] += 1
        for t in range(length):
            values[t] = squash(sums.totals[2 * t + (t & 1)] * UNIT)
        target = 0.0 if status == api.DRAW else -1.0
        values[length] = target
        step = episodes.alphas[game] / (many * UNIT)
        for t in range(length - 1, -1, -1):
            if is_drawn[t]:
                target = values[t]
            else:
                target = -((1.0 - trace_decay) * values[t + 1] + trace_decay * target)
                _update(tables, sums, (2 * t + (t & 1)) * many, errors, step, target - values[t])
    stream[0] = now


@kernel
def play_game(
    tables: NTupleTables,
    sums: Sums,
    initial: ConnectFourState,
    tie: int,
    opening: int,
    explore_below: np.uint64,
    stream: np.uint64,
    actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
    is_drawn: NDArray[np.bool_],
) -> tuple[int, int, np.uint64]:
    """Play a game, with a level for each ply; return its number of plies, its status, and the random stream after it.

    Parameters
    ----------
    tables, sums, initial
        As in `learn_games`.
    tie
        A code of `values.choice.TIES`.
    opening
        Number of random moves at the beginning.
    explore_below
        A move is random if the lowest 24 bits of its word are below this number.
    stream
        Random stream.
    actions : (A,) uint8, scores : (A,) float64
        Work arrays.
    is_drawn : (P,) bool
        Output: whether the move of a ply was random instead of greedy.
    """
    length, state = 0, initial
    set_level(tables, sums, as_int(0), state)
    status = as_int(api.status(state))
    while status == ONGOING:
        stream, word = next_word(stream)
        is_drawn[length] = length < opening or (word & _MASK_24) < explore_below
        if is_drawn[length]:
            count = as_int(api.fill_legal_actions(state, actions))
            place = as_int(drawn_place(word >> _24, count))
        else:
            count = as_int(score_actions(tables, sums, length, state, tie, actions, scores))
            place = as_int(best_place(scores, count, tie, word >> _24))
        action = as_int(ordered(actions, count, place, tie))
        copy_level(sums, length)
        add_stone(tables, sums, length + 1, cell_of(state, action), length & 1)
        state = api.play(state, action)
        status = as_int(api.status(state))
        length += 1
    return length, status, stream


@kernel
def _update(
    tables: NTupleTables, sums: Sums, first: int, errors: NDArray[np.float32], step: float, error: float
) -> None:
    """Update the weights of a state, whose places begin at `first`, by an error of its value."""
    weights, places, many, is_coherent = tables.weights, sums.places, tables.start.size, errors.size > 0
    for image in range(first, first + many):
        place = places[image]
        change = step * error
        if is_coherent:
            if image >= many:
                prefetch(errors, 2 * places[image - many])  # of the state before, which is the next one to be updated
            total, size = np.float64(errors[2 * place]), np.float64(errors[2 * place + 1])
            if size > 0.0:
                change *= abs(total) / size
            errors[2 * place], errors[2 * place + 1] = total + error, size + abs(error)
        moved = weights[place] + as_int(floor(change + 0.5))
        weights[place] = max(-_LARGEST, min(_LARGEST, moved))
