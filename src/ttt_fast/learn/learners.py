"""Learners: a training run drives one, chunk of episodes after chunk.

Each holds the values and work arrays of one kernel.  `make_learner` takes the fastest kernel that can follow the
configuration; the choice depends on the configuration alone.  The fast kernels (Q-learning against a
fixed policy; Q-learning and double Q-learning in self-play) hold step size and epsilon for a chunk.  By default that
is a 250th of the run, within 1,000 to 100,000 episodes; the general kernel has those of each episode.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import chunk_stream
from ttt_fast.learn.afterstate import (
    EPSILON_SCALE,
    Afterstates,
    afterstate_game,
    learn_afterstates,
    packed_rewards,
)
from ttt_fast.learn.chunks import ChunkSource
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.general import ALGORITHMS, Switches, Tables, learn_general
from ttt_fast.learn.one_ply import OnePly, one_ply_game
from ttt_fast.learn.q_learning import learn_chunks, make_workspace, put_values
from ttt_fast.learn.self_play import kernels as self_play
from ttt_fast.learn.self_play.game import self_play_game, self_play_workspace
from ttt_fast.learn.settings import AFTERSTATE, ALTERNATE, Passes
from ttt_fast.learn.two_ply import TwoPly, fold_replies
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, table_of


class Learned(NamedTuple):
    """The learned tables, as a checkpoint keeps them.

    Attributes
    ----------
    tables : (T, S, A) float64
        One table of own-view values, or two for double Q-learning; the learner acts on their sum.
    updates : (S, A) int64
        Number of updates of each action, or 1 where the kernel only marks them.
    counts : (3,) int64
        Episodes that the learner won, drew, lost; of X where both seats learn.
    """

    tables: NDArray[np.float64]
    updates: NDArray[np.int64]
    counts: NDArray[np.int64]


def nothing_learned(config: TrainingConfig) -> Learned:
    """Return the tables before the first episode."""
    table = table_of(config.game)
    own = table.legal_action_mask & np.isin(table.player, config.seats)[:, None]
    number = 2 if config.algorithm == "double-q" else 1
    tables = np.where(own, config.initial_q, 0.0)
    return Learned(np.array([tables] * number), np.zeros(own.shape, np.int64), np.zeros(3, np.int64))


class Learner(Protocol):
    """A learner from chunks of episodes."""

    def run_chunk(self, chunk: int) -> None:
        """Learn from the episodes of a chunk."""

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values that the learner acts on, (E,) float64 over the edges of the state table.

        For double Q-learning the mean of its tables, which has the same order as their sum.
        """

    def learned(self) -> Learned:
        """Return a copy of the learned tables."""


class FixedOpponentLearner:
    """Q-learning against fixed policies in one seat: the fast kernel of `q_learning`."""

    def __init__(self, config: TrainingConfig, opponents: Sequence[Policy], before: Learned) -> None:
        self.config, self.table = config, table_of(config.game)
        table = self.table
        self.games = [folded(opponent, config.seat) for opponent in opponents]
        self.rewards = config.rewards
        real = self.games[0].edge_state >= 0
        self.where = self.games[0].edge_state[real], self.games[0].edge_action[real]
        self.real = real
        self.workspace = make_workspace(self.games[0], np.full(real.size, config.initial_q))
        self.workspace.q[real] = before.tables[0][self.where]
        self.workspace.visited[real] = before.updates[self.where] > 0
        self.counts = before.counts.copy()
        self.values = np.zeros(table.edge_child.size)
        place = np.cumsum(table.legal_action_mask).reshape(table.child.shape) - 1
        self.places = place[self.where].astype(np.int32)
        self.chunks = ChunkSource(config)
        self._learn(0, 0, 0)  # loads the kernel

    def _learn(self, stage: int, first: int, end: int) -> None:
        chunks, discount = self.chunks(first, end), float(self.config.discount)
        learn_chunks(self.games[stage], self.workspace, self.rewards, discount, chunks, self.counts)

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from chunks in one call for each opponent, with the step sizes and epsilons of their starts."""
        config = self.config
        for stage, group in groupby(range(first, end), config.stage_of if len(self.games) > 1 else lambda chunk: 0):
            numbers = list(group)
            self._learn(stage, numbers[0], numbers[-1] + 1)

    def run_chunk(self, chunk: int) -> None:
        """Learn from the episodes of a chunk."""
        self.run_chunks(chunk, chunk + 1)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values that the learner acts on, (E,) float64."""
        put_values(self.workspace.q, self.places, self.values)
        return self.values

    def learned(self) -> Learned:
        """Return a copy of the learned tables."""
        q_table, updates = np.zeros(self.table.child.shape), np.zeros(self.table.child.shape, np.int64)
        q_table[self.where] = self.workspace.q[self.real]
        updates[self.where] = self.workspace.visited[self.real]
        return Learned(q_table[None], updates, self.counts.copy())


@lru_cache(maxsize=32)
def folded(opponent: Policy, seat: int) -> TwoPly:
    """Return `fold_replies` of an opponent, kept: a sweep meets the same opponents again and again."""
    return fold_replies(opponent, seat)


class SelfPlayLearner:
    """Q-learning and double Q-learning of both seats from one another: the fast kernels of `self_play`."""

    def __init__(self, config: TrainingConfig, before: Learned) -> None:
        table = table_of(config.game)
        self.config, self.legal = config, table.legal_action_mask
        self.game = self_play_game(table)
        self.num_edges = self.game.link.size
        self.rewards = np.array([config.rewards, config.rewards[::-1]])  # of X and of O: X wins, draw, O wins
        self.workspace = self_play_workspace(self.game, before.tables[:, self.legal])
        self.workspace.visited[: self.num_edges] = before.updates[self.legal] > 0
        self.counts = before.counts.copy()
        self.chunks = ChunkSource(config)
        self.run_chunks(0, 0)  # loads the kernel

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from chunks in one call, with the step sizes and epsilons of their starts."""
        config = self.config
        self_play.learn_chunks(
            self.game,
            self.workspace,
            self.rewards,
            float(config.discount),
            self.chunks(first, end),
            self.counts,
            random_ties=config.tie == "random",
        )

    def run_chunk(self, chunk: int) -> None:
        """Learn from the episodes of a chunk."""
        self.run_chunks(chunk, chunk + 1)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values that the learners act on, (E,) float64."""
        tables = self.workspace.q[:, : self.num_edges]
        values: NDArray[np.float64] = tables[0] if len(tables) == 1 else (tables[0] + tables[1]) / 2
        return values

    def learned(self) -> Learned:
        """Return a copy of the learned tables."""
        tables = np.zeros((len(self.workspace.q), *self.legal.shape))
        tables[:, self.legal] = self.workspace.q[:, : self.num_edges]
        updates = np.zeros(self.legal.shape, np.int64)
        updates[self.legal] = self.workspace.visited[: self.num_edges]
        return Learned(tables, updates, self.counts.copy())


def _rivals(opponents: Sequence[Policy], table: StateTable) -> Sequence[Policy]:
    """Return the opponents, or in self-play somebody who never moves."""
    return opponents or [Policy("nobody", table, "probabilities", np.zeros(table.num_edges), held=table.decision_mask)]


class _ByEpisode(ABC):
    """Runs the chunks of a kernel that takes step size and epsilon of each episode, (E,) float64 each."""

    config: TrainingConfig
    counts: NDArray[np.int64]
    switches: Switches

    @abstractmethod
    def _learn(
        self, chunk: int, alphas: NDArray[np.float64], epsilons: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> None:
        """Learn from the episodes of a chunk; adds X's wins, draws and losses to `counts` (3,)."""

    def _start(self, config: TrainingConfig, before: Learned) -> None:
        """Set the attributes that the kernels share, and load the kernel by learning from no episodes."""
        self.counts = before.counts.copy()
        self.switches = Switches(
            algorithm=ALGORITHMS.get(config.algorithm, -1),
            seat=0 if config.is_self_play else config.seat,
            random_ties=config.tie == "random",
            random_opening=config.random_opening,
            visit_power=config.step_sizes.numbers[0] if config.step_sizes.by_visits else 0.0,
            discount=float(config.discount),
        )
        none = np.zeros(0)
        self._learn(0, none, none, np.zeros(3, np.int64))

    def run_chunk(self, chunk: int) -> None:
        """Learn from the episodes of a chunk, with the step size and epsilon of each."""
        config, counts = self.config, np.zeros(3, np.int64)
        first, last = config.episodes_after(chunk), config.episodes_after(chunk + 1)
        epsilons = config.epsilons.values(first, last - first, config.episodes)
        alphas = epsilons  # not looked at where step sizes go by visits
        if not config.step_sizes.by_visits:
            alphas = config.step_sizes.values(first, last - first, config.episodes)
        self._learn(chunk, alphas, epsilons, counts)
        self.counts += counts[::-1] if config.seats == (2,) else counts


class GeneralLearner(_ByEpisode):
    """Every other corner of the family: the kernel of `general`."""

    def __init__(self, config: TrainingConfig, opponents: Sequence[Policy], before: Learned) -> None:
        self.config, self.table = config, table_of(config.game)
        table = self.table
        rivals = _rivals(opponents, table)
        self.games: list[OnePly] = [one_ply_game(rival, config.tie) for rival in rivals]
        second = before.tables[1] if len(before.tables) > 1 else np.zeros(table.child.shape)
        self.tables = Tables(before.tables[0].copy(), second.copy(), before.updates.copy())
        self.is_double = len(before.tables) > 1
        self._start(config, before)

    def _learn(
        self, chunk: int, alphas: NDArray[np.float64], epsilons: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> None:
        config = self.config
        game, first = self.games[config.stage_of(chunk)], config.episodes_after(chunk)
        stream = chunk_stream(config.seed, chunk)
        learn_general(self.tables, game, self.switches, config.rewards, first, alphas, epsilons, stream, counts)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values that the learner acts on, (E,) float64."""
        values: NDArray[np.float64] = (self.tables.first + self.tables.second)[self.table.legal_action_mask]
        return values / 2 if self.is_double else values

    def learned(self) -> Learned:
        """Return a copy of the learned tables."""
        tables = [self.tables.first, self.tables.second] if self.is_double else [self.tables.first]
        return Learned(np.array(tables), self.tables.updates.copy(), self.counts.copy())


class AfterstateLearner(_ByEpisode):
    """Afterstate learning: the kernel of `afterstate`.

    Parameters
    ----------
    config, opponents, before
        As in `make_learner`.
    passes
        The updates at the end of a game (default: one, by the rewards of the configuration).

    Attributes
    ----------
    afterstates
        Values and updates of the boards.
    """

    def __init__(
        self,
        config: TrainingConfig,
        opponents: Sequence[Policy],
        before: Learned,
        passes: Passes | None = None,
    ) -> None:
        table = table_of(config.game)
        self.config, self.table = config, table
        self.games = [afterstate_game(rival, config.tie) for rival in _rivals(opponents, table)]
        win, draw, loss = config.win_reward, config.draw_reward, config.loss_reward
        self.rewards, self.num_passes = packed_rewards(passes or (((win, loss),), ((draw, draw),), ((loss, win),)))
        self.own = table.legal_action_mask & np.isin(table.player, config.seats)[:, None]
        values, updates = np.zeros(table.num_states), np.zeros(table.num_states, np.int64)
        values[table.child[self.own]] = before.tables[0][self.own]
        updates[table.child[self.own]] = before.updates[self.own]
        self.afterstates = Afterstates(values, updates)
        self._start(config, before)

    def _learn(
        self, chunk: int, alphas: NDArray[np.float64], epsilons: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> None:
        config = self.config
        explore_below = np.rint(epsilons * EPSILON_SCALE).astype(np.uint64)
        learn_afterstates(
            self.afterstates, self.games[config.stage_of(chunk)], self.switches, self.rewards, self.num_passes,
            config.episodes_after(chunk), alphas, explore_below, chunk_stream(config.seed, chunk), counts,
        )  # fmt: skip

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values of the boards after each edge, (E,) float64."""
        values: NDArray[np.float64] = self.afterstates.values[self.table.edge_child]
        return values

    def learned(self) -> Learned:
        """Return the learned table of actions: the value of an action is that of the board after it."""
        tables = np.where(self.own, self.afterstates.values[self.table.child], 0.0)
        updates = np.where(self.own, self.afterstates.updates[self.table.child], 0)
        return Learned(tables[None], updates, self.counts.copy())


def run_chunks(learner: Learner, first: int, end: int) -> None:
    """Learn from the chunks `first` to `end - 1`, in one kernel call where the learner can."""
    if isinstance(learner, FixedOpponentLearner | SelfPlayLearner):
        learner.run_chunks(first, end)
    else:
        for chunk in range(first, end):
            learner.run_chunk(chunk)


def make_learner(config: TrainingConfig, opponents: Sequence[Policy], before: Learned) -> Learner:
    """Return the fastest learner that does what a configuration asks for.

    Parameters
    ----------
    config
        The settings of the run.
    opponents
        The policies of `config.stages()`; none in self-play.
    before
        What has been learned so far.
    """
    if config.algorithm == AFTERSTATE:
        return AfterstateLearner(config, opponents, before)
    plain = not config.random_opening and not config.step_sizes.by_visits and config.tie != "last"
    if plain and config.is_self_play and config.algorithm in ("q", "double-q"):
        return SelfPlayLearner(config, before)
    one_seat = not config.is_self_play and config.seat != ALTERNATE
    if plain and one_seat and config.algorithm == "q" and config.tie == "first":
        return FixedOpponentLearner(config, opponents, before)
    return GeneralLearner(config, opponents, before)
