"""The episodes that a call of a kernel plays, and the seats that learn from them.

The fast kernels play chunks, the general ones single episodes.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # help reads the seats, and imports nothing heavy
    import numpy as np
    from numpy.typing import NDArray

X, O, ALTERNATE = 1, 2, 3  # noqa: E741  (the name of the player)
"""The learner's seat; ALTERNATE is X in even episodes and O in odd ones."""
SEATS = {"x": X, "o": O, "both": ALTERNATE}
SEAT_NAMES = {code: name for name, code in SEATS.items()}
EPISODES_AT_ONCE = 1 << 14
"""Episodes of a first block of a chunk, which take less than half a second."""


class Chunks(NamedTuple):
    """Successive chunks of episodes, several of which one call can process.

    Attributes
    ----------
    episodes : (C,) int64
        Number of episodes of each chunk.
    step_sizes, epsilons : (C,) float64
        Step size and epsilon of each chunk's first episode, constant over the chunk.
    streams : (C,) uint64
        Random stream of each chunk.
    """

    episodes: "NDArray[np.int64]"
    step_sizes: "NDArray[np.float64]"
    epsilons: "NDArray[np.float64]"
    streams: "NDArray[np.uint64]"


class Episodes(NamedTuple):
    """The episodes of a chunk, or the last ones of it.

    Attributes
    ----------
    first
        Index of the first episode, for alternating seats.
    alphas, epsilons : (G,) float64
        Step size and exploration rate of each episode.
    """

    first: int
    alphas: "NDArray[np.float64]"
    epsilons: "NDArray[np.float64]"

    def part(self, begin: int, end: int | None = None) -> "Episodes":
        """Return the episodes from place `begin` up to `end` (default: the last one)."""
        return Episodes(self.first + begin, self.alphas[begin:end], self.epsilons[begin:end])
