"""The settings of the part: the recipe of `train --algorithm dqn` for two problems, and one change of it at a time.

They are lines of `settings.csv`.  The last network of a run is no setting of its own: each run has it, too, as its last
checkpoint.
"""

from typing import Any, Final, NamedTuple

from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.settings import DQN
from ttt_fast.report.row_files import typed
from ttt_fast.studies.engine.sources import lines_of
from ttt_fast.studies.engine.work import Work
from ttt_fast.studies.optimum.plan import BY_NAME, Problem


class Size(NamedTuple):
    """How much a form of the part does.

    Attributes
    ----------
    runs, few_runs
        Of the defaults, and of each change.
    smaller
        Changed settings, of a small form.
    """

    runs: int = 100
    few_runs: int = 20
    smaller: tuple[tuple[str, Any], ...] = ()


FULL: Final = Size()
QUICK: Final = Size(4, 2, (("episodes", 60), ("chunk_episodes", 20), ("evaluations", 3), ("warm_up", 30)))


def size_of(work: Work) -> Size:
    """Return how much is to be done, with fewer seeds where fewer are asked for."""
    return Size(*work.limited(QUICK if work.quick else FULL))


class Setting(NamedTuple):
    """The recipe of `train --algorithm dqn` for a problem, or one change of it.

    Attributes
    ----------
    problem
        The opponent, and the best value.
    name
        The option that changes it, or `default`.
    changes
        The change as fields of `TrainingConfig`.
    """

    problem: Problem
    name: str
    changes: dict[str, Any]

    def runs(self, size: Size) -> int:
        """Return its number of runs."""
        return size.few_runs if self.changes else size.runs

    def config(self, size: Size, seed: int) -> TrainingConfig:
        """Return a run.

        Examples
        --------
        >>> config = SETTINGS[0].config(FULL, 7)
        >>> config.opponent, config.episodes, config.hidden, config.seed
        ('random', 60000, '64,64', 7)
        """
        settings = {**self.problem.settings, **self.changes, **dict(size.smaller)}
        return TrainingConfig(**{**settings, "algorithm": DQN}, seed=seed)


SETTINGS: Final = tuple(
    Setting(BY_NAME[line["problem"]], line["setting"], {line["field"]: typed(line["value"])} if line["field"] else {})
    for line in lines_of("ttt_fast.studies.optimum.dqn", "settings.csv")
)
