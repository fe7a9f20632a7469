"""How many runs of deep Q-learning end at the optimum: the settings of the part, and its measures.

The settings are lines of `settings.csv`: the recipe of `train --algorithm dqn` for two problems, and one change of it
at a time.  `plan.toml` contains the number of runs.  Keeping the last network is not a separate setting, because each
run has it as its last checkpoint.

A network is exact if the value of its greedy policy equals that of the best response.  Both values are fractions, as
for the tables of the study.  A run keeps the network of its best checkpoint.  Evaluations are exact and not sampled, so
the choice of that checkpoint has no selection bias.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any, Final, NamedTuple

import numpy as np

from ttt_fast import TrainingConfig, TrainingRun
from ttt_fast.studies.engine.sources import lines_of
from ttt_fast.studies.engine.tables import Row, Rows, typed
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.optimum.measures import at_best, best_value, quantiles, value_of
from ttt_fast.studies.optimum.plan import BY_NAME, OptimumProblem
from ttt_fast.studies.statistics.samples import counted


class DqnVariant(NamedTuple):
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

    problem: OptimumProblem
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
        >>> config.opponent.text, config.episodes, config.settings.hidden, config.seed
        ('random', 60000, (64, 64), 7)
        """
        settings = {**self.problem.settings, **self.changes, **plan.smaller}
        return TrainingConfig(**{**settings, "algorithm": "dqn"}, seed=seed)


SETTINGS: Final = tuple(
    DqnVariant(
        BY_NAME[line["problem"]], line["setting"], {line["field"]: typed(line["value"])} if line["field"] else {}
    )
    for line in lines_of("ttt_fast.studies.optimum.dqn", "settings.csv")
)


def judge(problem: OptimumProblem, training: TrainingRun) -> tuple[Fraction, float, bool]:
    """Return the exactness of a run.

    Returns
    -------
    tuple
        The best value minus the value of the kept network; the episodes at the first checkpoint with the best value, or
        infinity; and whether the last checkpoint has the best value.
    """
    episodes, is_best = at_best(problem, training)
    first = float(episodes[np.argmax(is_best)]) if is_best.any() else inf
    return best_value(problem) - value_of(problem, training.policy()), first, bool(is_best[-1])


def rate_row(setting: DqnVariant, runs: Sequence[TrainingRun | None]) -> Row:
    """Return the number of exact runs of a setting; a run that has diverged (None) is not exact."""
    judged = [judge(setting.problem, one) for one in runs if one is not None]
    diverged = len(runs) - len(judged)
    return {
        "setting": setting.name,
        "opponent": setting.problem.opponent,
        **counted("exact", [regret == 0 for regret, _, _ in judged] + [False] * diverged),
        "exact_at_the_end": sum(is_exact for _, _, is_exact in judged),
        "median_first_exact": quantiles([first for _, first, _ in judged] + [inf] * diverged)["median"],
        "mean_regret": float(sum(regret for regret, _, _ in judged) / len(judged)) if judged else None,
        "best": str(best_value(setting.problem)),
    }


def rates(work: Runner) -> Rows:
    """Return a row for each setting: how many of its runs are exact, and when they first are."""
    plan = work.plan(__package__)
    found = work.trainings_of(SETTINGS, lambda one, seed: one.config(plan, seed), lambda one: one.runs(plan))
    return [rate_row(setting, runs) for setting, runs in found]


MEASURES: Final = {"dqn_rates": rates}
