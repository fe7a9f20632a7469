"""The kernel of Monte Carlo tree search: choose down to a new node, play the game out, add the result up.

L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning" (ECML 2006); the solver after M. Winands,
Y. Björnsson and J.-T. Saito, "Monte-Carlo tree search solver" (CG 2008), with proved draws.
"""

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel_without_overlap
from ttt_fast.games import api
from ttt_fast.games.results import result_of
from ttt_fast.search.mcts.tree import LOST, MAX_CHILDREN, ROOT_INDEX, UNEXPANDED, Tree, clear_node, expand, try_action
from ttt_fast.search.rollouts import RolloutWork, rollout

UCB1, LOG_RATIO = 0, 1
"""Formulas: mean + c sqrt(ln N / n), and mean + c sqrt(ln(N / n)), of a published program."""
_NUMBER_BITS: Final = MAX_CHILDREN - 1
_LOWEST: Final = -(1 << 63)


class Settings(NamedTuple):
    """The settings of a search, as the kernel reads them.

    Attributes
    ----------
    c
        Weight of exploration, in the scale of results from 0 (loss) to 1 (win).
    formula
        UCB1 or LOG_RATIO.
    rollout
        `rollouts.RANDOM` or `rollouts.WIN_OR_BLOCK`.
    solver
        1: prove results, 0: do not.
    """

    c: float
    formula: int
    rollout: int
    solver: int


@inlined_kernel
def _numbered(score: float, child: int) -> int:
    """Return an integer that orders as scores do, and of equal scores the first child's before the others'."""
    bits: int = np.float64(score).view(np.int64)  # type: ignore[assignment]
    return bits & ~_NUMBER_BITS | _NUMBER_BITS - child


@inlined_kernel
def _best_child(tree: Tree, node: int, settings: Settings) -> int:
    """Return the row of the child with the largest score, of equal ones the first.

    Scores are compared as integers, whose order is that of the floats (LOST is the only negative score).  The
    last ten bits hold the number of the child instead, counted down.  One maximum, which the compiler
    vectorises, thus finds score and child.
    """
    first = as_int(tree.first_child[node])
    count = as_int(tree.num_visited[node])
    means = tree.mean[first : first + count]
    spreads = tree.spread[first : first + count]
    log_visits = math.log(tree.visits[node])
    best = _LOWEST
    if settings.formula == UCB1:
        factor = settings.c * math.sqrt(log_visits)
        for child in range(count):
            score = means[child] + factor * spreads[child]
            best = max(best, _numbered(score, child))
    else:
        for child in range(count):
            score = means[child] + settings.c * math.sqrt(max(log_visits - spreads[child], 0.0))
            best = max(best, _numbered(score, child))
    return first + _NUMBER_BITS - (best & _NUMBER_BITS)


@inlined_kernel
def _add(tree: Tree, node: int, points: int, settings: Settings) -> None:
    """Count one more visit of a node."""
    visits = tree.visits[node] + 1
    tree.visits[node] = visits
    tree.points[node] += points
    tree.mean[node] = tree.points[node] / (2.0 * visits)
    tree.spread[node] = 1.0 / math.sqrt(visits) if settings.formula == UCB1 else math.log(visits)


@inlined_kernel
def _proved(tree: Tree, node: int, mover: int) -> int:
    """Return the result of a node that its children prove, `mover` to move there, or ONGOING."""
    first = tree.first_child[node]
    best = as_int(3 - mover)
    unknown = tree.num_visited[node] < tree.num_children[node]
    for child in range(first, first + tree.num_visited[node]):
        result = as_int(tree.result[child])
        if result == mover:
            return result
        if result == api.ONGOING:
            unknown = True
        elif result == api.DRAW:
            best = result
    return as_int(api.ONGOING) if unknown else best


@inlined_kernel
def _settle(tree: Tree, node: int, result: int, mover: int) -> None:
    """Store the proved result of a node, into which `mover` moved."""
    tree.result[node] = result
    tree.spread[node] = 0.0
    tree.mean[node] = 0.5 if result == api.DRAW else (1.0 if result == mover else LOST)


@kernel_without_overlap
def simulate(
    root: api.State,
    tree: Tree,
    settings: Settings,
    simulations: int,
    stream: np.uint64,
    path: NDArray[np.int32],
    work: RolloutWork,
) -> tuple[int, np.uint64]:
    """Run simulations from the root; return their number (fewer once the root is proved), and the stream after them.

    `path` is (max_plies + 1,) int32, work space.  The root must be an ongoing state.  When the rows of the tree
    run out, it grows no more, and simulations go on from the nodes that it has.
    """
    root_player = api.player(root)
    for done in range(simulations):
        if tree.result[ROOT_INDEX] != api.ONGOING:
            return done, stream
        state, node, depth = root, as_int(ROOT_INDEX), 0
        path[0] = ROOT_INDEX
        result = as_int(api.ONGOING)
        fresh = False
        while result == api.ONGOING and not fresh:
            if tree.first_child[node] == UNEXPANDED and not expand(tree, node, state):
                break
            if tree.num_visited[node] < tree.num_children[node]:
                node, stream = try_action(tree, node, stream)
                state = api.play(state, tree.action[node])
                result = as_int(api.status(state))
                clear_node(tree, node, result)
                fresh = True
            else:
                node = _best_child(tree, node, settings)
                state = api.play(state, tree.action[node])
                result = as_int(tree.result[node])
            depth += 1
            path[depth] = node
        if fresh and settings.solver and result == api.ONGOING and api.winning_action(state) != api.NO_ACTION:
            result = as_int(api.player(state))
            tree.result[node] = result
        proved = settings.solver and result != api.ONGOING
        if result == api.ONGOING:
            result, stream = rollout(state, stream, settings.rollout, work)
        while depth >= 0:  # who moved into a node: the root's player at odd depths
            node = as_int(path[depth])
            mover = root_player if depth & 1 else 3 - root_player
            if proved and tree.result[node] == api.ONGOING:
                known = _proved(tree, node, 3 - mover)
                proved = known != api.ONGOING
                if proved:
                    result = known
                    tree.result[node] = known
            _add(tree, node, 2 - result_of(result, mover), settings)
            if settings.solver and tree.result[node] != api.ONGOING:
                _settle(tree, node, tree.result[node], mover)
            depth -= 1
    return simulations, stream
