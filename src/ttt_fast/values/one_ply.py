"""A search of one ply: an evaluator evaluates the position after each move."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import Stream
from ttt_fast.games import api
from ttt_fast.games.results import ONGOING, result_of
from ttt_fast.values import evaluators
from ttt_fast.values.api import Learned
from ttt_fast.values.choice import TIES, best_place, ordered
from ttt_fast.values.evaluators import Evaluator

_24 = np.uint64(24)


def score_actions(
    evaluator: Evaluator, level: int, state: api.State, tie: int, stream: np.uint64, actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
) -> tuple[int, np.uint64]:  # fmt: skip
    """Compute the score of each legal action for the player to move; return their number, and the stream.

    The default score is the value of the position after the action, from -1 to 1.  Another kind of evaluator may
    implement other scores in the same order, which `OnePlyMover` converts to values.

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
        Output: their scores, in the order of the tie rule.
    """
    return api.implementation(score_actions, evaluator)(evaluator, level, state, tie, stream, actions, scores)


@api.default_of(score_actions)
def _score_by_values(
    evaluator: Evaluator, level: int, state: api.State, tie: int, stream: np.uint64, actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
) -> tuple[int, np.uint64]:  # fmt: skip
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
    """Return the best action of an ongoing state, its score, and the number of legal actions.

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
        Output: the score of each action; nan for illegal actions.
    """
    actions, by_place = np.zeros(scores.size, np.uint8), np.zeros(scores.size)
    evaluators.init(evaluator, state)
    count, _ = score_actions(evaluator, as_int(0), state, tie, word, actions, by_place)
    place = as_int(best_place(by_place, count, tie, word >> _24))
    scores[:] = np.nan
    for i in range(count):
        scores[as_int(ordered(actions, count, i, tie))] = by_place[i]
    return as_int(ordered(actions, count, place, tie)), by_place[place], count


class OnePlyMover:
    """Moves by an evaluator, for one thread: each leads to the position of the highest value.

    Parameters
    ----------
    evaluator, play
        The evaluator, and the rule for equally good moves.
    value_of
        Returns the value, from -1 to 1, of a score of `score_actions`.
    """

    def __init__(self, evaluator: Evaluator, play: Learned, value_of: Callable[[float], float] = float) -> None:
        self._evaluator, self._tie, self._value_of = evaluator, TIES[play.tie], value_of
        self._scores = np.empty(play.game.num_actions)

    def choose(self, state: api.GameState, words: Stream) -> tuple[int, float, int]:
        """Return the action of the highest value in an ongoing state, its value, and the number of legal actions."""
        action, score, count = choose_action(self._evaluator, state, self._tie, words.word(), self._scores)
        return action, self._value_of(score), count

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return the value of each legal action, from -1 to 1."""
        self.choose(state, Stream(np.uint64(0)))
        return {action: self._value_of(float(self._scores[action])) for action in api.legal_actions(state)}
