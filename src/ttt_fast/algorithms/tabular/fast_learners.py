"""The learners of the fast kernels of Q-learning and, in self-play, of double Q-learning; updates are only marked.

Against fixed policies and in self-play, step size and epsilon are constant within a chunk.  Over tables that exceed the
cache, episodes are interleaved.
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.learner import ChunkSource, Learner, episodes_of
from ttt_fast.algorithms.measures import Measures
from ttt_fast.algorithms.seats import O
from ttt_fast.algorithms.tabular.interleaved import LANES, learn_interleaved, make_lanes, problem_of
from ttt_fast.algorithms.tabular.q_learning import CurveRows, learn_and_measure, learn_chunks, make_workspace, rank_all
from ttt_fast.algorithms.tabular.self_play import kernels
from ttt_fast.algorithms.tabular.self_play.game import self_play_game, self_play_workspace
from ttt_fast.algorithms.two_ply import fold_replies
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import chunk_stream
from ttt_fast.policies.policy import Policy
from ttt_fast.values.dense import EdgeValues


class FixedOpponentLearner(Learner):
    """Q-learning in one seat, against the policies of the stages.

    Parameters
    ----------
    config, opponents
        The settings of the run, and the policies of its stages.
    before, counts
        The values so far, and the counts (3,) int64, which are updated in place.
    """

    def __init__(
        self,
        config: LearningTask,
        opponents: Sequence[Policy],
        before: EdgeValues,
        counts: NDArray[np.int64],
    ) -> None:
        self.config, self.counts, self.table = config, counts, before.table
        self._chunks = ChunkSource(config)
        self.games = [fold_replies(opponent, config.seat) for opponent in opponents]
        self.places = np.flatnonzero(self.table.player[self.table.edge_state] == config.seat).astype(np.int32)
        waits = self.games[0].link.size - self.places.size  # the first edge, if it is not in the table
        self.real, settings = slice(waits, None), config.settings
        values = np.append([settings.initial_q] * waits, before.tables[0][self.places])
        self.workspace = make_workspace(self.games[0], values, settings.rewards, settings.discount)
        self._ranked = 0  # the stage for whose game the work arrays are valid
        self.workspace.visited[self.real] = before.updates[self.places] > 0
        self._edge_values = np.zeros(self.table.num_edges)
        self._place = np.zeros(self.table.num_edges, np.int32)
        self._place[self.places] = np.arange(waits, values.size)
        self._learn(0, 0, 0)  # loads the kernel

    def _learn(self, stage: int, first: int, end: int) -> None:
        if stage != self._ranked:
            rank_all(self.games[stage], self.workspace)
            self._ranked = stage
        learn_chunks(self.games[stage], self.workspace, self._chunks(first, end), self.counts)

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from chunks in one call for each opponent, with the step size and epsilon at each chunk's start."""
        for stage, group in groupby(range(first, end), self.config.stage_of):
            numbers = list(group)
            self._learn(stage, numbers[0], numbers[-1] + 1)

    def run_measured(
        self, first: int, stops: Sequence[int], measures: Measures, greedy: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Learn and measure as in `Learner.run_measured`; against one opponent in one call, for the sake of threads."""
        if len(self.games) > 1 or len(stops) < 2:
            return super().run_measured(first, stops, measures, greedy)
        out, ends = measures.rows(len(stops)), np.subtract(stops, first)
        game = measures.game._replace(edges=frozen(self._place[measures.game.edges]))
        curve = CurveRows(game, ends, greedy, measures.scratch(), out)
        chunks = self._chunks(first, stops[-1])
        learn_and_measure(self.games[0], self.workspace, chunks, self.counts, curve)
        return out

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values on which the learner acts, (E,) float64."""
        self._edge_values[self.places] = self.workspace.q[self.real]
        return self._edge_values

    def values(self) -> EdgeValues:
        """Return a copy of the learned values."""
        updates = np.zeros(self.table.num_edges, np.int64)
        updates[self.places] = self.workspace.visited[self.real]
        return EdgeValues(self.table, self.edge_values()[None].copy(), updates)


class SelfPlayLearner(Learner):
    """Q-learning or double Q-learning in both seats, which learn from each other.

    Parameters
    ----------
    config, opponents
        The settings of the run, and no policies.
    before, counts
        The values so far, and the counts (3,) int64, which are updated in place.
    """

    def __init__(
        self, config: LearningTask, opponents: Sequence[Policy], before: EdgeValues, counts: NDArray[np.int64]
    ) -> None:
        self.config, self.counts, self.table = config, counts, before.table
        self._chunks = ChunkSource(config)
        self.game = self_play_game(self.table)
        settings = config.settings
        rewards = np.array([settings.rewards, settings.rewards[::-1]])  # of X and of O: X wins, draw, O wins
        rule = settings.discount, settings.tie == "random"
        self.workspace = self_play_workspace(self.game, before.tables, rewards, *rule)
        self.workspace.visited[: self.table.num_edges] = before.updates > 0
        kernels.rank_all(self.game, self.workspace)
        self.run_chunks(0, 0)  # loads the kernel

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from chunks in one call, with the step size and epsilon at each chunk's start."""
        kernels.learn_chunks(self.game, self.workspace, self._chunks(first, end), self.counts)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values on which the learners act, (E,) float64."""
        tables = self.workspace.q[:, : self.table.num_edges]
        values: NDArray[np.float64] = tables[0] if len(tables) == 1 else (tables[0] + tables[1]) / 2
        return values

    def values(self) -> EdgeValues:
        """Return a copy of the learned values."""
        number = self.table.num_edges
        updates = self.workspace.visited[:number].astype(np.int64)
        return EdgeValues(self.table, self.workspace.q[:, :number].copy(), updates)


class InterleavedLearner(Learner):
    """Q-learning over a large table; parameters are those of `FixedOpponentLearner`."""

    def __init__(
        self, config: LearningTask, opponents: Sequence[Policy], before: EdgeValues, counts: NDArray[np.int64]
    ) -> None:
        self.config, self.counts, self.table = config, counts, before.table
        self._q: NDArray[np.float64] = before.tables[0].copy()
        seat = 0 if config.is_self_play else config.seat
        self._problems = [
            problem_of(self.table, seat, one, config.settings.rewards, float(config.settings.discount))
            for one in opponents or [Policy.uniform(self.table)]
        ]
        self._updated = before.updates > 0
        self._lanes = make_lanes(LANES)

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the episodes of chunks, with the step size and epsilon of each episode."""
        config = self.config
        for chunk in range(first, end):
            counts, stream = np.zeros(3, np.int64), np.uint64(chunk_stream(config.seed, chunk))
            given = self._problems[config.stage_of(chunk)], self._q, self._updated, episodes_of(config, chunk)
            learn_interleaved(*given, stream, self._lanes, counts)
            self.counts += counts[::-1] if config.seats == (O,) else counts

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values on which the learner acts, (E,) float64."""
        return self._q

    def values(self) -> EdgeValues:
        """Return a copy of the learned values."""
        return EdgeValues(self.table, self._q[None].copy(), self._updated.astype(np.int64))
