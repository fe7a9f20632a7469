"""Q-learning and double Q-learning of both seats from one another: the learner of the fast kernels of self-play."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.learn.chunks import chunks_of
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.learner import Learner
from ttt_fast.learn.self_play.game import self_play_game, self_play_workspace
from ttt_fast.learn.self_play.kernels import learn_chunks
from ttt_fast.values.dense import EdgeValues


class SelfPlayLearner(Learner):
    """Step size and epsilon are held for a chunk; an update is only marked, not counted.

    Parameters
    ----------
    config
        The settings of the run.
    before, counts
        What has been learned so far; the counts (3,) int64 are updated in place.
    """

    def __init__(self, config: TrainingConfig, before: EdgeValues, counts: NDArray[np.int64]) -> None:
        self.config, self.counts, self.table = config, counts, before.table
        self.game = self_play_game(self.table)
        self.rewards = np.array([config.rewards, config.rewards[::-1]])  # of X and of O: X wins, draw, O wins
        self.workspace = self_play_workspace(self.game, before.tables)
        self.workspace.visited[: self.table.num_edges] = before.updates > 0
        self.run_chunks(0, 0)  # loads the kernel

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from chunks in one call, with the step sizes and epsilons of their starts."""
        config = self.config
        learn_chunks(
            self.game,
            self.workspace,
            self.rewards,
            float(config.discount),
            chunks_of(config, first, end),
            self.counts,
            random_ties=config.tie == "random",
        )

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values that the learners act on, (E,) float64."""
        tables = self.workspace.q[:, : self.table.num_edges]
        values: NDArray[np.float64] = tables[0] if len(tables) == 1 else (tables[0] + tables[1]) / 2
        return values

    def values(self) -> EdgeValues:
        """Return a copy of what has been learned."""
        number = self.table.num_edges
        updates = self.workspace.visited[:number].astype(np.int64)
        return EdgeValues(self.table, self.workspace.q[:, :number].copy(), updates)
