"""The learners of the fast kernels: Q-learning against fixed policies, Q-learning and double Q-learning in self-play.

Step size and epsilon are constant within a chunk; updates are only marked, not counted.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.learn import q_learning
from ttt_fast.learn.algorithms import QSettings
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.curve import MeasuredGame, Measures, Scratch, measure_greedy
from ttt_fast.learn.learner import Chunks, ChunkSource, Learner
from ttt_fast.learn.q_learning import greedy_action, learn_chunks, make_workspace, rank_all
from ttt_fast.learn.self_play import kernels
from ttt_fast.learn.self_play.game import self_play_game, self_play_workspace
from ttt_fast.learn.two_ply import TwoPly, fold_replies
from ttt_fast.policies.policy import Policy
from ttt_fast.values.dense import EdgeValues


class _Curve(NamedTuple):
    """The measures of a learning curve, the times of its rows, and the arrays to fill.

    Attributes
    ----------
    game
        The read-only arrays that all rows share; the edges of the error are numbered as those of the workspace.
    ends : (H,) int64
        The chunks before which a row is measured.
    greedy : (S,) int32
        The greedy edges at the previous row; overwritten.
    scratch
        Work arrays of the measures, allocated once: zeroing them for each row takes longer than measuring.
    rows : (H, K) float64
        Output, a row for each end.
    """

    game: MeasuredGame
    ends: NDArray[np.int64]
    greedy: NDArray[np.int32]
    scratch: Scratch
    rows: NDArray[np.float64]


@kernel
def _learn_and_measure(
    game: TwoPly, work: q_learning.QWorkspace, chunks: Chunks, counts: NDArray[np.int64], curve: _Curve
) -> None:
    """Learn as `learn_chunks` does up to each of the curve's ends, and measure there.

    The greedy edges are those of the heads: comparing all values again would take as long as all other measures.
    """
    greedy, own = curve.greedy, curve.game.own
    first, waits = 0, game.edge_start.size - 1 - own.size  # the number of nodes with the action "wait": 0 or 1
    for row in range(curve.ends.size):
        end = curve.ends[row]
        some = Chunks(
            chunks.episodes[first:end],
            chunks.step_sizes[first:end],
            chunks.epsilons[first:end],
            chunks.streams[first:end],
        )
        learn_chunks(game, work, some, counts)
        changed = 0
        for node in range(own.size):
            state = own[node]
            chosen = curve.game.edge_start[state] + np.int32(greedy_action(work.head[waits + node]))
            changed += chosen != greedy[state]
            greedy[state] = chosen
        measure_greedy(curve.game, work.q, greedy, changed, curve.scratch, curve.rows[row])
        first = end


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
        config: TrainingConfig,
        opponents: Sequence[Policy],
        before: EdgeValues,
        counts: NDArray[np.int64],
    ) -> None:
        self.config, self.counts, self.table = config, counts, before.table
        self._chunks = ChunkSource(config)
        self.games = [fold_replies(opponent, config.seat) for opponent in opponents]
        self.places = np.flatnonzero(self.table.player[self.table.edge_state] == config.seat).astype(np.int32)
        waits = self.games[0].link.size - self.places.size  # the first edge, if it is not in the table
        self.real, settings = slice(waits, None), QSettings.of(config)
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
        curve = _Curve(game, ends, greedy, measures.scratch(), out)
        chunks = self._chunks(first, stops[-1])
        _learn_and_measure(self.games[0], self.workspace, chunks, self.counts, curve)
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
    config
        The settings of the run.
    before, counts
        The values so far, and the counts (3,) int64, which are updated in place.
    """

    def __init__(self, config: TrainingConfig, before: EdgeValues, counts: NDArray[np.int64]) -> None:
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
