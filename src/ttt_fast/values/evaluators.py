"""Evaluators, which estimate the result of a position at the horizon of a search.

An evaluator is a NamedTuple of arrays and numbers.  Each kind of evaluator has its own type, and each object is used by
one thread.  `@api.implements(position_value, ItsEvaluator)` registers the value of a kind for both searches.  Levels
are the plies below the root.  A kind with an incremental accumulator, such as the first layer of a network, fills the
sums of the root in `init`.  In `update` it fills those of the next level from the level above.  A search may later
follow another move from the same level.  It requests only the value of the state of the latest `update` of a level.
"""

from typing import Final

import numpy as np

from ttt_fast.games import api

Evaluator = tuple[object, ...]
"""A kind of evaluator: a NamedTuple of arrays and numbers, for whose type `position_value` is implemented."""
EXTRA_LEVELS: Final = 2
"""Number of levels of an evaluator in addition to one for each possible ply of a game (`api.max_plies`)."""


def memory_bytes(arrays: object) -> int:
    """Return the bytes of the arrays of an evaluator, or of any tuple of arrays and tuples.

    Examples
    --------
    >>> memory_bytes((1, (np.zeros(3), np.zeros(4, np.int16))))
    32
    """
    if isinstance(arrays, tuple):
        return sum(memory_bytes(one) for one in arrays)
    return arrays.nbytes if isinstance(arrays, np.ndarray) else 0


def init(evaluator: Evaluator, state: api.State) -> None:
    """Fill the data of an evaluator at level 0, for `state`, the root of a search (default: nothing)."""
    api.implementation(init, evaluator)(evaluator, state)


def update(evaluator: Evaluator, level: int, state: api.State, action: int, child: api.State) -> None:
    """Fill the data of an evaluator at `level + 1` from `level`, where `action` leads from `state` to `child`.

    The default does nothing.  The child may be a finished game.
    """
    api.implementation(update, evaluator)(evaluator, int(level), state, int(action), child)


def position_value(evaluator: Evaluator, level: int, state: api.State, stream: np.uint64) -> tuple[float, np.uint64]:
    """Return the expected result of an ongoing state for its player to move, and the random stream after it.

    Parameters
    ----------
    evaluator
        The kind of evaluator.
    level
        Level of the state: 0 after `init`, or the level last reached by `update`.
    state
        An ongoing state.
    stream
        A SplitMix64 state, uint64, from which an evaluator may draw; most evaluators return it unchanged.

    Returns
    -------
    tuple[float, np.uint64]
        The value, float64, from -1 (a loss) to 1 (a win), and the stream.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> from ttt_fast.values.ntuple_evaluator import ntuple_evaluator
    >>> from ttt_fast.values.ntuples import NTuples, make_tables
    >>> game = parse_game("connect4:columns=5,rows=4")
    >>> evaluator = ntuple_evaluator(make_tables(NTuples(number=3, cells=4), game), game)
    >>> init(evaluator, game.initial_state)
    >>> position_value(evaluator, 0, game.initial_state, np.uint64(7))[0]
    0.0
    """
    return api.implementation(position_value, evaluator)(evaluator, int(level), state, np.uint64(stream))


@api.default_of(init)
def _init_nothing(evaluator: Evaluator, state: api.State) -> None:
    pass


@api.default_of(update)
def _update_nothing(evaluator: Evaluator, level: int, state: api.State, action: int, child: api.State) -> None:
    pass
