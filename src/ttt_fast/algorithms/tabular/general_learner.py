"""The learner of the general kernels, which use the step size and epsilon of each episode."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.learned import LearnedPlayer
from ttt_fast.algorithms.api import SAI, AlgorithmSettings, LearningTask
from ttt_fast.algorithms.dynamics import Dynamics, table_dynamics
from ttt_fast.algorithms.episodes import EPISODES_AT_ONCE, Episodes
from ttt_fast.algorithms.learner import Learner, episodes_of, player_of, rules_dynamics
from ttt_fast.algorithms.tabular.afterstates import BoardRule, learn_boards
from ttt_fast.algorithms.tabular.general import (
    DOUBLE_Q,
    EXPECTED_SARSA,
    Q_LEARNING,
    SARSA,
    WHOLE_EPISODE,
    ActionRule,
    learn_actions,
    make_scratch,
)
from ttt_fast.algorithms.tabular.record import TabularAlgorithm
from ttt_fast.core.rng import chunk_stream
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import blocks
from ttt_fast.tables import table_of
from ttt_fast.values.api import LearnedValues
from ttt_fast.values.choice import TIES
from ttt_fast.values.dense import DenseStore, EdgeValues
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable

TARGETS = {"q": Q_LEARNING, "double-q": DOUBLE_Q, "sarsa": SARSA, "expected-sarsa": EXPECTED_SARSA}
"""The codes of targets in the kernel."""
Passes = tuple[tuple[tuple[float, float], ...], ...]
"""For each result, the updates at the end of a game, each as its rewards for X and O."""


def first_values(config: LearningTask) -> EdgeValues | HashTable:
    """Return the values before the first episode.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> first_values(TrainingConfig(algorithm="double-q")).tables.shape
    (2, 16167)
    >>> first_values(TrainingConfig(game="connect4")).num_values
    7
    """
    if not config.has_table:
        return empty_hash_table(config)
    table = table_of(config.game)
    own = np.isin(table.player, config.seats)[table.edge_state]
    values = np.where(own, config.settings.initial_q, 0.0)  # 0 for seats that do not learn
    return EdgeValues(table, np.array([values] * record_of(config).num_tables), np.zeros(own.size, np.int64))


def record_of(config: LearningTask) -> TabularAlgorithm:
    """Return the record of a tabular algorithm."""
    if not isinstance(config.record, TabularAlgorithm):
        raise TypeError(f"expected a tabular algorithm, got {config.algorithm!r}")
    return config.record


def empty_hash_table(config: LearningTask, capacity: int = MIN_CAPACITY) -> HashTable:
    """Return a hash table for a game with or without a table of states."""
    num_values = 1 if config.by_board else config.game.num_actions
    of_each = not config.by_board and config.settings.step_size.by_visits
    return HashTable(num_values, config.settings.initial_q, capacity, of_each, record_of(config).num_tables)


def action_rule(config: LearningTask) -> ActionRule:
    """Return the rule of a configuration for action values."""
    target, own = TARGETS[record_of(config).target], vars(config.settings)
    steps, trace_decay = own.get("steps", WHOLE_EPISODE), float(own.get("trace_decay", 1))
    return ActionRule(target, *shared_settings(config), steps, trace_decay, config.settings.rewards)


def shared_settings(config: LearningTask) -> tuple[int, int, bool, float, float]:
    """Return the fields of a rule that values of actions and of boards share, from `seat` to `discount`."""
    settings = config.settings
    visit_power = settings.step_size.numbers[0] if settings.step_size.by_visits else 0.0
    seat = 0 if config.is_self_play else config.seat
    return seat, TIES[settings.tie], config.random_opening, visit_power, float(settings.discount)


def board_rule(config: LearningTask, passes: Passes | None = None) -> BoardRule:
    """Return the rule of a configuration for board values, with the updates at the end of a game (default: its own)."""
    credits_both = config.settings.credit != SAI
    return BoardRule(*shared_settings(config), credits_both, *packed_rewards(passes or passes_of(config.settings)))


def passes_of(settings: AlgorithmSettings) -> Passes:
    """Return the updates of boards at the end of a game.

    With the credit `sai`, only X is credited, with a win and then a loss for either winner.  A win of X adds two draws
    (the second `if` there should be an `elif`); O learns nothing.
    """
    win, draw, loss = settings.win_reward, settings.draw_reward, settings.loss_reward
    if settings.credit == SAI:
        decided, drawn = ((win, 0.0), (loss, 0.0)), ((draw, 0.0), (draw, 0.0))
        return (*decided, *drawn), drawn, decided
    return ((win, loss),), ((draw, draw),), ((loss, win),)


def packed_rewards(passes: Passes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rewards of the kernel, (3, P, 2) float64, and the number of updates of each result, (3,) int64.

    Examples
    --------
    >>> rewards, num_passes = packed_rewards((((1.0, -1.0), (0.0, 0.0)), ((0.0, 0.0),), ((-1.0, 1.0),)))
    >>> rewards.shape, num_passes.tolist()
    ((3, 2, 2), [2, 1, 1])
    """
    most = max(1, *(len(pairs) for pairs in passes))
    padded = [[*pairs, *[(0.0, 0.0)] * (most - len(pairs))] for pairs in passes]
    return np.array(padded, np.float64), np.array([len(pairs) for pairs in passes])


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
        config: LearningTask,
        opponents: Sequence[Policy],
        before: LearnedValues | None = None,
        counts: NDArray[np.int64] | None = None,
        passes: Passes | None = None,
    ) -> None:
        self.config, self.opponents = config, opponents
        self.counts = np.zeros(3, np.int64) if counts is None else counts
        before = first_values(config) if before is None else before
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
        self.scratch = make_scratch(self.dynamics[0], record_of(config).looks_ahead)
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

    def player(self, epsilon: Fraction = Fraction(0)) -> LearnedPlayer:
        """Return the greedy player of the current values, which explores with probability `epsilon` at each move."""
        return player_of(self.config, self.values(), epsilon)
