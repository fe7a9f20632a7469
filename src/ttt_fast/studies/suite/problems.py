"""The problems of the suite and the settings of its baselines; any change of them needs a new version."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Meter, UsageError, as_policy, exploitability
from ttt_fast.core.specs import near_names
from ttt_fast.learners import setting_value
from ttt_fast.studies.engine.sources import lines_of

VERSION = 1
TITLE = f"ttt-fast suite {VERSION}"
SEEDS = 100
CHECKPOINTS = 10
"""Number of equally spaced points of a run at which its score counts; the last is at its end."""
BASELINES = (
    "q", "double-q", "sarsa", "expected-sarsa", "afterstate", "monte-carlo", "n-step-expected-sarsa", "q-lambda",
)  # fmt: skip
"""The algorithms of `TrainingConfig` used as baselines: the one-step algorithms, and one of each longer kind."""
RECIPE = {"step_size": "geometric:0.5,0.01", "epsilon": "linear:0.5,0.05"}
"""Settings of all baselines on all problems, not tuned on any of them."""


@dataclass(frozen=True)
class SuiteProblem:
    """A learning problem with a budget of episodes.

    Attributes
    ----------
    name
        Its name.
    game, opponent, seat
        As in `TrainingConfig`; the opponent `self` means self-play, in which the seat has no effect.
    episodes
        The budget.
    """

    name: str
    game: str
    opponent: str
    episodes: int
    seat: str

    @property
    def checkpoints(self) -> list[int]:
        """The episodes at which the score counts."""
        return [self.episodes * part // CHECKPOINTS for part in range(1, CHECKPOINTS + 1)]

    @property
    def settings(self) -> dict[str, str | int]:
        """The settings that the problem and the suite determine for a run of a baseline."""
        return {
            "game": self.game, "opponent": self.opponent, "seat": setting_value("seat", self.learner),
            "episodes": self.episodes, "chunk_episodes": max(1, self.episodes // 100), "evaluations": CHECKPOINTS,
            "judges": "", **RECIPE,
        }  # fmt: skip

    @property
    def learner(self) -> str:
        """The seat of a learner."""
        return "both" if self.opponent == "self" else self.seat

    def meter(self, labels: dict[str, str | int | float] | None = None) -> Meter:
        """Return a meter of the problem."""
        return Meter(self.game, self.learner, self.opponent, labels)


PROBLEMS = tuple(
    SuiteProblem(**{**line, "episodes": int(line["episodes"])})  # type: ignore[arg-type]
    for line in lines_of("ttt_fast.studies.suite", "problems.csv")
)
"""The problems, sorted by the sizes of their games."""
_BY_NAME = {problem.name: problem for problem in PROBLEMS}


class Scale(NamedTuple):
    """The bounds of a problem's scores.

    Attributes
    ----------
    random_value, best_value
        The exact value of the random player, which scores 0, and of the best player, which scores 1.  The value of a
        policy is its wins minus its losses; in self-play it is minus the exploitability.
    random_exploitability
        Exploitability of the random player in both seats, for any opponent.
    """

    random_value: float
    best_value: float
    random_exploitability: float

    def scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores of values: 0 for random play, 1 for the best value."""
        return (values - self.random_value) / (self.best_value - self.random_value)


@lru_cache(maxsize=16)
def scale_of(problem: SuiteProblem) -> Scale:
    """Return the bounds of a problem's scores.

    Examples
    --------
    >>> scale = scale_of(PROBLEMS[0])
    >>> round(scale.random_value * 1260, 6), round(scale.best_value * 192, 6)
    (374.0, 191.0)
    >>> scale.scores(np.array([scale.random_value, scale.best_value]))
    array([0., 1.])
    """
    random = as_policy("random", problem.game)
    row = problem.meter().measures(random)
    return Scale(row["value"], row["best_value"], exploitability(random))


def problem_of(name: str) -> SuiteProblem:
    """Return a problem by its name, or raise UsageError with similar names."""
    chosen([name], list(_BY_NAME), "problem")
    return _BY_NAME[name]


def chosen(names: Sequence[str], known: Sequence[str], kind: str) -> list[str]:
    """Return the chosen names without repetition, in the order of the known names.

    Raises
    ------
    UsageError
        If no name is given, or a name is not known.

    Examples
    --------
    >>> chosen(["sarsa", "q"], BASELINES, "algorithm")
    ['q', 'sarsa']
    """
    for name in names:
        if name not in known:
            raise UsageError(f"unknown {kind} {name!r}; expected {', '.join(near_names(name, known))}")
    if not names:
        raise UsageError(f"expected at least one {kind} of {', '.join(known)}, got none")
    return [name for name in known if name in names]
