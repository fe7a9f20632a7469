"""The learners of the kernels of Q-learning and its relatives.

The fast ones run Q-learning and, in self-play, double Q-learning; updates are only marked.  Against fixed policies and
in self-play, step size and epsilon are constant within a chunk.  Over tables that exceed the cache, episodes are
interleaved.  The general one uses the step size and epsilon of each episode.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.learned import LearnedPlayer
from ttt_fast.algorithms.api import SAI, AlgorithmSettings, LearningTask
from ttt_fast.algorithms.dynamics import Dynamics, table_dynamics
from ttt_fast.algorithms.episodes import EPISODES_AT_ONCE, Episodes, O
from ttt_fast.algorithms.learner import ChunkSource, Learner, episodes_of, player_of, rules_dynamics
from ttt_fast.algorithms.measures import Measures
from ttt_fast.algorithms.tabular.general import (
    TARGETS,
    WHOLE_EPISODE,
    ActionRule,
    BoardRule,
    learn_actions,
    learn_boards,
    make_scratch,
)
from ttt_fast.algorithms.tabular.interleaved import LANES, interleaved_problem, learn_interleaved, make_lanes
from ttt_fast.algorithms.tabular.q_learning import (
    CurveRows,
    fold_replies,
    learn_and_measure,
    learn_chunks,
    make_workspace,
    rank_all,
)
from ttt_fast.algorithms.tabular.record import TabularAlgorithm
from ttt_fast.algorithms.tabular.self_play import learn_self_play, self_play_game, self_play_workspace
from ttt_fast.core.rng import chunk_stream
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import blocks
from ttt_fast.tables import StateTable, table_of
from ttt_fast.values.api import LearnedValues
from ttt_fast.values.choice import TIES
from ttt_fast.values.dense import DenseStore, EdgeValues
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable

Passes = tuple[tuple[tuple[float, float], ...], ...]
"""For each result, the updates at the end of a game, each as its rewards for X and O."""


def first_values(config: LearningTask) -> EdgeValues | HashTable:
    """Return the values before the first episode.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
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


def rule_of(config: LearningTask, passes: Passes | None = None) -> ActionRule | BoardRule:
    """Return the rule of a configuration; `passes` are updates of boards at the end of a game (default: its own)."""
    settings, own = config.settings, vars(config.settings)
    visit_power = settings.step_size.numbers[0] if settings.step_size.by_visits else 0.0
    seat = 0 if config.is_self_play else config.seat
    shared = seat, TIES[settings.tie], config.random_opening, visit_power, float(settings.discount)
    if not config.by_board:
        steps, trace_decay = own.get("steps", WHOLE_EPISODE), float(own.get("trace_decay", 1))
        return ActionRule(TARGETS[record_of(config).target], *shared, steps, trace_decay, settings.rewards)
    passes = passes or passes_of(settings)
    most = max(len(pairs) for pairs in passes)
    padded = [[*pairs, *[(0.0, 0.0)] * (most - len(pairs))] for pairs in passes]
    num_passes = np.array([len(pairs) for pairs in passes])
    return BoardRule(*shared, settings.credit != SAI, np.array(padded, np.float64), num_passes)


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


class EdgeLearner(Learner):
    """A learner over a table of states whose kernel updates values in place and marks the updated edges.

    Attributes
    ----------
    table
        The table of the game.
    tables : (T, E) float64, updated : (E,) bool
        The values of the edges, two tables in double Q-learning, and whether they have been updated.
    """

    table: StateTable
    tables: NDArray[np.float64]
    updated: NDArray[np.bool_]

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values on which the learner acts, (E,) float64: those of a single table, or the mean of two."""
        values: NDArray[np.float64] = self.tables[0]
        return values if len(self.tables) == 1 else (values + self.tables[1]) / 2

    def values(self) -> EdgeValues:
        """Return a copy of the learned values."""
        return EdgeValues(self.table, self.tables.copy(), self.updated.astype(np.int64))


class FixedOpponentLearner(EdgeLearner):
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
        self.games, settings = [fold_replies(opponent, config.seat) for opponent in opponents], config.settings
        own = self.table.player[self.table.edge_state] == config.seat
        # an edge that is not in the table is the last
        q = np.full(self.games[0].link.size, settings.initial_q)
        q[: own.size] = np.where(own, before.tables[0], 0.0)
        self.workspace = make_workspace(self.games[0], q, settings.rewards, settings.discount)
        self.tables, self.updated = self.workspace.q[None, : own.size], self.workspace.visited[: own.size]
        self.updated[:] = own & (before.updates > 0)
        self._ranked = 0  # the stage for whose game the work arrays are valid
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
        curve = CurveRows(measures.game, ends, greedy, measures.scratch(), out)
        chunks = self._chunks(first, stops[-1])
        learn_and_measure(self.games[0], self.workspace, chunks, self.counts, curve)
        return out


class SelfPlayLearner(EdgeLearner):
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
        rule = config.settings.rewards, config.settings.discount, config.settings.tie == "random"
        self.workspace = self_play_workspace(self.game, before.tables, before.updates > 0, *rule)
        number = self.table.num_edges
        self.tables, self.updated = self.workspace.q[:, :number], self.workspace.visited[:number]
        self.run_chunks(0, 0)  # loads the kernel

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from chunks in one call, with the step size and epsilon at each chunk's start."""
        learn_self_play(self.game, self.workspace, self._chunks(first, end), self.counts)


class InterleavedLearner(EdgeLearner):
    """Q-learning over a large table; parameters are those of `FixedOpponentLearner`."""

    def __init__(
        self, config: LearningTask, opponents: Sequence[Policy], before: EdgeValues, counts: NDArray[np.int64]
    ) -> None:
        self.config, self.counts, self.table = config, counts, before.table
        self.tables, self.updated = before.tables.copy(), before.updates > 0
        seat = 0 if config.is_self_play else config.seat
        self._problems = [
            interleaved_problem(self.table, seat, one, config.settings.rewards, float(config.settings.discount))
            for one in opponents or [Policy.uniform(self.table)]
        ]
        self._lanes = make_lanes(LANES)

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the episodes of chunks, with the step size and epsilon of each episode."""
        config = self.config
        for chunk in range(first, end):
            counts, stream = np.zeros(3, np.int64), np.uint64(chunk_stream(config.seed, chunk))
            given = self._problems[config.stage_of(chunk)], self.tables[0], self.updated, episodes_of(config, chunk)
            learn_interleaved(*given, stream, self._lanes, counts)
            self.counts += counts[::-1] if config.seats == (O,) else counts


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
        self.config = config
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
        self.rule = rule_of(config, passes)
        self.scratch = make_scratch(self.dynamics[0], record_of(config).looks_ahead)
        self.learn(0, episodes_of(config, 0, 0), np.zeros(1, np.uint64), np.zeros(3, np.int64))  # loads the kernel

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the episodes of chunks, with the step size and epsilon of each episode."""
        for chunk in range(first, end):
            self.run_episodes(chunk)

    def run_episodes(self, chunk: int, count: int | None = None) -> None:
        """Learn from the first `count` episodes of a chunk (default: all)."""
        config, episodes = self.config, episodes_of(self.config, chunk).part(0, count)
        counts, stream = np.zeros(3, np.int64), np.array([chunk_stream(config.seed, chunk)], np.uint64)
        for begin, end in blocks(episodes.alphas.size, EPISODES_AT_ONCE):
            some = episodes.part(begin, end)
            while (done := self.learn(config.stage_of(chunk), some, stream, counts)) < some.alphas.size:
                assert isinstance(self.store, HashTable)  # no other is ever full
                self.store.grow()
                some = some.part(done)
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
