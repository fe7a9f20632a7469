"""Smirnov's learning curves: step size, discount, exploration, single against double Q-learning."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.settings import SELF_PLAY
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.cells import agent
from ttt_fast.studies.page import Progress, Rows
from ttt_fast.studies.sample import Sample
from ttt_fast.studies.smirnov.published import AGAINST_RANDOM, BY_SELF_PLAY, DOUBLE, HEURIBOT, MINIMAX, SINGLE
from ttt_fast.studies.smirnov.runs import (
    ALPHAS,
    CURVE_GAMMA,
    CURVE_GAMMAS,
    EPSILONS,
    Size,
    Trace,
    annealed,
    constant,
    each,
    learn,
    trace,
)

ALGORITHMS = {SINGLE: "q", DOUBLE: "double-q"}
TRAININGS = {SELF_PLAY: BY_SELF_PLAY, "random": AGAINST_RANDOM}
OPPONENTS = ("random", "minimax", "heuribot", SINGLE, DOUBLE)
"""Whom single and double Q-learning are measured against, in the order of a trace's columns."""

Curves = Mapping[float, list[Trace]]
Duels = Mapping[tuple[str, str], list[Trace]]
"""Runs by the opponent in training and the algorithm."""


def alpha_curves(size: Size, threads: int) -> Curves:
    """Return the runs of every step size."""
    return _constants(ALPHAS, lambda alpha: (alpha, CURVE_GAMMA, 0.4), size.alpha_runs, size, threads)


def epsilon_curves(size: Size, threads: int) -> Curves:
    """Return the runs of every exploration rate."""
    return _constants(EPSILONS, lambda epsilon: (0.1, CURVE_GAMMA, epsilon), size.epsilon_runs, size, threads)


def gamma_curves(size: Size, threads: int) -> tuple[Curves, Curves]:
    """Return the short and the long runs of every discount: a short run is the beginning of a long one."""

    def settings(gamma: float) -> tuple[float, float, float]:
        return 0.1, gamma, 0.4

    long_size = _of_length(size.long, size)
    long = _constants(CURVE_GAMMAS, settings, size.gamma_long_runs, long_size, threads)
    rest = _constants(CURVE_GAMMAS, settings, size.gamma_runs, size, threads, size.gamma_long_runs)
    begun = {gamma: [cut(run, size.short) for run in runs] + rest[gamma] for gamma, runs in long.items()}
    return begun, long


def _of_length(episodes: int, size: Size) -> Size:
    return replace(size, short=episodes, points=size.points * episodes // size.short)


def cut(run: Trace, episodes: int) -> Trace:
    """Return the checkpoints of a run up to a number of episodes."""
    kept = run.episodes <= episodes
    return Trace(run.episodes[kept], run.values[kept], run.columns)


def _constants(
    values: Sequence[float],
    settings: Callable[[float], tuple[float, float, float]],
    seeds: int,
    size: Size,
    threads: int,
    first: int = 0,
) -> dict[float, list[Trace]]:
    judges = [agent("random"), agent(MINIMAX)]
    configs = []
    for value in values:
        alpha, gamma, epsilon = settings(value)
        configs.append(constant(size.short, 0, alpha=alpha, gamma=gamma, epsilon=epsilon, points=size.points))
    runs = each(lambda config: trace(config, judges), configs, threads, seeds, first)
    return dict(zip(values, runs, strict=True))


def curve_rows(curves: Mapping[Any, Sequence[Trace]], every: int = 1) -> Rows:
    """Return mean and standard deviation over the runs at each checkpoint, and at every `every`-th only."""
    rows = []
    for setting, runs in curves.items():
        wins = np.array([run["wins"] for run in runs])
        ties, unbeaten = (np.mean([run[name] for run in runs], axis=0) for name in ("draws 1", "unbeaten"))
        for place in range(every - 1, wins.shape[1], every):
            sample = Sample(wins[:, place])
            rows.append(
                {
                    "episodes": int(runs[0].episodes[place]),
                    "setting": setting,
                    "mean": sample.mean,
                    "sd": sample.sd,
                    "n": len(runs),
                    "ties_with_minimax": float(ties[place]),
                    "share_unbeatable": float(unbeaten[place]),
                }
            )
    return rows


def run_rows(curves: Curves, most: int = 10) -> Rows:
    """Return single runs' curves, as the page's plot on the left shows ten of them."""
    return [
        {"episodes": int(episodes), "setting": setting, "seed": seed, "wins": float(wins)}
        for setting, runs in curves.items()
        for seed, run in enumerate(runs[:most])
        for episodes, wins in zip(run.episodes, run["wins"], strict=True)
    ]


def duel_config(algorithm: str, opponent: str, size: Size) -> TrainingConfig:
    """Return the settings of a run of single or double Q-learning."""
    return annealed(
        size.double_episodes, 0, algorithm=ALGORITHMS[algorithm], opponent=opponent,
        chunk_episodes=ceil(size.double_episodes / size.points),
    )  # fmt: skip


def judges_of(size: Size, threads: int) -> list[Policy]:
    """Return the opponents that progress is measured against: the last two are learners, trained once."""
    configs = [annealed(size.pretrained, 0, algorithm=name) for name in ALGORITHMS.values()]
    learners = [runs[0].renamed(name) for name, runs in zip(ALGORITHMS, each(learn, configs, threads, 1), strict=True)]
    return [agent("random"), agent(MINIMAX), agent(HEURIBOT), *learners]


def duel_curves(size: Size, threads: int, told: Progress) -> Duels:
    """Return the runs of single and double Q-learning, by self-play and against random."""
    judges = judges_of(size, threads)
    found: dict[tuple[str, str], list[Trace]] = {}
    for opponent, seeds in ((SELF_PLAY, size.double_runs), ("random", size.taught_runs)):
        told(f"single and double Q-learning, opponent {opponent}")
        configs = [duel_config(algorithm, opponent, size) for algorithm in ALGORITHMS]
        runs = each(lambda config: trace(config, judges), configs, threads, seeds)
        found |= {(opponent, algorithm): one for algorithm, one in zip(ALGORITHMS, runs, strict=True)}
    return found


def duel_rows(duels: Duels) -> Rows:
    """Return mean and standard deviation of X's wins and of its games not lost, against each opponent."""
    rows = []
    for (training, algorithm), runs in duels.items():
        for number, opponent in enumerate(OPPONENTS):
            wins, kept = wins_and_kept(runs, number)
            for place, episodes in enumerate(runs[0].episodes):
                won, not_lost = Sample(wins[:, place]), Sample(kept[:, place])
                rows.append(
                    {
                        "episodes": int(episodes),
                        "training": TRAININGS[training],
                        "opponent": opponent,
                        "setting": algorithm,
                        "wins": won.mean,
                        "wins_sd": won.sd,
                        "not_lost": not_lost.mean,
                        "not_lost_sd": not_lost.sd,
                        "n": len(runs),
                    }
                )
    return rows


def wins_and_kept(runs: Sequence[Trace], number: int) -> tuple[Any, Any]:
    """Return X's wins and its games not lost against an opponent, each (runs, checkpoints) float64."""
    suffix = f" {number}" if number else ""
    wins = np.array([run[f"wins{suffix}"] for run in runs])
    return wins, wins + np.array([run[f"draws{suffix}"] for run in runs])
