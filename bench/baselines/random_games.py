"""The plain form of `ttt_fast.play.packed`: uniform random games, one at a time."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import next_word
from ttt_fast.tables import StateTable


@kernel
def _play_uniform(
    child: NDArray[np.int32],
    legal_action: NDArray[np.int8],
    num_legal: NDArray[np.uint8],
    num_games: int,
    stream: np.uint64,
    counts: NDArray[np.int64],
) -> None:
    """Add the final states of uniform random games to `counts`, (S,) int64."""
    for _ in range(num_games):
        state = 0
        while num_legal[state] > 0:
            stream, word = next_word(stream)
            drawn = ((word >> np.uint64(32)) * np.uint64(num_legal[state])) >> np.uint64(32)
            state = child[state, legal_action[state, drawn]]
        counts[state] += 1


def play_uniform(table: StateTable, games: int, stream: np.uint64) -> NDArray[np.int64]:
    """Play uniform random games the straightforward way; return how many ended in each state, (S,) int64.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> int(play_uniform(table_of("tic-tac-toe"), 1000, np.uint64(1)).sum())
    1000
    """
    num_legal = table.legal_action_mask.sum(axis=1).astype(np.uint8)
    legal_action = np.argsort(~table.legal_action_mask, axis=1, kind="stable").astype(np.int8)
    counts = np.zeros(table.num_states, np.int64)
    _play_uniform(table.child, legal_action, num_legal, games, stream, counts)
    return counts
