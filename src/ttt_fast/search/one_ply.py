"""A search of one ply: an evaluator evaluates the position after each move."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.games import api
from ttt_fast.games.results import ONGOING, result_of
from ttt_fast.search import evaluators
from ttt_fast.search.evaluators import Evaluator
from ttt_fast.values.choice import best_place, ordered

_24 = np.uint64(24)


@inlined_kernel
def score_actions(
    evaluator: Evaluator, level: int, state: api.State, tie: int, stream: np.uint64, actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
) -> tuple[int, np.uint64]:  # fmt: skip
    """Compute the value of each legal action for the player to move; return their number, and the stream.

    Parameters
    ----------
    evaluator, level
        An evaluator whose level `level` belongs to the state.
    state
        An ongoing state.
    tie
        A code of `values.choice.TIES`.
    stream
        Random numbers of the evaluator.
    actions : (A,) uint8
        Output: the legal actions, ascending.
    scores : (A,) float64
        Output: their values, from -1 to 1, in the order of the tie rule.
    """
    count = as_int(api.fill_legal_actions(state, actions))
    for place in range(count):
        action = as_int(ordered(actions, count, place, tie))
        child = api.play(state, action)
        result = as_int(api.status(child))
        if result == ONGOING:
            evaluators.update(evaluator, level, state, action, child)
            value, stream = evaluators.position_value(evaluator, level + 1, child, stream)
            scores[place] = -value
        else:
            scores[place] = 1.0 - result_of(result, api.player(state))
    return count, stream


@kernel
def choose_action(
    evaluator: Evaluator, state: api.State, tie: int, word: np.uint64, scores: NDArray[np.float64]
) -> tuple[int, float, int]:
    """Return the best action of an ongoing state, its value, and the number of legal actions.

    Parameters
    ----------
    evaluator
        The evaluator of the states after each move.
    state
        An ongoing state.
    tie
        A code of `values.choice.TIES`.
    word
        64 random bits, which choose between equal values if the tie rule is `random`.
    scores : (A,) float64
        Output: the value of each action, from -1 to 1; nan for illegal actions.
    """
    actions, by_place = np.zeros(scores.size, np.uint8), np.zeros(scores.size)
    evaluators.init(evaluator, state)
    count, _ = score_actions(evaluator, as_int(0), state, tie, word, actions, by_place)
    place = as_int(best_place(by_place, count, tie, word >> _24))
    scores[:] = np.nan
    for i in range(count):
        scores[as_int(ordered(actions, count, i, tie))] = by_place[i]
    return as_int(ordered(actions, count, place, tie)), by_place[place], count
