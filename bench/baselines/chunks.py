"""A chunk of episodes for a kernel that takes several, and its gaps between exploring plies."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.episodes import Chunks
from ttt_fast.algorithms.tabular.self_play import NUM_SLOTS, fill_gap_slots


def one_chunk(episodes: int, step_size: float, epsilon: float, stream: np.uint64) -> Chunks:
    """Return a single chunk, with a step size and an epsilon that are constant over it."""
    return Chunks(
        np.array([episodes], np.int64), np.array([step_size]), np.array([epsilon]), np.array([stream], np.uint64)
    )


def gap_slots(epsilon: float) -> NDArray[np.uint64]:
    """Return the slots of the gaps between exploring plies, (64,) uint64.

    Examples
    --------
    >>> [int(word) for word in gap_slots(1.0)[:2]], [int(word) for word in gap_slots(0.0)[-1:]]
    ([0, 1], [4095])
    """
    slots = np.empty((1, NUM_SLOTS), np.uint64)
    fill_gap_slots(np.array([epsilon]), slots)
    return slots[0]
