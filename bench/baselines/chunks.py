"""A chunk of episodes for a kernel that takes several."""

import numpy as np

from ttt_fast.learn.learner import Chunks


def one_chunk(episodes: int, step_size: float, epsilon: float, stream: np.uint64) -> Chunks:
    """Return a single chunk, with a step size and an epsilon that are constant over it."""
    return Chunks(
        np.array([episodes], np.int64), np.array([step_size]), np.array([epsilon]), np.array([stream], np.uint64)
    )
