"""The study as a command runs it: train, count, write the csv files, the page and the pictures."""

import time
from collections.abc import Sequence
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import Any

from ttt_fast.core.manifest import available_cores, environment
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.studies.optimum.figures import FIGURES
from ttt_fast.studies.optimum.page import page
from ttt_fast.studies.optimum.plan import PROBLEMS, TARGET, config_of, jobs_of
from ttt_fast.studies.optimum.runs import Run, best_value, train_all
from ttt_fast.studies.page import Progress, Rows, write_study
from ttt_fast.studies.pictures import draw_figures

QUANTILES = {"5 %": 0.05, "median": 0.5, "95 %": 0.95, "last run": 1.0}


def counted(runs: Sequence[Run]) -> dict[str, Any]:
    """Return how many runs end exactly at the optimum: number, share, and the share's 95 % interval."""
    exact = sum(run.is_exact for run in runs)
    low, high = wilson_interval(exact, len(runs))
    return {"runs": len(runs), "exact": exact, "share": exact / len(runs), "low": low, "high": high}


def share_rows(runs: Sequence[Run]) -> Rows:
    """Return a row for each problem and length: the runs that end exactly at the optimum, and the mean value."""
    rows = []
    own = (run for run in runs if run.job.recipe is None)
    for (problem, episodes), group in groupby(own, lambda run: (run.job.problem, run.job.episodes)):
        here = list(group)
        mean = float(sum(run.value for run in here) / len(here))
        best = best_value(problem)
        rows.append(
            {"problem": problem.name, "episodes": episodes, **counted(here), "mean_value": mean, "best": str(best)}
        )
    return rows


def settled_rows(runs: Sequence[Run]) -> Rows:
    """Return, for the longest runs, the share of them that stay at the optimum from each checkpoint on."""
    rows = []
    for problem in PROBLEMS:
        own = _longest(runs, problem.name)
        for episodes in own[0].episodes.tolist():
            settled = sum(run.needed <= episodes for run in own)
            rows.append({"problem": problem.name, "episodes": episodes, "settled": settled / len(own)})
    return rows


def _longest(runs: Sequence[Run], problem: str) -> list[Run]:
    own = [run for run in runs if run.job.recipe is None and run.job.problem.name == problem]
    most = max(run.job.episodes for run in own)
    return [run for run in own if run.job.episodes == most]


def problem_rows(runs: Sequence[Run], shares: Rows) -> Rows:
    """Return a row for each problem: the target, what is attained, and the episodes needed."""
    rows = []
    for problem in PROBLEMS:
        lengths = [row for row in shares if row["problem"] == problem.name]
        long, best = _longest(runs, problem.name), best_value(problem)
        enough: int | None = None
        for row in reversed(lengths):
            if row["share"] < TARGET:
                break
            enough = row["episodes"]
        needed = {f"needed, {name}": at for name, at in quantiles([run.needed for run in long]).items()}
        end = lengths[-1]
        rows.append({
            "problem": problem.name, "best": str(best), "best_value": float(best), "episodes": end["episodes"],
            "runs": end["runs"], "target": -int(-TARGET * end["runs"] // 1), "exact": end["exact"],
            "low": end["low"], "high": end["high"], "enough": enough, **needed,
            "verdict": "reached" if enough is not None else "missed",
        })  # fmt: skip
    return rows


def quantiles(values: Sequence[float]) -> dict[str, int | None]:
    """Return quantiles, each the value of a run; None for a run that never stays at the optimum.

    Examples
    --------
    >>> quantiles([300.0, 100.0, 200.0, float("inf")])
    {'5 %': 100, 'median': 200, '95 %': None, 'last run': None}
    """
    ranked = sorted(values)
    found = {name: ranked[max(0, -int(-cut * len(ranked) // 1) - 1)] for name, cut in QUANTILES.items()}
    return {name: int(value) if isfinite(value) else None for name, value in found.items()}


def recipe_rows(runs: Sequence[Run]) -> Rows:
    """Return a row for each published recipe: how many of its runs end exactly at the optimum."""
    rows = []
    others = (run for run in runs if run.job.recipe is not None)
    for recipe, group in groupby(others, lambda run: run.job.recipe):
        here = list(group)
        config = config_of(here[0].job)
        mean = float(sum(run.value for run in here) / len(here))
        assert recipe is not None
        rows.append({
            "source": recipe.source, "problem": recipe.problem, "episodes": config.episodes,
            "step_size": config.step_size, "epsilon": config.epsilon, "discount": config.discount,
            **counted(here), "mean_value": mean, "best": str(best_value(here[0].job.problem)), "note": recipe.note,
        })  # fmt: skip
    return rows


def run(
    folder: Path,
    *,
    quick: bool = False,
    threads: int | None = None,
    on_progress: Progress | None = None,
) -> Rows:
    """Write the report to `folder` and return a row for every problem.

    Parameters
    ----------
    folder
        Gets README.md and the csv files, the same bits on every run; timing.json, which is of this machine; and
        the pictures, where the extra `plot` is installed.
    quick
        Few seeds and short runs: for a first look.
    threads
        Threads over training runs (default: all cores); they change no bit.
    on_progress
        Told in words what has been done.
    """
    jobs, started, used = jobs_of(quick), time.perf_counter(), time.process_time()
    runs = train_all(jobs, threads or available_cores(), on_progress)
    trained, used = time.perf_counter() - started, time.process_time() - used
    shares = share_rows(runs)
    parts = {
        "problems": problem_rows(runs, shares),
        "share": shares,
        "settled": settled_rows(runs),
        "recipes": recipe_rows(runs),
    }
    episodes = sum(job.episodes for job in jobs)
    timing = {
        "environment": environment(), "threads": threads or available_cores(), "runs": len(jobs),
        "episodes": episodes, "seconds": trained, "processor_seconds_of_all_threads": used,
    }  # fmt: skip
    write_study(folder, parts, page(parts, quick=quick), timing)
    draw_figures(folder, FIGURES, on_progress)
    return parts["problems"]
