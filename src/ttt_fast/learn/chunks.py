"""Chunks of episodes: the settings of each for the fast kernels, and those of each episode for the general ones."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import chunk_streams
from ttt_fast.learn.config import TrainingConfig


class Chunks(NamedTuple):
    """Successive chunks of episodes, so that one call can do several.

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
    streams = chunk_streams(config.seed, first, end - first)
    return Chunks(np.diff(starts), config.step_sizes.at(at, total), config.epsilons.at(at, total), streams)


class Episodes(NamedTuple):
    """The episodes of a chunk, or the last ones of them.

    Attributes
    ----------
    first
        Index of the first one, for alternating seats.
    alphas, epsilons : (G,) float64
        Step size and exploration of each.
    """

    first: int
    alphas: NDArray[np.float64]
    epsilons: NDArray[np.float64]

    def after(self, done: int) -> "Episodes":
        """Return those after some that are done."""
        return Episodes(self.first + done, self.alphas[done:], self.epsilons[done:])


def episodes_of(config: TrainingConfig, chunk: int) -> Episodes:
    """Return the episodes of a chunk.

    Examples
    --------
    >>> episodes = episodes_of(TrainingConfig(episodes=2500, chunk_episodes=1000, epsilon="linear:1,0"), 2)
    >>> episodes.first, episodes.epsilons.size, episodes.after(499).epsilons.tolist()
    (2000, 500, [0.00039999999999995595])
    """
    first, total = config.episodes_after(chunk), config.episodes
    number = config.episodes_after(chunk + 1) - first
    epsilons = config.epsilons.values(first, number, total)
    by_visits = config.step_sizes.by_visits  # then step sizes by episode are not looked at
    return Episodes(first, epsilons if by_visits else config.step_sizes.values(first, number, total), epsilons)
