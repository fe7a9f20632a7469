"""Full expansion of a node: an evaluator gives every child its value, and the node gets the value of its best child."""

from typing import Final

import numpy as np

from ttt_fast.core.bits import as_int
from ttt_fast.games import api
from ttt_fast.search.mcts.backup import MctsSettings, add, settle, value_of
from ttt_fast.search.mcts.tree import Tree, clear_node
from ttt_fast.search.rollouts import RolloutEvaluator
from ttt_fast.values import evaluators
from ttt_fast.values.evaluators import Evaluator

NO_VALUE: Final = -2.0
"""A number below every value."""


def value_children(
    evaluator: Evaluator, tree: Tree, node: int, state: api.State, depth: int, settings: MctsSettings, stream: np.uint64
) -> tuple[float, bool, np.uint64]:
    """Create all children of a node with listed actions, each with one visit and the value of an evaluator.

    Parameters
    ----------
    evaluator
        An evaluator whose level `depth` belongs to `state`; rollouts, which are noisy, have a separate implementation.
    tree, node
        The tree, and the row of the node.
    state, depth
        The position of the node, and its plies below the root.
    settings, stream
        The settings of the search, and its random numbers.

    Returns
    -------
    tuple[float, bool, np.uint64]
        The largest value of a child for the player to move in `state`, whether the result of some child is known, and
        the stream.
    """
    return api.implementation(value_children, evaluator)(evaluator, tree, node, state, depth, settings, stream)


@api.default_of(value_children)
def _value_children(
    evaluator: Evaluator, tree: Tree, node: int, state: api.State, depth: int, settings: MctsSettings, stream: np.uint64
) -> tuple[float, bool, np.uint64]:
    mover = api.player(state)
    first, count = as_int(tree.first_child[node]), as_int(tree.num_children[node])
    best, known = NO_VALUE, False
    for row in range(first, first + count):
        action = as_int(tree.action[row])
        child = api.play(state, action)
        result = as_int(api.status(child))
        if settings.solver and result == api.ONGOING and api.winning_action(child) != api.NO_ACTION:
            result = as_int(3 - mover)
        clear_node(tree, row, result)
        if result == api.ONGOING:
            evaluators.update(evaluator, depth, state, action, child)
            value, stream = evaluators.position_value(evaluator, depth + 1, child, stream)
            value = -value
        else:
            known = True
            value = value_of(result, mover)
        add(tree, row, 1.0 + value, settings)
        if settings.solver and result != api.ONGOING:
            settle(tree, row, result, mover)
        best = max(best, value)
    tree.num_visited[node] = count
    return best, known, stream


@api.implements(value_children, RolloutEvaluator)
def _try_one_by_one(
    evaluator: RolloutEvaluator,
    tree: Tree,
    node: int,
    state: api.State,
    depth: int,
    settings: MctsSettings,
    stream: np.uint64,
) -> tuple[float, bool, np.uint64]:
    """Do nothing: a single rollout of each child is not worth its cost."""
    return NO_VALUE, False, stream
