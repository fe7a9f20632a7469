"""The learner of TD(lambda) over n-tuples."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.episodes import EPISODES_AT_ONCE
from ttt_fast.algorithms.learner import Learner, episodes_of
from ttt_fast.algorithms.td.kernels import Beginnings, TdRule, learn_games
from ttt_fast.algorithms.td.record import TdSettings
from ttt_fast.core.rng import chunk_stream
from ttt_fast.play.replay import positions_after
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import blocks
from ttt_fast.values.choice import TIES
from ttt_fast.values.ntuples import NTupleValues, check_game


def first_values(config: LearningTask) -> NTupleValues:
    """Return the n-tuples of a run, with weights of zero."""
    settings = TdSettings.of(config)
    tuples, is_coherent = settings.n_tuples(), bool(settings.coherent)
    errors = np.zeros(2 * tuples.num_weights if is_coherent else 0, np.float32)
    return NTupleValues(tuples, config.game, None, is_coherent, errors, config.has_table)


def td_rule(config: LearningTask) -> TdRule:
    """Return the rule of a configuration."""
    settings = TdSettings.of(config)
    return TdRule(TIES[settings.tie], settings.opening_plies, float(settings.trace_decay))


def beginnings_of(config: LearningTask) -> Beginnings:
    """Return how the games of a run on Connect 4 begin.

    Raises
    ------
    UsageError
        If the content of the file of starting positions has changed.
    FileFormatError
        If it contains no game that is not over.
    """
    settings, starts = TdSettings.of(config), np.zeros((0, 2), np.int64)
    if settings.starts is not None:
        settings.starts.check("the starting positions of the run")
        found = positions_after(settings.starts, config.game)
        starts = np.array([one[:2] for one in found], np.int64)  # a state begins with its stones
    return Beginnings(float(settings.opening_share or 0), starts, float(settings.start_share or 0))


class TemporalDifferenceLearner(Learner):
    """TD(lambda) over n-tuples in self-play.

    Parameters
    ----------
    config, opponents
        The settings of the run, and no policies.
    before
        The values so far; copied.
    counts : (3,) int64
        Games that X won, drew and lost so far, updated in place.
    """

    def __init__(
        self, config: LearningTask, opponents: Sequence[Policy], before: NTupleValues, counts: NDArray[np.int64]
    ) -> None:
        self.config, self.counts, self._values = config, counts, before.copy()
        self._initial = check_game(before.game)
        self._evaluator, self._rule = self._values.evaluator(), td_rule(config)
        self._beginnings = beginnings_of(config)

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the chunks `first` to `end - 1`."""
        for chunk in range(first, end):
            stream = np.array([chunk_stream(self.config.seed, chunk)], np.uint64)
            episodes = episodes_of(self.config, chunk)
            for begin, stop in blocks(episodes.alphas.size, EPISODES_AT_ONCE // 8):
                learn_games(
                    self._evaluator, self._initial, self._beginnings, self._rule, self._values.errors,
                    episodes.part(begin, stop), stream, self.counts,
                )  # fmt: skip
        if end == self.config.num_chunks:
            self._values = self._values.copy(complete=True)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values on which the learner acts, (E,) float64 over the edges of the game's table."""
        return self._values.q

    def values(self) -> NTupleValues:
        """Return a copy of the learned values; at the end, without the arrays that only steps need."""
        return self._values.copy()
