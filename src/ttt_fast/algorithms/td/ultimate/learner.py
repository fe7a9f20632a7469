"""TD(lambda) over the network of Ultimate: chunks of games with frozen values, and steps in the order of the games.

A chunk is played with the network in integers, as stored in a file, by threads that modify nothing.  Every
`GAMES_A_STEP` games give a step of Adam.  Its gradient is that of the mean squared distance from the targets
(`self_play`), with each position under a drawn symmetry, at the weights after the previous steps.
"""

from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.learner import Learner, episodes_of
from ttt_fast.algorithms.networks.optimizers import Moments, no_moments, optimizer
from ttt_fast.algorithms.td.learner import td_rule
from ttt_fast.algorithms.td.ultimate.fit import (
    Labels,
    UltimateKey,
    initial_parameters,
    learn_positions,
    make_fit_scratch,
    make_labels,
)
from ttt_fast.algorithms.td.ultimate.self_play import play_games
from ttt_fast.core.manifest import available_cores
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games.tic_tac_toe import SQUARE_SYMMETRIES
from ttt_fast.games.ultimate.rules import NUM_CELLS, UltimateState
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import run_chunks
from ttt_fast.values.ultimate.evaluator import ultimate_evaluator
from ttt_fast.values.ultimate.learned import UltimateValues
from ttt_fast.values.ultimate.network import NUM_PARAMETERS, pattern_tables

GAMES_A_STEP: Final = 16
"""Games in a step, about 800 positions; one thread plays them, with a random stream of their own."""


def first_values(config: LearningTask) -> UltimateValues:
    """Return a network with random weights, drawn by the seed of a run."""
    return UltimateValues(config.game, initial_parameters(config.seed), tuple(no_moments(NUM_PARAMETERS)))


class NetworkLearner(Learner):
    """TD(lambda) over the network of Ultimate in self-play.

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
        self, config: LearningTask, opponents: Sequence[Policy], before: UltimateValues, counts: NDArray[np.int64]
    ) -> None:
        self.config, self.counts, self._values = config, counts, before.copy()
        self._scratch, self._optimizer = make_fit_scratch(), optimizer("adam")
        if before.can_go_on:
            self._scratch = self._scratch._replace(moments=Moments(*self._values.memory))
        self._rule = td_rule(config)

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the chunks `first` to `end - 1`."""
        parameters, scratch, tables = self._values.parameters, self._scratch, pattern_tables()
        for chunk in range(first, end):
            # its games are played with the values at its beginning, while others are learned from
            episodes, network = episodes_of(self.config, chunk), self._values.copy().network
            play = partial(self._play, network, chunk, episodes.epsilons)
            steps = ceil(episodes.alphas.size / GAMES_A_STEP)
            for number, (labels, positions, counts) in enumerate(run_chunks(play, 0, steps, available_cores())):
                self.counts += counts
                if positions:
                    stream = chunk_stream(self.config.seed, UltimateKey.SYMMETRIES, chunk, number)
                    learn_positions(
                        parameters, labels, positions, tables.image, SQUARE_SYMMETRIES, self._optimizer,
                        float(episodes.alphas[number * GAMES_A_STEP]), stream, scratch,
                    )  # fmt: skip
        if end == self.config.num_chunks:
            self._values = self._values.rounded()

    def _play(
        self, network: NDArray[np.float32], chunk: int, epsilons: NDArray[np.float64], number: int
    ) -> tuple[Labels, int, NDArray[np.int64]]:
        """Play the games of a step; return positions with their targets, their number, and the counts of results."""
        some = epsilons[number * GAMES_A_STEP : (number + 1) * GAMES_A_STEP]
        labels, counts = make_labels(some.size * NUM_CELLS), np.zeros(3, np.int64)
        stream = chunk_stream(self.config.seed, chunk, number)
        start = UltimateState(*self._values.game.initial_state)
        positions = play_games(
            ultimate_evaluator(network), start, self._rule, some, stream, pattern_tables(), labels, counts
        )
        return labels, int(positions), counts

    def edge_values(self) -> NDArray[np.float64]:
        """Raise TypeError: Ultimate has no table of states."""
        raise TypeError("expected a game with a table of states, got ultimate")

    def values(self) -> UltimateValues:
        """Return a copy of the learned values; at the end, rounded as in a file."""
        return self._values.copy()
