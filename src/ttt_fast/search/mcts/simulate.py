"""The kernel of Monte Carlo tree search: select a path to a new node, evaluate it, back up its value.

L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning" (ECML 2006); the solver after M. Winands,
Y. Björnsson and J.-T. Saito, "Monte-Carlo tree search solver" (CG 2008), with proved draws.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.instructions import prefetch
from ttt_fast.core.jit import inlined_kernel, kernel_without_overlap
from ttt_fast.games import api
from ttt_fast.search.mcts.backup import MctsSettings, add, proved_result, settle, value_of
from ttt_fast.search.mcts.expansion import value_children
from ttt_fast.search.mcts.tree import MAX_CHILDREN, ROOT_INDEX, UNEXPANDED, Tree, clear_node, expand, try_action
from ttt_fast.values import evaluators
from ttt_fast.values.evaluators import Evaluator

_NUMBER_BITS: Final = MAX_CHILDREN - 1
_LOWEST: Final = -(1 << 63)


@inlined_kernel
def _numbered(score: float, child: int) -> int:
    """Return an integer with the order of the scores; among equal scores the first child has the largest."""
    bits: int = np.float64(score).view(np.int64)  # type: ignore[assignment]
    return bits & ~_NUMBER_BITS | _NUMBER_BITS - child


@inlined_kernel
def _best_child(tree: Tree, node: int, settings: MctsSettings) -> int:
    """Return the row of the child with the largest score; ties go to the first child.

    Scores are compared as integers, which have the same order as the floats (LOST is the only negative score).  The
    number of the child, counted down, replaces the last ten bits.  A single maximum, which the compiler vectorises,
    thus finds score and child.
    """
    first = as_int(tree.first_child[node])
    count = as_int(tree.num_visited[node])
    means = tree.mean[first : first + count]
    spreads = tree.spread[first : first + count]
    log_visits = math.log(tree.visits[node])
    best = _LOWEST
    if settings.log_ratio:
        for child in range(count):
            score = means[child] + settings.c * math.sqrt(max(log_visits - spreads[child], 0.0))
            best = max(best, _numbered(score, child))
    else:
        factor = settings.c * math.sqrt(log_visits)
        for child in range(count):
            score = means[child] + factor * spreads[child]
            best = max(best, _numbered(score, child))
    return first + _NUMBER_BITS - (best & _NUMBER_BITS)


@kernel_without_overlap
def simulate(
    root: api.State,
    tree: Tree,
    settings: MctsSettings,
    simulations: int,
    stream: np.uint64,
    path: NDArray[np.int32],
    evaluator: Evaluator,
) -> tuple[int, np.uint64]:
    """Run simulations from the root; return their number (fewer once the root is proved), and the stream after them.

    `path` is (max_plies + 1,) int32 scratch.  The root must be ongoing.  When all rows of the tree are in use, it no
    longer grows, and simulations continue from its existing nodes.
    """
    root_player = api.player(root)
    evaluators.init(evaluator, root)
    for done in range(simulations):
        if tree.result[ROOT_INDEX] != api.ONGOING:
            return done, stream
        state, node, depth = root, as_int(ROOT_INDEX), 0
        path[0] = ROOT_INDEX
        result = as_int(api.ONGOING)
        fresh, opened, proved = False, False, False
        value = 0.0
        while result == api.ONGOING and not fresh:
            if tree.first_child[node] == UNEXPANDED:
                if not expand(tree, node, state):
                    break
                if settings.expand_all:
                    value, proved, stream = value_children(evaluator, tree, node, state, depth, settings, stream)
                    opened = True
                    break
            if tree.num_visited[node] < tree.num_children[node]:
                node, stream = try_action(tree, node, stream)
                action = as_int(tree.action[node])
                child = api.play(state, action)
                evaluators.update(evaluator, depth, state, action, child)
                result = as_int(api.status(child))
                clear_node(tree, node, result)
                fresh = True
            else:
                node = _best_child(tree, node, settings)
                action = as_int(tree.action[node])
                child = api.play(state, action)
                evaluators.update(evaluator, depth, state, action, child)
                result = as_int(tree.result[node])
            prefetch(tree.points, node)  # for the backup: 0.89 of the time at 100,000 simulations
            prefetch(tree.mean, node)
            prefetch(tree.spread, node)
            state = child
            depth += 1
            path[depth] = node
        if fresh and settings.solver and result == api.ONGOING and api.winning_action(state) != api.NO_ACTION:
            result = as_int(api.player(state))
            tree.result[node] = result
        if result != api.ONGOING:
            value, proved = value_of(result, 3 - root_player if depth & 1 else root_player), True
        elif not opened:
            value, stream = evaluators.position_value(evaluator, depth, state, stream)
        proved = proved and settings.solver
        while depth >= 0:  # who moved into a node: the root's player at odd depths
            node = as_int(path[depth])
            mover = root_player if depth & 1 else 3 - root_player
            if proved and tree.result[node] == api.ONGOING:
                known = proved_result(tree, node, 3 - mover)
                proved = known != api.ONGOING
                if proved:
                    value = value_of(known, 3 - mover)
                    tree.result[node] = known
            add(tree, node, 1.0 - value, settings)  # `value` is for the player to move in the node
            if settings.solver and tree.result[node] != api.ONGOING:
                settle(tree, node, tree.result[node], mover)
            value = -value
            depth -= 1
    return simulations, stream
