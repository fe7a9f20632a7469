"""The learner of TD(lambda) over n-tuples: each game is played with the weights after the previous one."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.learn.algorithms import TdSettings
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.learner import Learner, episodes_of
from ttt_fast.learn.ntuple_games import Rule, learn_games
from ttt_fast.values.choice import TIES
from ttt_fast.values.ntuple_tables import make_sums
from ttt_fast.values.ntuples import NTupleValues, check_game


class TemporalDifferenceLearner(Learner):
    """TD(lambda) over n-tuples in self-play.

    Parameters
    ----------
    config
        The settings of the run.
    before
        The values so far; copied.
    counts : (3,) int64
        Games that X won, drew and lost so far, updated in place.
    """

    def __init__(self, config: TrainingConfig, before: NTupleValues, counts: NDArray[np.int64]) -> None:
        self.config, self.counts, self._values = config, counts, before.copy()
        self._initial = check_game(before.game)
        self._sums = make_sums(before.tables, int(api.max_plies(self._initial)) + 1)
        settings = TdSettings.of(config)
        self._rule = Rule(TIES[settings.tie], settings.opening_plies, float(settings.trace_decay))

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the chunks `first` to `end - 1`."""
        for chunk in range(first, end):
            stream = np.array([chunk_stream(self.config.seed, chunk)], np.uint64)
            learn_games(
                self._values.tables, self._sums, self._initial, self._rule, self._values.errors,
                episodes_of(self.config, chunk), stream, self.counts,
            )  # fmt: skip
        if end == self.config.num_chunks:
            self._values = self._values.copy(complete=True)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values on which the learner acts, (E,) float64 over the edges of the game's table."""
        return self._values.q

    def values(self) -> NTupleValues:
        """Return the learned values, which learning updates; at the end, without the arrays that only steps need."""
        return self._values
