"""The problems, the settings that solve them, published recipes, and the runs of the study."""

from dataclasses import dataclass
from typing import Any, Literal

from ttt_fast import TrainingConfig
from ttt_fast.games import api
from ttt_fast.studies.engine.sources import lines_of_toml

CHECKPOINTS = 100
"""Chunks of a run with constant step size and epsilon, and evaluations of the longest run."""
STEP_SIZE, EPSILON = "geometric:1,0.001", "0.5"
"""One recipe for all problems: a step size that decays geometrically by chunk, and constant exploration."""


@dataclass(frozen=True)
class OptimumProblem:
    """A learning problem with a known optimum.

    Attributes
    ----------
    name
        Opponent and seat in a few words.
    opponent, seat, algorithm
        As in `TrainingConfig`.
    objective
        The maximised quantity: `value` (wins minus losses) or `wins`; in self-play the optimum is exploitability 0.
    lengths
        Episodes of the runs, ascending; the longest runs are also evaluated during training.
    """

    name: str
    opponent: str
    lengths: tuple[int, ...]
    seat: int = api.X
    objective: Literal["value", "wins"] = "value"
    algorithm: str = "q"

    @property
    def is_self_play(self) -> bool:
        """Whether both seats learn."""
        return self.opponent == "self"

    @property
    def settings(self) -> dict[str, Any]:
        """The problem's fields of `TrainingConfig`; to maximise wins, a loss has the same reward as a draw."""
        return {
            "opponent": self.opponent, "seat": self.seat, "algorithm": self.algorithm,
            "loss_reward": -1.0 if self.objective == "value" else 0.0,
        }  # fmt: skip


_LINES = lines_of_toml("ttt_fast.studies.optimum", "plan.toml")
PROBLEMS = tuple(OptimumProblem(**line | {"lengths": tuple(line["lengths"])}) for line in _LINES["problem"])
BY_NAME = {problem.name: problem for problem in PROBLEMS}


@dataclass(frozen=True)
class Recipe:
    """Published settings, run with this package's learner.

    Attributes
    ----------
    source
        Source and learner.
    problem
        Name of the problem.
    episodes
        Episodes of a run in this study.
    changes
        Fields of `TrainingConfig`.
    note
        Differences from the source.
    """

    source: str
    problem: str
    episodes: int
    changes: dict[str, Any]
    note: str


RECIPES = tuple(Recipe(**line) for line in _LINES["recipe"])
BY_SOURCE = {recipe.source: recipe for recipe in RECIPES}


def lengths_of(problem: OptimumProblem, quick: bool) -> tuple[int, ...]:
    """Return the lengths of the runs of a problem; the quick form has the shorter ones only."""
    return tuple(n for n in problem.lengths if n <= 100_000)[-3:] if quick else problem.lengths


def config_of(problem: str, recipe: str = "", episodes: int = 0, seed: int = 0, evaluations: int = 1) -> TrainingConfig:
    """Return the settings of a run of a problem, with this package's recipe or a published one.

    Examples
    --------
    >>> config_of("X v random", episodes=1000, seed=7).settings.step_size.text
    'geometric:1,0.001'
    """
    changes = BY_SOURCE[recipe].changes if recipe else {}
    length = episodes or BY_SOURCE[recipe].episodes
    settings = {"step_size": STEP_SIZE, "epsilon": EPSILON, **BY_NAME[problem].settings, **changes}
    return TrainingConfig(
        **settings, episodes=length, seed=seed, evaluations=evaluations, chunk_episodes=max(1, length // CHECKPOINTS)
    )
