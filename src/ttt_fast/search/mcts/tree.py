"""The tree of a Monte Carlo tree search as arrays, and its growth.

The children of a node are in adjacent rows.  The rows are allocated together, at the second visit of the node, and
their nodes are visited one by one in random order.  The rows `first_child` to `first_child + num_visited - 1` are
nodes; the others up to `num_children` contain only the untried actions.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel_without_overlap, python_function
from ttt_fast.core.rng import below, next_word
from ttt_fast.games import api

ROOT_INDEX: Final = 0
UNEXPANDED: Final = 0
"""The `first_child` of a node whose actions have not been listed: row 0, the root, is no child."""
MAX_CHILDREN: Final = 1024
"""Maximum number of actions in a state: the last ten bits of a score contain the number of the child."""
LOST: Final = -1.0
"""The `mean` of a child that is a proved loss for the player who moves to it: below every other score."""


class Tree(NamedTuple):
    """M rows, of which the first `used` are in use; fields are (M,) arrays.

    Attributes
    ----------
    visits
        Simulations that went through the node, int32.
    points
        Sum of half points for the player of the move into the node, float64: 2 for a win, 1 for a draw, and 1 plus its
        value for that player by an evaluator.  Sums of results are exact below 2**53.
    mean
        `points / (2 * visits)`, float64; or its proved value, LOST for a loss.
    spread
        The part of the formula that depends on the visits, float64: 1 / sqrt(visits), or log(visits).
    first_child
        Row of the first child, int32.
    num_children, num_visited
        Numbers of its legal actions, and of the visited ones, int16.
    action
        The action that leads to the node, uint8.
    result
        Status of the game under best play, int8, if it is known: in finished games, or if proved by the solver.
    used
        (1,) int64.
    """

    visits: NDArray[np.int32]
    points: NDArray[np.float64]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    first_child: NDArray[np.int32]
    num_children: NDArray[np.int16]
    num_visited: NDArray[np.int16]
    action: NDArray[np.uint8]
    result: NDArray[np.int8]
    used: NDArray[np.int64]


_TYPES: Final = (np.int32, np.float64, np.float64, np.float64, np.int32, np.int16, np.int16, np.uint8, np.int8)
ROW_BYTES: Final = sum(np.dtype(one).itemsize for one in _TYPES)
"""Bytes of a row of a tree."""


def make_tree(rows: int) -> Tree:
    """Return an empty tree of `rows` rows, whose memory is allocated only as it is used.

    Examples
    --------
    >>> make_tree(1000).visits.shape
    (1000,)
    """
    return Tree._make([*(np.empty(rows, one) for one in _TYPES), np.zeros(1, np.int64)])


@inlined_kernel
def clear_node(tree: Tree, node: int, result: int) -> None:
    """Reset a row to a node without visits and children."""
    tree.visits[node] = 0
    tree.points[node] = 0.0
    tree.first_child[node] = UNEXPANDED
    tree.num_children[node] = 0
    tree.num_visited[node] = 0
    tree.result[node] = result


def plant(tree: Tree) -> None:
    """Reset the tree to a single root, in Python: a call of a kernel takes longer, and lets another thread go first."""
    python_function(clear_node)(tree, ROOT_INDEX, api.ONGOING)
    tree.used[0] = 1


@inlined_kernel
def expand(tree: Tree, node: int, state: api.State) -> bool:
    """List the actions of a node in new rows; return False, and do nothing, if there might be too few rows."""
    first = tree.used[0]
    if first + api.num_legal_actions(state) > tree.action.size:
        return False
    count = api.fill_legal_actions(state, tree.action[first:])
    tree.first_child[node] = first
    tree.num_children[node] = count
    tree.used[0] = first + count
    return True


@inlined_kernel
def try_action(tree: Tree, node: int, stream: np.uint64) -> tuple[int, np.uint64]:
    """Draw one of the untried actions of a node and give it the next row; return the row, and the stream."""
    stream, word = next_word(stream)
    visited = as_int(tree.num_visited[node])
    first = as_int(tree.first_child[node])
    child = first + visited
    drawn = child + below(word, tree.num_children[node] - visited)
    action = tree.action[drawn]
    tree.action[drawn] = tree.action[child]
    tree.action[child] = action
    tree.num_visited[node] = visited + 1
    return child, stream


@kernel_without_overlap
def copy_subtree(old: Tree, node: int, new: Tree, origin: NDArray[np.int32]) -> None:
    """Copy the subtree of a node, level by level, into another tree, whose root it becomes.

    `origin` is (M,) int32 scratch: the old row of each new row.
    """
    origin[0] = node
    used, row = 1, 0
    while row < used:
        source = origin[row]
        if source >= 0:
            new.visits[row] = old.visits[source]
            new.points[row] = old.points[source]
            new.mean[row] = old.mean[source]
            new.spread[row] = old.spread[source]
            new.num_children[row] = old.num_children[source]
            new.num_visited[row] = old.num_visited[source]
            new.result[row] = old.result[source]
            new.first_child[row] = UNEXPANDED
            first = old.first_child[source]
            if first != UNEXPANDED:
                new.first_child[row] = used
                for child in range(old.num_children[source]):
                    origin[used + child] = first + child if child < old.num_visited[source] else -1
                    new.action[used + child] = old.action[first + child]
                used += old.num_children[source]
        row += 1
    new.used[0] = used
