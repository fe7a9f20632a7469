"""The runs of the suite: baselines as units of sweeps, external learners, and the values of both."""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ttt_fast import FileFormatError
from ttt_fast.core.frames import is_whole
from ttt_fast.files import read_bytes
from ttt_fast.learners import Sweep, pending_units, run_units
from ttt_fast.running.api import Executor, Job, JobStore
from ttt_fast.studies.suite.learners import run_foreign, run_name
from ttt_fast.studies.suite.problems import VERSION, SuiteProblem, scale_of

OnProgress = Callable[[int, int], None]
"""A callback that receives the numbers of finished runs and episodes."""


class SuitePlan(NamedTuple):
    """The requested runs.

    Attributes
    ----------
    problems
        The problems.
    algorithms
        Baselines by name; empty if an external learner runs alone.
    seeds
        Number of seeds, 0 to `seeds` - 1.
    learner
        An external learner, `python:MODULE:NAME`; empty for none.
    """

    problems: Sequence[SuiteProblem]
    algorithms: Sequence[str]
    seeds: int
    learner: str = ""

    @property
    def names(self) -> list[str]:
        """Names of the learners."""
        return [*self.algorithms, *([self.learner] if self.learner else [])]

    @property
    def num_runs(self) -> int:
        """Number of runs."""
        return len(self.problems) * len(self.names) * self.seeds

    @property
    def episodes(self) -> int:
        """Number of episodes of all runs."""
        return sum(problem.episodes for problem in self.problems) * len(self.names) * self.seeds

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as a JSON-compatible dict."""
        names = [problem.name for problem in self.problems]
        return {"suite": VERSION, "problems": names, "learners": self.names, "seeds": self.seeds}

    def sweeps(self) -> Iterator[Sweep]:
        """Yield the sweep of each problem; none without baselines."""
        for problem in self.problems if self.algorithms else ():
            yield Sweep(problem.settings, {"algorithm": list(self.algorithms)}, range(self.seeds))


Values = dict[tuple[str, str], NDArray[np.float64]]
"""The exact values by learner and problem, (N, K) float64, for N seeds and K checkpoints."""


def do_runs(
    plan: SuitePlan, folder: Path, executor: Executor, on_progress: OnProgress = lambda runs, episodes: None
) -> None:
    """Do the runs whose files are missing or damaged.

    Parameters
    ----------
    plan
        The runs.
    folder
        The folder of their files.
    executor
        Executes the runs; it stays open.
    on_progress
        Called with the numbers of finished runs and episodes.

    Raises
    ------
    RunInterrupted
        If a signal has interrupted the runs.
    """
    runs, episodes = plan.num_runs, plan.episodes
    waiting: list[tuple[Sweep, list[int]]] = []
    for sweep in plan.sweeps():
        waiting.append((sweep, pending_units(sweep, folder)))
        runs, episodes = runs - len(waiting[-1][1]), episodes - sweep.episodes_of(waiting[-1][1])
    store = _store(folder)
    jobs = [job for job in _jobs(plan) if not store.has(job.name)]
    runs, episodes = runs - len(jobs), episodes - sum(job.amount for job in jobs)

    def report(new: int, more: int) -> None:
        on_progress(runs + new, episodes + more)

    for sweep, pending in waiting:
        if pending:
            runs += run_units(sweep, pending, folder, executor, report)
            episodes += sweep.episodes_of(pending)
    if jobs:
        store.run(run_foreign, jobs, executor, report)


def _store(folder: Path) -> JobStore[pl.DataFrame]:
    return JobStore(folder, ".parquet", _read_run)


def _jobs(plan: SuitePlan) -> Iterator[Job]:
    """Yield the runs of an external learner."""
    for problem in plan.problems if plan.learner else ():
        for seed in range(plan.seeds):
            name = run_name(plan.learner, problem, seed)
            described = {"learner": plan.learner, "problem": problem.name, "seed": seed, "unit": name}
            yield Job(name, json.dumps(described).encode(), problem.episodes)


def _read_run(path: Path, name: str) -> pl.DataFrame:
    """Return the curve of a run of an external learner.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, or of another run.
    """
    content = read_bytes(path)
    frame = pl.read_parquet(io.BytesIO(content)) if is_whole(content) else pl.DataFrame()
    if "unit" not in frame.columns or set(frame["unit"]) != {name}:
        raise FileFormatError(f"{str(path)!r}: expected a run of the suite, but it is damaged or of another kind")
    return frame


def read_values(plan: SuitePlan, folder: Path) -> Values:
    """Return the values of all runs from their files.

    Raises
    ------
    FileFormatError
        If a file is missing or damaged.
    """
    found: Values = {}
    for problem, sweep in zip(plan.problems, plan.sweeps(), strict=False):
        frame = sweep.merged(folder).select("algorithm", "seed", "episodes", "value").collect()
        ordered = frame.sort("seed", "episodes").partition_by("algorithm", as_dict=True)
        for algorithm in plan.algorithms:
            found[algorithm, problem.name] = ordered[(algorithm,)]["value"].to_numpy().reshape(plan.seeds, -1)
    for problem in plan.problems if plan.learner else ():
        names = [run_name(plan.learner, problem, seed) for seed in range(plan.seeds)]
        rows = [_at_checkpoints(_store(folder).read(name), problem) for name in names]
        found[plan.learner, problem.name] = np.array(rows)
    return found


def seconds_of(plan: SuitePlan, folder: Path) -> float:
    """Return the total seconds of the runs of the baselines."""
    units = [sweep.merged(folder).group_by("unit").agg(pl.col("seconds").first()) for sweep in plan.sweeps()]
    return float(sum(found.collect()["seconds"].sum() for found in units))


def _at_checkpoints(frame: pl.DataFrame, problem: SuiteProblem) -> NDArray[np.float64]:
    """Return the last recorded value at each checkpoint, (K,) float64; before it, that of random play."""
    values = np.append(scale_of(problem).random_value, frame["value"].to_numpy())
    seen = np.searchsorted(frame["episodes"].to_numpy(), problem.checkpoints, side="right")
    return np.asarray(values[seen], np.float64)
