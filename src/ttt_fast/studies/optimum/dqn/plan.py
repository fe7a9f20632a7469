"""The settings of the part: the recipe of `train --algorithm dqn` for two problems, and one change of it at a time.

The settings are lines of `settings.csv`; `plan.toml` contains the number of runs.  Keeping the last network is not a
separate setting, because each run has it as its last checkpoint.
"""

from typing import Any, Final, NamedTuple

from ttt_fast import TrainingConfig
from ttt_fast.studies.engine.row_files import typed
from ttt_fast.studies.engine.sources import lines_of
from ttt_fast.studies.optimum.plan import BY_NAME, Problem


class Setting(NamedTuple):
    """The recipe of `train --algorithm dqn` for a problem, or one change of it.

    Attributes
    ----------
    problem
        The opponent, and the best value.
    name
        The option that is changed, or `default`.
    changes
        The change as fields of `TrainingConfig`.
    """

    problem: Problem
    name: str
    changes: dict[str, Any]

    def runs(self, plan: Any) -> int:
        """Return the number of runs of the setting."""
        return int(plan.few_runs if self.changes else plan.runs)

    def config(self, plan: Any, seed: int) -> TrainingConfig:
        """Return the configuration of a run.

        Examples
        --------
        >>> from ttt_fast.studies.engine.sources import plan_of
        >>> config = SETTINGS[0].config(plan_of("ttt_fast.studies.optimum.dqn"), 7)
        >>> config.opponent, config.episodes, config.settings.hidden, config.seed
        ('random', 60000, '64,64', 7)
        """
        settings = {**self.problem.settings, **self.changes, **plan.smaller}
        return TrainingConfig(**{**settings, "algorithm": "dqn"}, seed=seed)


SETTINGS: Final = tuple(
    Setting(BY_NAME[line["problem"]], line["setting"], {line["field"]: typed(line["value"])} if line["field"] else {})
    for line in lines_of("ttt_fast.studies.optimum.dqn", "settings.csv")
)
