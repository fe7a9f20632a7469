"""TD(lambda) on afterstates in self-play: the games of every evaluator, and steps over n-tuple tables of Connect 4.

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

**Draws.**  A chunk has one SplitMix64 stream.  With drawn openings, a game takes a word for the number of its first
moves that are drawn; in Connect 4 some games do.  With other starting positions, each game first takes a word for its
position.  Each ply takes one word, used as in `general`: to explore, and to choose among equally good moves.
"""

from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.episodes import Episodes
from ttt_fast.core.bits import as_int
from ttt_fast.core.instructions import prefetch
from ttt_fast.core.jit import inlined_kernel, kernel, kernel_without_counts
from ttt_fast.core.rng import next_word
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.results import ONGOING, outcome_of, result_of
from ttt_fast.values import evaluators
from ttt_fast.values.choice import best_place, drawn_place, ordered
from ttt_fast.values.evaluators import Evaluator
from ttt_fast.values.ntuple_evaluator import NTupleEvaluator
from ttt_fast.values.ntuple_tables import UNIT, NTupleTables, Sums
from ttt_fast.values.one_ply import score_actions

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
        Largest number of random moves at the beginning of a game.
    trace_decay
        Lambda.
    """

    tie: int
    max_opening: int
    trace_decay: float


class Beginnings(NamedTuple):
    """Which games of Connect 4 begin elsewhere than on the empty board.

    Attributes
    ----------
    random_share
        The share of the games that begin with random moves, evenly spaced.
    starts : (K, 2) int64
        Other starting positions: stones of the player to move, and of both.
    start_share
        The probability that a game begins in one of them instead, if there are any.
    """

    random_share: float
    starts: NDArray[np.int64]
    start_share: float


class GameRecord(NamedTuple):
    """A game of self-play, with room for P plies, and scratch buffers.

    Attributes
    ----------
    values : (P + 1,) float64
        V(t), and the result of the finished game.
    targets : (P + 1,) float64
        G(t) of each ply; V(t) at a random move.
    is_drawn : (P,) bool
        Whether the move of a ply was random instead of greedy.
    taken : (P,) uint8
        The moves.
    actions : (A,) uint8, scores : (A,) float64
        Legal actions of a state, and their scores in tie order.
    """

    values: NDArray[np.float64]
    targets: NDArray[np.float64]
    is_drawn: NDArray[np.bool_]
    taken: NDArray[np.uint8]
    actions: NDArray[np.uint8]
    scores: NDArray[np.float64]


@inlined_kernel
def make_record(start: api.State) -> GameRecord:
    """Return a record for games that begin in a state."""
    plies, actions = api.max_plies(start), api.num_actions(start)
    values, is_drawn, taken = np.zeros((2, plies + 1)), np.zeros(plies, np.bool_), np.zeros(plies, np.uint8)
    return GameRecord(values[0], values[1], is_drawn, taken, np.zeros(actions, np.uint8), np.zeros(actions))


@kernel_without_counts  # with counts, a run on Connect 4 took 3 % longer
def play_game(
    evaluator: Evaluator,
    start: api.State,
    rule: TdRule,
    max_opening: int,
    epsilon: float,
    stream: np.uint64,
    record: GameRecord,
    counts: NDArray[np.int64],
) -> tuple[int, np.uint64]:
    """Play a game, with a level of the evaluator for each ply; return its number of plies, and the stream after it.

    Parameters
    ----------
    evaluator
        The values of the states.
    start
        The first state.
    rule
        The rule of the learner.
    max_opening
        Largest number of random moves at the beginning; 0: none, without a draw.
    epsilon
        Exploration.
    stream
        Random stream.
    record
        Output: values, targets and moves of the game.
    counts : (3,) int64
        Games that X won, drew and lost; incremented.
    """
    values, targets, is_drawn, taken, actions, scores = record
    explore_below = np.uint64(round(epsilon * 2.0**24))
    state, length, status, opening = start, as_int(0), as_int(ONGOING), as_int(0)
    if max_opening > 0:
        stream, word = next_word(stream)
        opening = as_int(drawn_place(word >> _24, max_opening + 1))
    evaluators.init(evaluator, state)
    while status == ONGOING:
        stream, word = next_word(stream)
        # low 24 bits: whether the move is drawn; high 40 bits: which one, or which of the equally good ones
        is_drawn[length] = length < opening or (word & _MASK_24) < explore_below
        if is_drawn[length]:
            count = as_int(api.fill_legal_actions(state, actions))
            place = as_int(drawn_place(word >> _24, count))
        else:
            count, stream = score_actions(evaluator, length, state, rule.tie, stream, actions, scores)
            place = as_int(best_place(scores, count, rule.tie, word >> _24))
        values[length], stream = evaluators.position_value(evaluator, length, state, stream)
        action = as_int(ordered(actions, count, place, rule.tie))
        taken[length] = action
        child = api.play(state, action)
        evaluators.update(evaluator, length, state, action, child)
        state, status, length = child, as_int(api.status(child)), length + 1
    counts[outcome_of(status)] += 1
    # the player to move at the end has usually lost or drawn; in Ultimate with tie=boards the last move may lose
    target = values[length] = 1.0 - result_of(status, api.player(state))
    for t in range(length - 1, -1, -1):
        # from the last ply to the first: `target` is G(t + 1), or V(t + 1) after a random move, and becomes that of t
        target = values[t] if is_drawn[t] else -((1.0 - rule.trace_decay) * values[t + 1] + rule.trace_decay * target)
        targets[t] = target
    return length, stream


@kernel
def learn_games(
    evaluator: NTupleEvaluator,
    initial: ConnectFourState,
    beginnings: Beginnings,
    rule: TdRule,
    errors: NDArray[np.float32],
    episodes: Episodes,
    stream: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> None:
    """Learn from games, one after another.

    Parameters
    ----------
    evaluator
        The weights, updated in place, with a level for each ply.
    initial
        The empty board.
    beginnings
        How games begin.
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
    many, record, now = evaluator.tables.start.size, make_record(initial), stream[0]
    for game in range(episodes.alphas.size):
        number = episodes.first + game
        is_opened = floor((number + 1) * beginnings.random_share) > floor(number * beginnings.random_share)
        opening, start = rule.max_opening if is_opened else as_int(0), initial
        if len(beginnings.starts) > 0:
            now, word = next_word(now)
            if (word & _MASK_24) < beginnings.start_share * 2.0**24:
                own, occupied = beginnings.starts[drawn_place(word >> _24, len(beginnings.starts))]
                opening, start = as_int(0), ConnectFourState(own, occupied, *initial[2:])
        length, now = play_game(evaluator, start, rule, opening, episodes.epsilons[game], now, record, counts)
        turn = as_int(api.player(start)) - 1
        step = episodes.alphas[game] / (many * UNIT)
        for t in range(length - 1, -1, -1):
            if not record.is_drawn[t]:
                # the places of the images of ply t, in the view of its player to move
                first = (2 * t + (t + turn & 1)) * many
                _update(evaluator.tables, evaluator.sums, first, errors, step, record.targets[t] - record.values[t])
    stream[0] = now


@kernel_without_counts  # with counts, a run took 2 % longer
def _update(
    tables: NTupleTables, sums: Sums, first: int, errors: NDArray[np.float32], step: float, error: float
) -> None:
    """Update the weights of a state, whose places begin at `first`, by an error of its value."""
    weights, places, many, is_coherent = tables.weights, sums.places, tables.start.size, errors.size > 0
    for image in range(first, first + many):
        # image -> weight; neighbouring images are those of one state and view
        place = places[image]
        change = step * error
        if is_coherent:
            if image >= many:
                prefetch(errors, 2 * places[image - many])  # of the state before, which is the next one to be updated
            # N and A of the weight
            total, size = np.float64(errors[2 * place]), np.float64(errors[2 * place + 1])
            if size > 0.0:
                change *= abs(total) / size
            errors[2 * place], errors[2 * place + 1] = total + error, size + abs(error)
        # weights are integers in units of UNIT
        moved = weights[place] + as_int(floor(change + 0.5))
        weights[place] = max(-_LARGEST, min(_LARGEST, moved))
