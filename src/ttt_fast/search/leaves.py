"""Leaves: evaluators that estimate the result of a position at the horizon of a search.

A leaf is a NamedTuple of arrays and numbers.  Each kind of leaf has its own type, and each object is used by one
thread.  `@api.implements(leaf_value, ItsLeaf)` registers the value of a kind for both searches.  Levels are the plies
below the root.  A kind with an incremental accumulator, such as the first layer of a network, fills the sums of the
root in `prepare`, and those of the next level from the level above in `follow`.  A search may later follow another move
from the same level, and requests only the value of the state that it followed last to a level.
"""

from typing import Final

import numpy as np

from ttt_fast.games import api
from ttt_fast.games.results import result_of
from ttt_fast.search.rollouts import RolloutLeaf, rollout

Leaf = tuple[object, ...]
"""A kind of leaf: a NamedTuple of arrays and numbers, for whose type `leaf_value` is implemented."""
EXTRA_LEVELS: Final = 2
"""Number of levels of a leaf in addition to one for each possible ply of a game (`api.max_plies`)."""


def memory_bytes(arrays: object) -> int:
    """Return the bytes of the arrays of a leaf, or of any tuple of arrays and tuples.

    Examples
    --------
    >>> memory_bytes((1, (np.zeros(3), np.zeros(4, np.int16))))
    32
    """
    if isinstance(arrays, tuple):
        return sum(memory_bytes(one) for one in arrays)
    return arrays.nbytes if isinstance(arrays, np.ndarray) else 0


def prepare(leaf: Leaf, state: api.State) -> None:
    """Fill the data of a leaf at level 0, for `state`, the root of a search (default: nothing)."""
    api.implementation(prepare, leaf)(leaf, state)


def follow(leaf: Leaf, level: int, state: api.State, action: int, child: api.State) -> None:
    """Fill the data of a leaf at `level + 1` from `level`, where `action` leads from `state` to `child`.

    The default does nothing.  The child may be a finished game.
    """
    api.implementation(follow, leaf)(leaf, int(level), state, int(action), child)


def leaf_value(leaf: Leaf, level: int, state: api.State, stream: np.uint64) -> tuple[float, np.uint64]:
    """Return the expected result of an ongoing state for its player to move, and the random stream after it.

    Parameters
    ----------
    leaf
        The kind of leaf.
    level
        Level of the state: 0 after `prepare`, or the level last reached by `follow`.
    state
        An ongoing state.
    stream
        A SplitMix64 state, uint64, from which a leaf may draw; most leaves return it unchanged.

    Returns
    -------
    tuple[float, np.uint64]
        The value, float64, from -1 (a loss) to 1 (a win), and the stream.

    Examples
    --------
    >>> from ttt_fast.games.tic_tac_toe import TicTacToeState
    >>> from ttt_fast.search.rollouts import WIN_OR_BLOCK, rollout_leaf
    >>> x_wins_next = TicTacToeState(0b000000011, 0b000011000, 0)
    >>> leaf_value(rollout_leaf(WIN_OR_BLOCK), 0, x_wins_next, np.uint64(7))[0]
    1.0
    """
    return api.implementation(leaf_value, leaf)(leaf, int(level), state, np.uint64(stream))


@api.default_of(prepare)
def _keep_nothing(leaf: Leaf, state: api.State) -> None:
    pass


@api.default_of(follow)
def _follow_nothing(leaf: Leaf, level: int, state: api.State, action: int, child: api.State) -> None:
    pass


@api.implements(leaf_value, RolloutLeaf)
def _rollout_value(leaf: RolloutLeaf, level: int, state: api.State, stream: np.uint64) -> tuple[float, np.uint64]:
    result, stream = rollout(state, stream, leaf)
    return 1.0 - result_of(result, api.player(state)), stream
