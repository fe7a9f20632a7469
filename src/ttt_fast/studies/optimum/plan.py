"""The problems, the settings that solve them, the recipes of others, and the runs of the study."""

from dataclasses import dataclass, field
from typing import Any

from ttt_fast.games import api
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.settings import SELF_PLAY
from ttt_fast.policies.best_response import Objective

CHECKPOINTS = 100
"""Chunks of a run, within which step size and epsilon stay the same, and evaluations of the longest run."""
STEP_SIZE, EPSILON = "geometric:1,0.001", "0.5"
"""One recipe for all problems: a step size that falls by the same factor each chunk, and constant exploration."""
ENOUGH = 0.95
"""The share of exact runs from which on a length is long enough."""


@dataclass(frozen=True)
class Problem:
    """Something to learn, and the best that can be reached.

    Attributes
    ----------
    name
        Opponent and seat in a few words.
    opponent, seat, algorithm
        As in `TrainingConfig`.
    objective
        What counts as best: `score` (wins minus losses) or `wins`; in self-play exploitability 0.
    lengths
        Episodes of the runs, growing; the longest is looked at on the way.
    """

    name: str
    opponent: str
    lengths: tuple[int, ...]
    seat: int = api.X
    objective: Objective = "score"
    algorithm: str = "q"

    @property
    def settings(self) -> dict[str, Any]:
        """What the problem says about a run; wins are maximised where a loss costs as much as a draw."""
        return {
            "opponent": self.opponent, "seat": self.seat, "algorithm": self.algorithm,
            "loss_reward": -1.0 if self.objective == "score" else 0.0,
        }  # fmt: skip


PROBLEMS = (
    Problem("X v random", "random", (5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000)),
    Problem("O v random, score", "random", (20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000), api.O),
    Problem("O v random, wins", "random", (50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000), api.O, "wins"),
    Problem("X v buggy2", "buggy2", (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)),
    Problem("X v buggy", "buggy", (200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)),
    Problem("X v minimax", "minimax", (10, 20, 50, 100, 200, 500, 1_000)),
    Problem("self-play", SELF_PLAY, (20_000, 50_000, 100_000, 200_000, 500_000)),
    Problem("self-play, double Q", SELF_PLAY, (20_000, 50_000, 100_000, 200_000, 500_000), algorithm="double-q"),
)
BY_NAME = {problem.name: problem for problem in PROBLEMS}


@dataclass(frozen=True)
class Recipe:
    """Settings that others published, run with this package's learner.

    Attributes
    ----------
    source
        Source and learner.
    problem
        Name of the problem.
    episodes
        Of a run here.
    changes
        Fields of `TrainingConfig`.
    note
        What differs from the source.
    """

    source: str
    problem: str
    episodes: int
    changes: dict[str, Any] = field(default_factory=dict)
    note: str = ""


_LANGAN = {"step_size": "0.1", "epsilon": "0.2"}
_SMIRNOV = {"step_size": "steps:1,0.9,100", "epsilon": "stairs:1,0.1,9,0.3333333333333333", "discount": 0.999}
_HENSLER = {
    "step_size": "0.3", "epsilon": "exponential:0.9,0.99995,0.05", "discount": 0.9, "tie": "random",
    "win_reward": 10.0, "draw_reward": 2.0, "loss_reward": -10.0,
}  # fmt: skip
RECIPES = (
    Recipe("langan, Q_random", "X v random", 1_000_000, _LANGAN, "100,000,000 episodes there"),
    Recipe("langan, Q_buggy2", "X v buggy2", 150_000, _LANGAN, "length not stated there"),
    Recipe("langan, Q_buggy", "X v buggy", 75_000, _LANGAN, "length not stated there"),
    Recipe("langan, Q_minimax", "X v minimax", 100_000, _LANGAN, "2,000,000 episodes at most there"),
    Recipe("langan, Q_self-play", "self-play", 1_000_000, _LANGAN, "100,000,000 episodes there, with three defects"),
    Recipe("smirnov, single Q", "self-play", 1_500_000, _SMIRNOV, "the 1,500,000 episodes of its program"),
    Recipe("smirnov, double Q", "self-play, double Q", 1_500_000, _SMIRNOV, "the 1,500,000 episodes of its program"),
    Recipe("hensler", "self-play", 100_000, _HENSLER, "epsilon held for 1,000 episodes at a time"),
)
BY_SOURCE = {recipe.source: recipe for recipe in RECIPES}


def lengths_of(problem: Problem, quick: bool) -> tuple[int, ...]:
    """Return the lengths of the runs of a problem: the shorter ones only, for a first look."""
    return tuple(n for n in problem.lengths if n <= 100_000)[-3:] if quick else problem.lengths


def config_of(problem: str, recipe: str = "", episodes: int = 0, seed: int = 0, evaluations: int = 1) -> TrainingConfig:
    """Return the settings of a run of a problem, by our recipe or the published one of a source.

    Examples
    --------
    >>> config_of("X v random", episodes=1000, seed=7).step_size
    'geometric:1,0.001'
    """
    changes = BY_SOURCE[recipe].changes if recipe else {}
    length = episodes or BY_SOURCE[recipe].episodes
    settings = {"step_size": STEP_SIZE, "epsilon": EPSILON, **BY_NAME[problem].settings, **changes}
    return TrainingConfig(
        **settings, episodes=length, seed=seed, evaluations=evaluations, chunk_episodes=max(1, length // CHECKPOINTS)
    )
