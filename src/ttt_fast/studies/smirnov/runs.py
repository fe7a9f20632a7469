"""Smirnov's learners: their settings, and many runs of them with exact results at every checkpoint."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games import api
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.curve import Measures
from ttt_fast.learn.learners import make_learner
from ttt_fast.learn.settings import SELF_PLAY
from ttt_fast.learn.stores import nothing_learned
from ttt_fast.learn.training import start_training, train
from ttt_fast.policies.policy import Policy
from ttt_fast.running.chunks import run_chunks
from ttt_fast.studies.cells import agent, ordinary_table
from ttt_fast.tables import solution_of

Result = TypeVar("Result")

ALPHA_ANNEALED = "steps:1,0.9,100"
EPSILON_ANNEALED = "stairs:1,0.1,9,0.3333333333333333"
TABLE_GAMMA, CURVE_GAMMA = 0.999, 0.9
ALPHAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.9)
CURVE_GAMMAS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
EPSILONS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)


@dataclass(frozen=True)
class Size:
    """How much a form of the study does.

    Attributes
    ----------
    tabular_runs, tabular_episodes
        Of the tables' Double Q-learner.
    free_runs
        Of the same with the first move chosen during training.
    length_runs, length_episodes
        Of each gamma of the table of game lengths.
    alpha_runs, gamma_runs, gamma_long_runs, epsilon_runs
        Of each setting of the curves.
    short, long
        Episodes of the curves' runs.
    double_runs, taught_runs, double_episodes, pretrained
        Single against double Q-learning: runs in self-play and against random, their length, and that of the
        opponents' training.
    claim_runs, few_games, many_games
        Of the claim that minimax is tied after so many games.
    visit_runs
        With step sizes 1 / n(s, a).
    points
        Checkpoints of a short curve.
    """

    tabular_runs: int = 20
    tabular_episodes: int = 3_000_000
    free_runs: int = 10
    length_runs: int = 3
    length_episodes: int = 2_000_000
    alpha_runs: int = 20
    gamma_runs: int = 100
    gamma_long_runs: int = 20
    epsilon_runs: int = 50
    short: int = 300_000
    long: int = 1_000_000
    double_runs: int = 50
    taught_runs: int = 20
    double_episodes: int = 1_000_000
    pretrained: int = 5_000_000
    claim_runs: int = 30
    few_games: int = 30_000
    many_games: int = 300_000
    visit_runs: int = 20
    points: int = 60


FULL = Size()
QUICK = Size(
    tabular_runs=3, tabular_episodes=30_000, free_runs=2, length_runs=1, length_episodes=10_000,
    alpha_runs=2, gamma_runs=3, gamma_long_runs=2, epsilon_runs=2, short=6_000, long=20_000,
    double_runs=2, taught_runs=2, double_episodes=20_000, pretrained=30_000, claim_runs=2, few_games=3_000,
    many_games=10_000, visit_runs=2, points=6,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Trace:
    """What is kept of a run.

    Attributes
    ----------
    episodes : (P,) int64
        Checkpoints.
    values : (P, M) float64
        Exact measures of the greedy policy at each.
    columns
        Names of the measures.
    """

    episodes: NDArray[np.int64]
    values: NDArray[np.float64]
    columns: tuple[str, ...]

    def __getitem__(self, column: str) -> NDArray[np.float64]:
        """Return a measure at all checkpoints, (P,) float64."""
        return self.values[:, self.columns.index(column)]


def annealed(episodes: int, seed: int, **more: Any) -> TrainingConfig:
    """Return the settings of a self-play run with the page's schedules (default: the first move drawn).

    Examples
    --------
    >>> config = annealed(1000, 0)
    >>> config.step_sizes.value(10, 1000), round(config.epsilons.value(999, 1000), 9)
    (0.9, 0.1)
    """
    settings: dict[str, Any] = {
        "opponent": SELF_PLAY,
        "step_size": ALPHA_ANNEALED,
        "epsilon": EPSILON_ANNEALED,
        "discount": CURVE_GAMMA,
        "random_opening": True,
        "evaluations": 1,
    }
    return TrainingConfig(episodes=episodes, seed=seed, **(settings | more))


def constant(episodes: int, seed: int, *, alpha: float, gamma: float, epsilon: float, points: int) -> TrainingConfig:
    """Return the settings of a run of the curves: constant, against random as X, the first move drawn."""
    return TrainingConfig(
        opponent="random", episodes=episodes, seed=seed, step_size=str(alpha), discount=gamma, epsilon=str(epsilon),
        random_opening=True, chunk_episodes=max(episodes // points, 1), evaluations=1,
    )  # fmt: skip


def opponents_of(config: TrainingConfig) -> list[Policy]:
    """Return the policies of a configuration's opponents, each parsed once."""
    return [agent(spec) for _, spec in config.stages()]


def drawn_measures(judges: Sequence[Policy]) -> Measures:
    """Return exact measures of X's greedy policy after a drawn first move.

    `exploitability` is then 0 exactly if X never loses whatever its first move was.
    """
    table = ordinary_table()
    nothing = np.zeros(table.num_states, np.bool_)
    return Measures(
        table, solution_of(table), (api.X,), judges, np.zeros(table.num_edges), nothing, random_opening=True
    )


def trace(config: TrainingConfig, judges: Sequence[Policy], every: int = 1) -> Trace:
    """Train a run, as `train` does, and measure X after a drawn first move on the way.

    Parameters
    ----------
    config
        The run; a chunk is a possible checkpoint.
    judges
        Whom the greedy policy is measured against.
    every
        Chunks between checkpoints.

    Returns
    -------
    Trace
        Columns `wins`, `draws`, `losses` against the first judge, `wins 1`, ... against the others, `unbeaten`.
    """
    learner = make_learner(config, opponents_of(config), nothing_learned(config))
    measures = drawn_measures(judges)
    stops = [*range(every, config.num_chunks, every), config.num_chunks]
    measured = learner.run_measured(0, stops, measures, measures.first_greedy())
    place = 3 * len(judges)
    values = np.column_stack((measured[:, :place], measured[:, place] == 0.0))
    names = [f"{name} {number}" if number else name for number in range(len(judges)) for name in RESULTS]
    episodes = [config.episodes_after(chunks) for chunks in stops]
    return Trace(np.array(episodes), values, (*names, "unbeaten"))


RESULTS = ("wins", "draws", "losses")


def learn(config: TrainingConfig) -> Policy:
    """Return the greedy policy at the end of a run."""
    return train(start_training(config), opponents_of(config)).policy()


def each(
    work: Callable[[TrainingConfig], Result],
    configs: Sequence[TrainingConfig],
    threads: int,
    seeds: int,
    first: int = 0,
) -> list[list[Result]]:
    """Return the results of every configuration with seeds `first` to `seeds - 1`, computed by threads over runs."""
    jobs = [replace(config, seed=seed) for config in configs for seed in range(first, seeds)]
    found = list(run_chunks(lambda index: work(jobs[index]), 0, len(jobs), threads))
    count = seeds - first
    return [found[number * count : (number + 1) * count] for number in range(len(configs))]
