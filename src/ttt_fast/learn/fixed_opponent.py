"""Q-learning in one seat against fixed policies: the learner of the fast kernel of `q_learning`."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.learn.chunks import Chunks, ChunkSource
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.curve import MeasuredGame, Measures, Scratch, measure
from ttt_fast.learn.learner import Learner
from ttt_fast.learn.q_learning import Workspace, learn_chunks, learn_chunks_kernel, put_values
from ttt_fast.learn.two_ply import TwoPly, fold_replies
from ttt_fast.policies.policy import Policy
from ttt_fast.values.dense import EdgeValues

Arrays = tuple[
    NDArray[np.float64], NDArray[np.uint64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]
]  # of a workspace: q, head, best, bound, visited


@kernel
def _learn_and_measure(
    game: TwoPly,
    arrays: Arrays,
    rewards: NDArray[np.float64],
    chunks: Chunks,
    gamma: float,
    counts: NDArray[np.int64],
    places: NDArray[np.int32],
    edge_values: NDArray[np.float64],
    measured: MeasuredGame,
    greedy: NDArray[np.int32],
    scratch: Scratch,
    ends: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Learn up to each of `ends` (places among the chunks) and measure there, a row of `out` each."""
    q, head, best, bound, visited = arrays
    first = 0
    for row in range(ends.size):
        end = ends[row]
        learn_chunks_kernel(
            q, game.edge_start, game.link, game.slot, head, best, bound, visited, rewards, chunks.episodes[first:end],
            chunks.step_sizes[first:end], chunks.epsilons[first:end], gamma, chunks.streams[first:end], counts,
        )  # fmt: skip
        put_values(q, places, edge_values)
        measure(measured, edge_values, greedy, scratch, out[row])
        first = end


class FixedOpponentLearner(Learner):
    """Step size and epsilon are held for a chunk; an update is only marked, not counted.

    Parameters
    ----------
    config, opponents
        The settings of the run, and the policies of its stages.
    before, counts
        What has been learned so far; the counts (3,) int64 are updated in place.
    """

    def __init__(
        self,
        config: TrainingConfig,
        opponents: Sequence[Policy],
        before: EdgeValues,
        counts: NDArray[np.int64],
    ) -> None:
        self.config, self.counts, self.table = config, counts, before.table
        self.games = [folded(opponent, config.seat) for opponent in opponents]
        self.rewards = config.rewards
        self.places = np.flatnonzero(self.table.player[self.table.edge_state] == config.seat).astype(np.int32)
        waits = self.games[0].link.size - self.places.size  # an edge that is not of the table comes first
        self.real = slice(waits, None)
        self.workspace = Workspace(self.games[0], np.full(self.games[0].link.size, config.initial_q))
        self.workspace.q[self.real] = before.tables[0][self.places]
        self.workspace.visited[self.real] = before.updates[self.places] > 0
        self._edge_values = np.zeros(self.table.num_edges)
        self.chunks = ChunkSource(config)
        self._learn(0, 0, 0)  # loads the kernel

    def _learn(self, stage: int, first: int, end: int) -> None:
        chunks, discount = self.chunks(first, end), float(self.config.discount)
        learn_chunks(self.games[stage], self.workspace, self.rewards, discount, chunks, self.counts)

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from chunks in one call for each opponent, with the step sizes and epsilons of their starts."""
        config = self.config
        for stage, group in groupby(range(first, end), config.stage_of if len(self.games) > 1 else lambda chunk: 0):
            numbers = list(group)
            self._learn(stage, numbers[0], numbers[-1] + 1)

    def run_measured(
        self, first: int, stops: Sequence[int], measures: Measures, greedy: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Do what every learner does; against one opponent in one call: threads share the interpreter."""
        if len(self.games) > 1 or len(stops) < 2:
            return super().run_measured(first, stops, measures, greedy)
        work, out = self.workspace, measures.rows(len(stops))
        arrays = work.q, work.head, work.best, work.bound, work.visited
        _learn_and_measure(
            self.games[0], arrays, self.rewards, self.chunks(first, stops[-1]), float(self.config.discount),
            self.counts, self.places, self._edge_values, measures.game, greedy, measures.scratch(),
            np.subtract(stops, first), out,
        )  # fmt: skip
        return out

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values that the learner acts on, (E,) float64."""
        put_values(self.workspace.q, self.places, self._edge_values)
        return self._edge_values

    def values(self) -> EdgeValues:
        """Return a copy of what has been learned."""
        q_table, updates = np.zeros(self.table.num_edges), np.zeros(self.table.num_edges, np.int64)
        q_table[self.places] = self.workspace.q[self.real]
        updates[self.places] = self.workspace.visited[self.real]
        return EdgeValues(self.table, q_table[None], updates)


@lru_cache(maxsize=32)
def folded(opponent: Policy, seat: int) -> TwoPly:
    """Return `fold_replies` of an opponent, kept: a sweep meets the same opponents again and again."""
    return fold_replies(opponent, seat)
