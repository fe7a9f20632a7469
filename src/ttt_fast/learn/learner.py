"""What a learner is: a training run drives one, and asks for no more than this."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.learn.curve import Measures
from ttt_fast.learn.stores import Values


class Learner(Protocol):
    """A learner from chunks of episodes.

    Attributes
    ----------
    counts : (3,) int64
        Episodes so far that the learner (X, where both seats learn) won, drew and lost.
    """

    counts: NDArray[np.int64]

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the chunks `first` to `end - 1`."""

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values that the learner acts on, (E,) float64 over the edges of the game's table.

        For double Q-learning the mean of its tables, which has the same order as their sum.
        """

    def values(self) -> Values:
        """Return what has been learned: a copy, or the hash table in which learning goes on."""

    def run_measured(
        self, first: int, stops: Sequence[int], measures: Measures, greedy: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Learn from chunk `first` on up to each of `stops`, and measure there.

        Parameters
        ----------
        first
            Number of a chunk.
        stops
            Ascending numbers of chunks, above `first`.
        measures
            What is measured.
        greedy : (S,) int32
            The greedy edges at the row before; replaced by those at the last row.

        Returns
        -------
        (len(stops), K) float64
            A row for each stop, in the order of `measures.columns`.
        """
        out = measures.rows(len(stops))
        for row, stop in enumerate(stops):
            self.run_chunks(first, stop)
            out[row] = measures(self.edge_values(), greedy)
            first = stop
        return out
