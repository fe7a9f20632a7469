"""The last move of a line in alpha-beta: an ordinary reward, or the value of an evaluator.

With an evaluator (`values/evaluators.py`), earlier moves have a reward only if they win or lose the game, and this
reward exceeds every value of an evaluator.
"""

from typing import Final, NamedTuple

import numpy as np

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.games import api
from ttt_fast.search.rewards import api as rewards
from ttt_fast.search.rewards.api import Evaluation
from ttt_fast.values import evaluators
from ttt_fast.values.evaluators import Evaluator

UNIT: Final = 1 << 14
"""Value of an evaluator with a certain win; smaller values are rounded to the nearest integer."""
WIN: Final = 1 << 16
"""Reward of winning the game in a search with an evaluator."""


class NoEvaluator(NamedTuple):
    """The placeholder of an evaluator in a search by rewards alone."""

    nothing: int


NO_EVALUATOR: Final = NoEvaluator(0)


def evaluator_rewards() -> Evaluation:
    """Return the rewards for a search with an evaluator: only results count, and exceed all values of evaluators.

    Examples
    --------
    >>> evaluator_rewards().win > evaluator_rewards().unit
    True
    """
    return rewards.result_evaluation(UNIT, WIN)


def horizon_gain(evaluator: Evaluator, level: int, state: api.State, action: int, evaluation: Evaluation) -> int:
    """Return the contribution of an evaluator to the reward of the last move of a line, from a state at `level`."""
    return api.implementation(horizon_gain, evaluator)(evaluator, int(level), state, int(action), evaluation)


def best_last_reward(
    evaluator: Evaluator, level: int, state: api.State, enough: int, evaluation: Evaluation
) -> tuple[int, int]:
    """Return the largest reward of a last move from a state at `level`, and the number of actions examined.

    Actions are examined in ascending order, up to the first with a reward of at least `enough`.
    """
    return api.implementation(best_last_reward, evaluator)(evaluator, int(level), state, int(enough), evaluation)


@api.implements(horizon_gain, NoEvaluator, vanishes=True)
def _no_gain(evaluator: NoEvaluator, level: int, state: api.State, action: int, evaluation: Evaluation) -> int:
    return 0


@api.implements(best_last_reward, NoEvaluator, vanishes=True)
def _best_reward(
    evaluator: NoEvaluator, level: int, state: api.State, enough: int, evaluation: Evaluation
) -> tuple[int, int]:
    return rewards.best_reward(state, enough, evaluation)


@inlined_kernel
def _last_reward(evaluator: Evaluator, level: int, state: api.State, action: int, evaluation: Evaluation) -> int:
    """Return the reward of the last move of a line: that of the result, or the value of the evaluator after it."""
    child = api.play(state, action)
    result = as_int(api.status(child))
    if result == api.ONGOING:
        evaluators.update(evaluator, level, state, action, child)
        value, _ = evaluators.position_value(evaluator, level + 1, child, np.uint64(0))
        return as_int(-np.rint(evaluation.unit * value))
    if result == api.DRAW:
        return as_int(0)
    return evaluation.win if result == api.player(state) else -evaluation.win


@api.default_of(horizon_gain)
def _gain(evaluator: Evaluator, level: int, state: api.State, action: int, evaluation: Evaluation) -> int:
    return _last_reward(evaluator, level, state, action, evaluation) - rewards.reward(state, action, evaluation)


@api.default_of(best_last_reward)
def _best_last_reward(
    evaluator: Evaluator, level: int, state: api.State, enough: int, evaluation: Evaluation
) -> tuple[int, int]:
    actions = np.empty(api.num_actions(state), np.uint8)  # work space handed down would slow the rewards
    best, looked_at = -rewards.LARGE, as_int(0)
    count = as_int(api.fill_legal_actions(state, actions))
    while looked_at < count and best < enough:
        best = max(best, _last_reward(evaluator, level, state, as_int(actions[looked_at]), evaluation))
        looked_at += 1
    return best, looked_at
