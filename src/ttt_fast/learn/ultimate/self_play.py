"""Games of Ultimate in self-play of a network that looks one ply ahead, and the lambda-returns of their positions.

V(t) is the network's value of the t-th position of a game for its player to move, and the target of V(t) is

    G(t) = -((1 - lambda) * V(t + 1) + lambda * G(t + 1))

where V and G of the finished game are its result for the player to move there.  As in `learn.temporal_difference`, this
is the lambda-return over the whole game, without truncation.  The position of a random move is not learned from, and
the position before it has the target -V(t + 1).

**Draws.**  With drawn openings, a game takes a word for the number of its first moves that are drawn.  Each ply takes
one word, used as in `learn.general`: to explore, and to choose among equally good moves.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import next_word
from ttt_fast.games import api
from ttt_fast.games.results import ONGOING, outcome_of, result_of
from ttt_fast.games.ultimate import NUM_CELLS, UltimateState
from ttt_fast.learn.temporal_difference import TdRule
from ttt_fast.learn.ultimate.fit import Labels
from ttt_fast.values import evaluators
from ttt_fast.values.choice import best_place, drawn_place, ordered
from ttt_fast.values.one_ply import score_actions
from ttt_fast.values.ultimate_evaluator import UltimateEvaluator
from ttt_fast.values.ultimate_network import NUM_SLOTS, PatternTables, fill_patterns

_MASK_24 = np.uint64((1 << 24) - 1)
_24 = np.uint64(24)


@kernel
def play_games(
    evaluator: UltimateEvaluator,
    start: UltimateState,
    rule: TdRule,
    epsilons: NDArray[np.float64],
    stream: np.uint64,
    tables: PatternTables,
    labels: Labels,
    counts: NDArray[np.int64],
) -> int:
    """Play games and write the positions of chosen moves, in the order of play; return their number.

    Parameters
    ----------
    evaluator
        The network.
    start
        The empty board.
    rule
        The rule of the run.
    epsilons : (G,) float64
        Exploration of each game.
    stream
        Random stream of all games.
    tables
        The pattern tables.
    labels
        Output, with room for 81 positions a game: patterns, V(t) as `values`, and G(t) as `results`.
    counts : (3,) int64
        Games that X won, drew and lost; incremented.
    """
    actions, scores = np.zeros(NUM_CELLS, np.uint8), np.zeros(NUM_CELLS)
    values, is_drawn, total = np.zeros(NUM_CELLS + 1), np.zeros(NUM_CELLS, np.bool_), as_int(0)
    for game in range(epsilons.size):
        explore_below = np.uint64(round(epsilons[game] * 2.0**24))
        state, length, status, opening = start, as_int(0), as_int(ONGOING), as_int(0)
        if rule.max_opening > 0:
            stream, word = next_word(stream)
            opening = as_int(drawn_place(word >> _24, rule.max_opening + 1))
        evaluators.init(evaluator, state)
        while status == ONGOING:
            stream, word = next_word(stream)
            is_drawn[length] = length < opening or (word & _MASK_24) < explore_below
            values[length], stream = evaluators.position_value(evaluator, length, state, stream)
            if is_drawn[length]:
                count = as_int(api.fill_legal_actions(state, actions))
                place = as_int(drawn_place(word >> _24, count))
            else:
                fill_patterns(state, tables, labels.patterns, NUM_SLOTS * total)
                labels.values[total] = values[length]
                total += 1
                count, stream = score_actions(evaluator, length, state, rule.tie, stream, actions, scores)
                place = as_int(best_place(scores, count, rule.tie, word >> _24))
            action = as_int(ordered(actions, count, place, rule.tie))
            child = api.play(state, action)
            evaluators.update(evaluator, length, state, action, child)
            state, status, length = child, as_int(api.status(child)), length + 1
        counts[outcome_of(status)] += 1
        values[length] = 1.0 - result_of(status, api.player(state))  # with tie=boards the last move may lose
        _fill_targets(rule.trace_decay, values, is_drawn, length, labels.results, total)
    return total


@kernel
def _fill_targets(
    trace_decay: float,
    values: NDArray[np.float64],
    is_drawn: NDArray[np.bool_],
    length: int,
    targets: NDArray[np.float32],
    end: int,
) -> None:
    """Write the targets of a game's chosen moves, which end before `end`."""
    target = values[length]
    for t in range(length - 1, -1, -1):
        if is_drawn[t]:
            target = values[t]
        else:
            target = -((1.0 - trace_decay) * values[t + 1] + trace_decay * target)
            end -= 1
            targets[end] = target
