"""The backup of a simulation in the nodes on its path: visits, points, proved results."""

import math
from typing import NamedTuple

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.games import api
from ttt_fast.games.results import result_of
from ttt_fast.search.mcts.tree import LOST, Tree


class MctsSettings(NamedTuple):
    """The settings of a search, as the kernel reads them.

    Attributes
    ----------
    c
        Weight of exploration, in the scale of results from 0 (loss) to 1 (win).
    log_ratio
        Whether the score is mean + c sqrt(ln(N / n)), as in a published program, instead of mean + c sqrt(ln N / n).
    solver
        Whether to prove results.
    expand_all
        Whether all children of a new node get their values at once, by an evaluator without rollouts, instead of one
        child per simulation.
    """

    c: float
    log_ratio: bool
    solver: bool
    expand_all: bool


@inlined_kernel
def value_of(result: int, player: int) -> float:
    """Return the value of a known result for a player: 1, 0 or -1."""
    return 1.0 - result_of(result, player)


@inlined_kernel
def add(tree: Tree, node: int, points: float, settings: MctsSettings) -> None:
    """Count one more visit of a node."""
    visits = tree.visits[node] + 1
    tree.visits[node] = visits
    tree.points[node] += points
    tree.mean[node] = tree.points[node] / (2.0 * visits)
    tree.spread[node] = math.log(visits) if settings.log_ratio else 1.0 / math.sqrt(visits)


@inlined_kernel
def proved_result(tree: Tree, node: int, mover: int) -> int:
    """Return the result of a node, with `mover` to move, if its children prove it; otherwise ONGOING."""
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
def settle(tree: Tree, node: int, result: int, mover: int) -> None:
    """Store the proved result of a node, into which `mover` moved."""
    tree.result[node] = result
    tree.spread[node] = 0.0
    tree.mean[node] = 0.5 if result == api.DRAW else (1.0 if result == mover else LOST)
