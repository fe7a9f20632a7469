"""The measures of the part: how many runs of deep Q-learning end at the optimum, compared as fractions.

A network is exact if the value of its greedy policy equals that of the best response.  Both values are fractions, as
for the tables of the study.  A run keeps the network of its best checkpoint.  Evaluations are exact and not sampled, so
the choice of that checkpoint has no selection bias.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from statistics import median
from typing import Final, NamedTuple

import numpy as np

from ttt_fast import TrainingRun
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Work
from ttt_fast.studies.optimum.dqn.plan import SETTINGS, Setting
from ttt_fast.studies.optimum.measures import at_best, best_value, quantiles, value_of
from ttt_fast.studies.optimum.plan import Problem
from ttt_fast.studies.statistics.samples import counted


class Judged(NamedTuple):
    """The exactness of a run.

    Attributes
    ----------
    regret
        The best value minus the value of the network that the run keeps.
    first
        Episodes at the first checkpoint whose network has the best value; infinity if there is no such checkpoint.
    is_exact_at_the_end
        Whether the network of the last checkpoint has the best value.
    """

    regret: Fraction
    first: float
    is_exact_at_the_end: bool


def found_runs(work: Work) -> list[tuple[Setting, list[TrainingRun | None]]]:
    """Return the runs of each setting, None for a run that has diverged; they are computed seed by seed."""
    plan = work.plan(__package__)
    jobs = sorted((seed, place) for place, one in enumerate(SETTINGS) for seed in range(one.runs(plan)))
    done = work.trainings([SETTINGS[place].config(plan, seed) for seed, place in jobs])
    of = dict(zip(jobs, done, strict=True))
    return [(one, [of[seed, place] for seed in range(one.runs(plan))]) for place, one in enumerate(SETTINGS)]


def judge(problem: Problem, training: TrainingRun) -> Judged:
    """Return the regret and exactness of a run."""
    episodes, is_best = at_best(problem, training)
    first = float(episodes[np.argmax(is_best)]) if is_best.any() else inf
    return Judged(best_value(problem) - value_of(problem, training.policy()), first, bool(is_best[-1]))


def rate_row(setting: Setting, runs: Sequence[TrainingRun | None]) -> Row:
    """Return the number of exact runs of a setting; a run that has diverged (None) is not exact."""
    judged = [judge(setting.problem, one) for one in runs if one is not None]
    diverged = len(runs) - len(judged)
    return {
        "setting": setting.name,
        "opponent": setting.problem.opponent,
        **counted("exact", [one.regret == 0 for one in judged] + [False] * diverged),
        "exact_at_the_end": sum(one.is_exact_at_the_end for one in judged),
        "median_first_exact": quantiles([one.first for one in judged] + [inf] * diverged)["median"],
        "mean_regret": float(sum(one.regret for one in judged) / len(judged)) if judged else None,
        "best": str(best_value(setting.problem)),
    }


def rates(work: Work) -> Rows:
    """Return a row for each setting: how many of its runs are exact, and when they first are."""
    return [rate_row(setting, runs) for setting, runs in found_runs(work)]


def seconds(work: Work) -> Rows:
    """Return the seconds of a run of each setting: the median and the maximum over its runs."""
    rows = []
    for setting, runs in found_runs(work):
        took = [one.seconds for one in runs if one is not None]
        told = {"median": median(took), "most": max(took)} if took else {}
        rows.append({"setting": setting.name, "opponent": setting.problem.opponent, "runs": len(took)} | told)
    return rows


MEASURES: Final = {"dqn_rates": rates}
CLOCKS: Final = {"seconds of a run": seconds}
