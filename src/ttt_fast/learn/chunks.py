"""Chunks of episodes: the settings of each for the fast kernels, so that one call can do several."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import chunk_streams
from ttt_fast.learn.config import TrainingConfig


class Chunks(NamedTuple):
    """Successive chunks of episodes.

    Attributes
    ----------
    episodes : (C,) int64
        Number of episodes of each.
    step_sizes, epsilons : (C,) float64
        Those of its first episode, constant over the chunk.
    streams : (C,) uint64
        Its random stream.
    """

    episodes: NDArray[np.int64]
    step_sizes: NDArray[np.float64]
    epsilons: NDArray[np.float64]
    streams: NDArray[np.uint64]


def chunks_of(config: TrainingConfig, first: int, end: int) -> Chunks:
    """Return the chunks `first` to `end - 1` of a run.

    Examples
    --------
    >>> chunks = chunks_of(TrainingConfig(episodes=2500, chunk_episodes=1000, epsilon="linear:1,0"), 1, 3)
    >>> chunks.episodes.tolist(), chunks.epsilons.tolist()
    ([1000, 500], [0.6, 0.19999999999999996])
    """
    starts = np.minimum(np.arange(first, end + 1) * config.chunk_episodes, config.episodes)
    at, total = starts[:-1].astype(np.float64), config.episodes
    return Chunks(
        np.diff(starts),
        config.step_sizes.at(at, total),
        config.epsilons.at(at, total),
        chunk_streams(config.seed, first, end - first),
    )


class ChunkSource:
    """The chunks of a run, computed many at a time and handed out in slices.

    Examples
    --------
    >>> source = ChunkSource(TrainingConfig(episodes=10_000, chunk_episodes=1000))
    >>> [int(chunks.streams[0]) == int(chunk_streams(0, 4, 1)[0]) for chunks in (source(4, 6), source(4, 5))]
    [True, True]
    """

    _AT_ONCE = 1024

    def __init__(self, config: TrainingConfig) -> None:
        self._config, self._first, self._end = config, 0, 0
        self._known = chunks_of(config, 0, 0)

    def __call__(self, first: int, end: int) -> Chunks:
        """Return the chunks `first` to `end - 1`."""
        if not self._first <= first <= end <= self._end:
            self._first, self._end = first, max(end, min(first + self._AT_ONCE, self._config.num_chunks))
            self._known = chunks_of(self._config, self._first, self._end)
        some = slice(first - self._first, end - self._first)
        known = self._known
        return Chunks(known.episodes[some], known.step_sizes[some], known.epsilons[some], known.streams[some])
