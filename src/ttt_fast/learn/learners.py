"""The learner of the general kernels, and the choice of the fastest learner for a configuration.

The choice depends only on the configuration and the size of the game.  The fast kernels (Q-learning against a fixed
policy; Q-learning and double Q-learning in self-play) keep step size and epsilon constant within a chunk, and have
states of 16 bits.  By default a chunk is a 250th of the run, within 1,000 to 100,000 episodes.  The general kernels use
the step size and epsilon of each episode.  Over tables larger than the cache, Q-learning interleaves episodes
(`interleaved`).  Planning plays no episodes: its learners pass over the table.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import chunk_stream
from ttt_fast.learn.afterstates import BoardRule, board_rule, learn_boards
from ttt_fast.learn.alphazero import AlphaZeroLearner
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.curve import Measures
from ttt_fast.learn.dqn.learner import DqnLearner
from ttt_fast.learn.dynamic_programming import IterationLearner
from ttt_fast.learn.dynamics import Dynamics, table_dynamics
from ttt_fast.learn.fast_learners import FixedOpponentLearner, SelfPlayLearner
from ttt_fast.learn.fictitious_play import FictitiousPlayLearner
from ttt_fast.learn.general import action_rule, learn_actions, make_scratch
from ttt_fast.learn.history import make_measures, player_of
from ttt_fast.learn.initial_values import init_values
from ttt_fast.learn.interleaved import InterleavedLearner
from ttt_fast.learn.learner import EPISODES_AT_ONCE, Episodes, Learner, episodes_of
from ttt_fast.learn.opponents import rules_dynamics
from ttt_fast.learn.settings import ALPHAZERO, ALTERNATE, DOUBLE_Q, FICTITIOUS_PLAY, Passes
from ttt_fast.learn.temporal_difference import TemporalDifferenceLearner
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import blocks
from ttt_fast.tables import MAX_STATES
from ttt_fast.values.api import LearnedValues
from ttt_fast.values.dense import DenseStore, EdgeValues
from ttt_fast.values.hashed import HashTable
from ttt_fast.values.learned_network import NetworkValues
from ttt_fast.values.learned_ultimate import UltimateValues
from ttt_fast.values.ntuples import NTupleValues

if TYPE_CHECKING:
    from ttt_fast.agents.learned import LearnedPlayer


class GeneralLearner(Learner):
    """A learner that uses the step size and epsilon of each episode.

    Parameters
    ----------
    config
        The settings of the run.
    opponents
        The policies of its stages, if the values are over a state table.
    before, counts
        The values (default: untrained) and the counts (3,) int64 so far; counts and a hash table are updated in place.
    passes
        The updates of afterstates at the end of a game (default: from the configuration).
    """

    def __init__(
        self,
        config: TrainingConfig,
        opponents: Sequence[Policy],
        before: LearnedValues | None = None,
        counts: NDArray[np.int64] | None = None,
        passes: Passes | None = None,
    ) -> None:
        self.config, self.opponents = config, opponents
        self.counts = np.zeros(3, np.int64) if counts is None else counts
        before = init_values(config) if before is None else before
        self.store: DenseStore | HashTable
        self.dynamics: Sequence[Dynamics]
        if isinstance(before, HashTable):
            self.store = before
            self.dynamics = rules_dynamics(config.game, config.opponent.agents)
        else:
            assert isinstance(before, EdgeValues)
            self.store = DenseStore(before, config.seats, config.by_board)
            self.dynamics = table_dynamics(before.table, opponents)
        self.rule = board_rule(config, passes) if config.by_board else action_rule(config)
        self.scratch = make_scratch(self.dynamics[0], config.algorithm)
        none = Episodes(0, np.zeros(0), np.zeros(0))
        self.learn(0, none, np.zeros(1, np.uint64), np.zeros(3, np.int64))  # loads the kernel

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the episodes of chunks, with the step size and epsilon of each episode."""
        for chunk in range(first, end):
            self.run_episodes(chunk)

    def run_episodes(self, chunk: int, count: int | None = None) -> None:
        """Learn from the first `count` episodes of a chunk (default: all)."""
        config, episodes = self.config, episodes_of(self.config, chunk).first_ones(count)
        counts, stream = np.zeros(3, np.int64), np.array([chunk_stream(config.seed, chunk)], np.uint64)
        for begin, end in blocks(episodes.alphas.size, EPISODES_AT_ONCE):
            some = episodes.after(begin).first_ones(end - begin)
            done = self.learn(config.stage_of(chunk), some, stream, counts)
            while done < end - begin:
                assert isinstance(self.store, HashTable)  # no other is ever full
                self.store.grow()
                done += self.learn(config.stage_of(chunk), some.after(done), stream, counts)
        self.counts += counts[::-1] if config.seats == (2,) else counts

    def learn(self, stage: int, episodes: Episodes, stream: NDArray[np.uint64], counts: NDArray[np.int64]) -> int:
        """Learn from episodes until they are done or the hash table is full; return the number of episodes done."""
        dynamics, rows = self.dynamics[stage], self.store.rows
        if isinstance(self.rule, BoardRule):
            return learn_boards(dynamics, rows, self.rule, self.scratch[0], episodes, stream, counts)
        return learn_actions(dynamics, rows, self.rule, *self.scratch, episodes, stream, counts)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values on which the learner acts, (E,) float64 over the edges of the game's table."""
        if isinstance(self.store, HashTable):
            raise TypeError("expected a table of states, got a hash table")
        return self.store.edge_values()

    def values(self) -> LearnedValues:
        """Return the learned values: a copy, or the hash table that learning updates."""
        return self.store if isinstance(self.store, HashTable) else self.store.values()

    def player(self, epsilon: Fraction = Fraction(0)) -> "LearnedPlayer":
        """Return the greedy player of the current values, which explores with probability `epsilon` at each move."""
        return player_of(self.config, self.values(), epsilon)

    def measures(self) -> Measures:
        """Return the exact measures of the run's learning curve; its game must have a state table."""
        return make_measures(self.config, self.opponents)


def make_learner(
    config: TrainingConfig,
    opponents: Sequence[Policy],
    before: LearnedValues | None = None,
    counts: NDArray[np.int64] | None = None,
) -> Learner:
    """Return the fastest learner that implements a configuration.

    Parameters
    ----------
    config
        The settings of the run.
    opponents
        The policies of `config.opponent`; empty in self-play, or if the game has no state table.
    before
        The values so far (default: untrained); a hash table is updated in place.
    counts : (3,) int64
        Episodes so far that the learner won, drew and lost, updated in place (default: zeros).
    """
    counts = np.zeros(3, np.int64) if counts is None else counts
    before = init_values(config) if before is None else before
    if isinstance(before, NetworkValues) and config.algorithm == ALPHAZERO:
        return AlphaZeroLearner(config, before, counts)
    if isinstance(before, NetworkValues):
        return DqnLearner(config, opponents, before, counts)
    if isinstance(before, NTupleValues):
        return TemporalDifferenceLearner(config, before, counts)
    if isinstance(before, UltimateValues):
        from ttt_fast.learn.ultimate.temporal_difference import NetworkLearner  # lazy: no other needs searches

        return NetworkLearner(config, before, counts)
    if config.is_planning:
        if not isinstance(before, EdgeValues):
            raise TypeError("expected values over a table of states, got a hash table")
        if config.algorithm == FICTITIOUS_PLAY:
            return FictitiousPlayLearner(config, before, counts)
        return IterationLearner(config, opponents, before, counts)
    tie, by_visits = config.settings.tie, config.settings.step_size.by_visits
    plain = config.game.alternates and not config.random_opening and not by_visits and tie != "last"
    if plain and isinstance(before, EdgeValues) and before.table.is_narrow:
        if config.is_self_play and config.algorithm in ("q", DOUBLE_Q):
            return SelfPlayLearner(config, before, counts)
        one_seat = not config.is_self_play and config.seat != ALTERNATE
        if one_seat and config.algorithm == "q" and tie == "first":
            return FixedOpponentLearner(config, opponents, before, counts)
    if plain and isinstance(before, EdgeValues) and before.table.num_states > MAX_STATES:
        if config.algorithm == "q" and tie == "first":
            return InterleavedLearner(config, opponents, before, counts)
    return GeneralLearner(config, opponents, before, counts)
