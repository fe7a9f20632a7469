"""The rows of a run's history: it learns up to the places of a row, and is measured there, exactly or by samples."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.registry import make_player, parse_agent
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.learn.checkpoint import Training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.curve import Measures
from ttt_fast.learn.learner import Learner
from ttt_fast.learn.samples import SHARES, sampled_row
from ttt_fast.learn.two_ply import reachable_states
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import solution_of, table_of


class Rows(Protocol):
    """The measures of a run.

    Attributes
    ----------
    columns
        Names of the numbers of a row; the first is `episodes`.
    greedy : (S,) int32
        The greedy edges at the last row; empty where nothing is exact.
    seconds
        Time spent in learning, and in exact measures.
    """

    columns: tuple[str, ...]
    greedy: NDArray[np.int32]
    seconds: float

    def learn(self, learner: Learner, first: int, end: int, stops: Sequence[int]) -> list[NDArray[np.float64]]:
        """Learn from the chunks `first` to `end - 1`, and return a row for the chunks before each of `stops`."""


class ExactRows:
    """Exact measures, for a game with a table of states."""

    def __init__(self, training: Training, opponents: Sequence[Policy]) -> None:
        self.config, self.measures = training.config, make_measures(training.config, opponents)
        self.greedy = training.greedy.copy() if training.chunks_done else self.measures.first_greedy()
        self.columns, self.seconds = ("episodes", *self.measures.columns), 0.0

    def learn(self, learner: Learner, first: int, end: int, stops: Sequence[int]) -> list[NDArray[np.float64]]:
        """Learn and measure, in one kernel call where the learner can."""
        started = time.perf_counter()
        measured = learner.run_measured(first, stops, self.measures, self.greedy)
        if not stops or stops[-1] < end:
            learner.run_chunks(stops[-1] if stops else first, end)
        self.seconds += time.perf_counter() - started
        rows = zip(stops, measured, strict=True)
        return [np.array([self.config.episodes_after(stop), *row]) for stop, row in rows]


class SampledRows:
    """Samples of games against the judges, for a game without a table of states."""

    def __init__(self, training: Training) -> None:
        self.config, self.columns = training.config, columns_of(training.config)
        self.greedy, self.seconds = np.zeros(0, np.int32), 0.0
        for judge in self.config.judge_names:
            make_player(judge, self.config.played)  # raises AgentError before anything is learned

    def learn(self, learner: Learner, first: int, end: int, stops: Sequence[int]) -> list[NDArray[np.float64]]:
        """Learn, and play the games of the samples."""
        rows = []
        for stop in sorted({*stops, end}):
            started = time.perf_counter()
            learner.run_chunks(first, stop)
            self.seconds += time.perf_counter() - started
            if stop in stops:
                rows.append(sampled_row(self.config, learner.values(), self.config.episodes_after(stop)))
            first = stop
        return rows


def columns_of(config: TrainingConfig) -> tuple[str, ...]:
    """Return the names of the columns of samples; those of exact measures are known once there are opponents."""
    if config.has_table:
        return ("episodes",)
    return ("episodes", "states", *(f"{share}_v_{judge}" for judge in config.judge_names for share in SHARES))


def rows_of(training: Training, opponents: Sequence[Policy]) -> Rows:
    """Return the measures of a run: exact where its game has a table of states."""
    return ExactRows(training, opponents) if training.config.has_table else SampledRows(training)


def make_measures(config: TrainingConfig, opponents: Sequence[Policy]) -> Measures:
    """Return the exact measures of a configuration's learning curve, which all seeds of a setting share."""
    return _measures(replace(config, seed=0), tuple(opponents))


@lru_cache(maxsize=16)
def _measures(config: TrainingConfig, opponents: tuple[Policy, ...]) -> Measures:
    table = table_of(config.game)
    names = [name for name in config.judge_names if name not in (one.name for one in opponents[-1:])]
    judges = [*opponents[-1:], *(parse_agent(name, config.game) for name in names)]
    if not judges:
        judges = [parse_agent("random", config.game)]
    last = opponents[-1] if opponents else None
    counted = np.zeros(table.num_states, np.bool_)
    for seat in config.seats:
        counted |= reachable_states(table, last, seat, config.random_opening)
    target = exact_q(table, last, config.rewards, config.discount, config.seats)
    if config.by_board:
        target = config.discount * target  # gamma applies at the end of the game, too
    last_of_equals = config.tie == "last"
    return Measures(
        table, solution_of(table), config.seats, judges, target, counted, last_of_equals, config.random_opening
    )
