"""The learner of the general kernels: any algorithm, opponent and schedule, in any world, over any kind of values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import chunk_stream
from ttt_fast.learn.afterstate import learn_boards, packed_rewards
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.general import CODES, Episodes, Rule, learn_actions
from ttt_fast.learn.learner import Learner
from ttt_fast.learn.opponents import rules_worlds
from ttt_fast.learn.settings import SAI, Passes
from ttt_fast.learn.stores import Values, store_of
from ttt_fast.learn.worlds import table_worlds
from ttt_fast.policies.policy import Policy
from ttt_fast.tables.state_table import ROOT
from ttt_fast.values.choice import TIES
from ttt_fast.values.hashed import HashTable


class GeneralLearner(Learner):
    """A learner whose step size and epsilon are those of each episode.

    Parameters
    ----------
    config
        The settings of the run.
    opponents
        The policies of its stages, if the values are those of a table of states.
    before, counts
        What has been learned so far; a hash table and the counts (3,) int64 are updated in place.
    passes
        The updates of afterstates at the end of a game (default: those of the configuration).
    """

    def __init__(
        self,
        config: TrainingConfig,
        opponents: Sequence[Policy],
        before: Values,
        counts: NDArray[np.int64],
        passes: Passes | None = None,
    ) -> None:
        self.config, self.counts = config, counts
        self.store = store_of(before, config)
        self.start: Any = np.int64(ROOT)
        self.worlds: Sequence[Any]
        if isinstance(before, HashTable):
            self.start = config.played.initial_state
            self.worlds = rules_worlds(config.played, [agent for _, agent in config.stages()])
        else:
            self.worlds = table_worlds(before.table, opponents)
        self.rule = Rule(
            algorithm=CODES.get(config.algorithm, -1),
            seat=0 if config.is_self_play else config.seat,
            tie=TIES[config.tie],
            random_opening=config.random_opening,
            x_learns=True,
            o_learns=config.credit != SAI,
            visit_power=config.step_sizes.numbers[0] if config.step_sizes.by_visits else 0.0,
            discount=float(config.discount),
        )
        self._passes = packed_rewards(passes or config.passes)
        self._rewards = config.rewards
        none = np.zeros(0)
        self.learn(0, Episodes(0, none, none), np.zeros(1, np.uint64), np.zeros(3, np.int64))  # loads the kernel

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the episodes of chunks, with the step size and epsilon of each episode."""
        config = self.config
        for chunk in range(first, end):
            counts, stream = np.zeros(3, np.int64), np.array([chunk_stream(config.seed, chunk)], np.uint64)
            begin, number = (
                config.episodes_after(chunk),
                config.episodes_after(chunk + 1) - config.episodes_after(chunk),
            )
            epsilons = config.epsilons.values(begin, number, config.episodes)
            alphas = epsilons  # not looked at where step sizes go by visits
            if not config.step_sizes.by_visits:
                alphas = config.step_sizes.values(begin, number, config.episodes)
            stage = config.stage_of(chunk) if len(self.worlds) > 1 else 0
            done = 0
            while done < number:
                done += self.learn(stage, Episodes(begin + done, alphas[done:], epsilons[done:]), stream, counts)
                if done < number:
                    self.store.grow()
            self.counts += counts[::-1] if config.seats == (2,) else counts

    def learn(self, stage: int, episodes: Episodes, stream: NDArray[np.uint64], counts: NDArray[np.int64]) -> int:
        """Learn from episodes until they are done or there is no room; return the number done."""
        world, rows = self.worlds[stage], self.store.rows
        if self.config.by_board:
            return learn_boards(self.start, world, rows, self.rule, self._passes, episodes, stream, counts)
        return learn_actions(self.start, world, rows, self.rule, self._rewards, episodes, stream, counts)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values that the learner acts on, (E,) float64 over the edges of the game's table."""
        return self.store.edge_values()

    def values(self) -> Values:
        """Return what has been learned: a copy, or the hash table in which learning goes on."""
        return self.store.values()
