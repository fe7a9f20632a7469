"""Games of uniformly random moves from a state of any game."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast._jit import kernel
from ttt_fast._rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import api

_GAMMA = np.uint64(GOLDEN_GAMMA)


@kernel
def random_playout(state: api.State, stream: np.uint64) -> tuple[int, int, np.uint64]:
    """Play uniformly random moves to the end; return the status, the plies played, and the stream after them."""
    plies = 0
    result = api.status(state)
    while result == api.ONGOING:
        stream += _GAMMA
        state = api.play(state, api.random_action(state, mix64(stream)))
        result = api.status(state)
        plies += 1
    return result, plies, stream


@kernel
def _play_out(state: api.State, stream: np.uint64, games: int, counts: NDArray[np.int64]) -> None:
    """Add the results of playouts to `counts`: by status 1 to 3, and their plies at 0."""
    for _ in range(games):
        result, plies, stream = random_playout(state, stream)
        counts[result] += 1
        counts[0] += plies
