"""Training, and whether a run ends exactly at the optimum: by fractions, not by floats."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.registry import parse_agent
from ttt_fast.evaluate.exact_fractions import exact_fractions
from ttt_fast.evaluate.strength import exploitability
from ttt_fast.games import api
from ttt_fast.learn.settings import SELF_PLAY
from ttt_fast.learn.training import start_training, train
from ttt_fast.policies.best_response import best_response_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import greedy_policy
from ttt_fast.running.chunks import run_chunks
from ttt_fast.studies.cells import ordinary_table
from ttt_fast.studies.optimum.plan import Job, Problem, config_of
from ttt_fast.studies.page import Progress, runs_told

ROUNDING = 1e-12
"""Of the floats of a curve; different values v random are at least 1/945 apart, and v the others further than this."""


class Run(NamedTuple):
    """What is kept of a run.

    Attributes
    ----------
    job
        Its settings.
    value
        The exact value of its final greedy policy: wins minus losses, wins, or minus the exploitability.
    episodes, at_best
        Checkpoints, and whether the greedy policy had the best value there.
    """

    job: Job
    value: Fraction
    episodes: NDArray[np.int64]
    at_best: NDArray[np.bool_]

    @property
    def is_exact(self) -> bool:
        """Whether the final value is the best possible one."""
        return self.value == best_value(self.job.problem)

    @property
    def needed(self) -> float:
        """The first checkpoint from which on the run stays at the optimum, infinity for none."""
        if not self.at_best[-1]:
            return inf
        away = np.flatnonzero(~self.at_best)
        return float(self.episodes[away[-1] + 1 if away.size else 0])


@lru_cache(maxsize=64)
def agent(name: str) -> Policy:
    """Return a scripted player, made once."""
    return parse_agent(name)


def value_of(problem: Problem, policy: Policy) -> Fraction:
    """Return the exact value of a policy, by the objective of a problem.

    Examples
    --------
    >>> from ttt_fast.studies.optimum.plan import BY_NAME
    >>> value_of(BY_NAME["X v random"], parse_agent("minimax:tie=first"))
    Fraction(191, 192)
    """
    if problem.opponent == SELF_PLAY:
        return -Fraction(exploitability(policy))  # of a policy without dice every reply is worth -1, 0 or 1
    opponent = agent(problem.opponent)
    is_x = problem.seat == api.X
    exact = exact_fractions(policy, opponent) if is_x else exact_fractions(opponent, policy)
    wins, losses = (exact.x_wins, exact.o_wins) if is_x else (exact.o_wins, exact.x_wins)
    return wins - losses if problem.objective == "score" else wins


@lru_cache(maxsize=64)
def best_value(problem: Problem) -> Fraction:
    """Return the best value that any policy has: that of the best response; in self-play exploitability 0.

    Examples
    --------
    >>> from ttt_fast.studies.optimum.plan import PROBLEMS
    >>> {problem.name: str(best_value(problem)) for problem in PROBLEMS[:4]}
    {'X v random': '191/192', 'O v random, score': '874/945', 'O v random, wins': '887/945', 'X v buggy2': '5/6'}
    """
    if problem.opponent == SELF_PLAY:
        return Fraction(0)
    return value_of(problem, best_response_policy(agent(problem.opponent), problem.objective))


def train_job(job: Job) -> Run:
    """Train, and judge the final policy and the checkpoints."""
    config, problem = config_of(job), job.problem
    opponents = [agent(one) for _, one in config.stages()]
    training = train(start_training(config), opponents)
    curve = dict(zip(training.columns, training.history.T, strict=True))
    if problem.opponent == SELF_PLAY:
        values = -curve["exploitability"]
    else:
        values = curve["wins"] - (curve["losses"] if problem.objective == "score" else 0.0)
    at_best = np.abs(values - float(best_value(problem))) <= ROUNDING
    policy = greedy_policy(ordinary_table(), training.q_table, held=training.held)
    return Run(job, value_of(problem, policy), curve["episodes"].astype(np.int64), at_best)


def train_all(jobs: Sequence[Job], threads: int, on_progress: Progress | None = None) -> list[Run]:
    """Train all runs, in order whatever the threads."""
    runs: list[Run] = []
    tell = runs_told(on_progress, len(jobs))
    for run in run_chunks(lambda index: train_job(jobs[index]), 0, len(jobs), threads):
        runs.append(run)
        tell(len(runs))
    return runs
