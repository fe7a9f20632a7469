"""The learner that a run drives, one chunk of games after the other, over a table that it lets grow."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.core.rng import chunk_stream
from ttt_fast.learn.afterstate import EPSILON_SCALE, packed_rewards
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.hashed.afterstate import Rule, learn_afterstates
from ttt_fast.learn.hashed.q_learning import learn_q
from ttt_fast.learn.settings import AFTERSTATE, SAI, SELF_PLAY
from ttt_fast.values.choice import TIES
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable


def empty_table(config: TrainingConfig, capacity: int = MIN_CAPACITY) -> HashTable:
    """Return the table of a run before its first game.

    Examples
    --------
    >>> empty_table(TrainingConfig(game="connect4")).num_values
    7
    """
    by_action = config.algorithm != AFTERSTATE
    num_values = config.played.num_actions if by_action else 1
    of_each = by_action and config.step_sizes.by_visits
    return HashTable(num_values, config.initial_q, capacity, of_each)


class HashedLearner:
    """Afterstate learning or Q-learning in self-play.

    Parameters
    ----------
    config
        The settings of the run.
    table
        From `empty_table`, or as an earlier run left it; updated in place.
    counts : (3,) int64
        Games so far that X won, drew, lost; added to.
    """

    def __init__(self, config: TrainingConfig, table: HashTable, counts: NDArray[np.int64]) -> None:
        if not config.is_self_play or config.random_opening or config.algorithm not in ("q", AFTERSTATE):
            raise UsageError(f"expected q or {AFTERSTATE} in {SELF_PLAY}-play on {config.game}, got {config!r}")
        self.config, self.table, self.counts = config, table, counts
        self.start = config.played.initial_state
        self.rule = Rule(
            discount=float(config.discount),
            visit_power=config.step_sizes.numbers[0] if config.step_sizes.by_visits else 0.0,
            tie=TIES[config.tie],
            x_learns=True,
            o_learns=config.credit != SAI,
        )
        self.rewards, self.num_passes = packed_rewards(config.passes)
        none = np.zeros(0)
        self._learn(none, none.astype(np.uint64), np.zeros(1, np.uint64))  # loads the kernel

    def run_chunk(self, chunk: int) -> None:
        """Learn from the games of a chunk, with the step size and epsilon of each."""
        config = self.config
        first, last = config.episodes_after(chunk), config.episodes_after(chunk + 1)
        epsilons = config.epsilons.values(first, last - first, config.episodes)
        explore_below = np.rint(epsilons * EPSILON_SCALE).astype(np.uint64)
        alphas = epsilons  # not looked at where step sizes go by visits
        if not config.step_sizes.by_visits:
            alphas = config.step_sizes.values(first, last - first, config.episodes)
        stream = np.array([chunk_stream(config.seed, chunk)], np.uint64)
        while alphas.size:
            done = self._learn(alphas, explore_below, stream)
            alphas, explore_below = alphas[done:], explore_below[done:]
            if alphas.size:
                self._grow()

    def _learn(self, alphas: NDArray[np.float64], explore_below: NDArray[np.uint64], stream: NDArray[np.uint64]) -> int:
        """Learn from games until they are done or the table is full; return the number done."""
        rows = self.table.rows
        if self.config.algorithm == AFTERSTATE:
            return learn_afterstates(
                self.start, rows, self.rule, self.rewards, self.num_passes, alphas, explore_below, stream, self.counts
            )
        rewards = self.config.rewards
        return learn_q(self.start, rows, self.rule, rewards, alphas, explore_below, stream, self.counts)

    def _grow(self) -> None:
        try:
            self.table.grow()
        except MemoryError:
            raise TttFastError(
                f"expected memory for more than {len(self.table):,} states, found no more;"
                f" the table has {self.table.memory_bytes >> 20:,} MB"
            ) from None
