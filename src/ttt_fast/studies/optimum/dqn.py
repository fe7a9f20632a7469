"""How often deep Q-learning reaches the optimum, the part `dqn` of the study: its recipes, and one change at a time.

A network is exact if the value of its greedy policy equals the best response's, both as fractions, as for the tables of
the study.  A run keeps the network of its best checkpoint; nothing is sampled there, so that no luck is kept with it.
"""

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, inf
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np

from ttt_fast.core.manifest import available_cores, environment
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.learn.checkpoint import Training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.settings import DQN
from ttt_fast.studies.kept_runs import kept_runs, name_of
from ttt_fast.studies.optimum.measures import at_best, best_value, quantiles, value_of
from ttt_fast.studies.optimum.plan import BY_NAME, Problem
from ttt_fast.studies.page import Progress, Row, Rows, command_of, write_tables

PART: Final = "dqn"
DEFAULT: Final = "default"
X_V_RANDOM, SELF_PLAY = BY_NAME["X v random"], BY_NAME["self-play"]


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


class Setting(NamedTuple):
    """The recipe of `train --algorithm dqn` for a problem, or one change of it.

    Attributes
    ----------
    problem
        The opponent, and the best value.
    name
        The option that changes it, or `DEFAULT`.
    changes
        The change as fields of `TrainingConfig`.
    """

    problem: Problem
    name: str = DEFAULT
    changes: tuple[tuple[str, Any], ...] = ()

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
        settings = {**self.problem.settings, **dict(self.changes), **dict(size.smaller)}
        return TrainingConfig(**{**settings, "algorithm": DQN}, seed=seed)


def _changed(problem: Problem, **change: Any) -> Setting:
    """Return a setting of one change, named by its option."""
    ((field, value),) = change.items()
    option = field.replace("_", "-")
    name = f"--{'' if value else 'no-'}{option}" if isinstance(value, bool) else f"--{option} {value}"
    return Setting(problem, name, tuple(change.items()))


def _changes(problem: Problem, other_input: str, widths: Sequence[str], minibatches: Sequence[int]) -> list[Setting]:
    """Return the changes that both problems have; input, widths and minibatches are those that its default is not."""
    return [
        _changed(problem, input=other_input),
        _changed(problem, symmetries=False),
        _changed(problem, double=True),
        _changed(problem, target_every=1000),
        *(_changed(problem, replay=replay) for replay in (5_000, 300_000)),
        *(_changed(problem, hidden=width) for width in widths),
        *(_changed(problem, minibatch=count) for count in minibatches),
    ]


SETTINGS: Final = (
    Setting(X_V_RANDOM),
    Setting(SELF_PLAY),
    *_changes(X_V_RANDOM, "planes", ("32,32", "128,128"), (2, 32)),
    _changed(X_V_RANDOM, target="expected"),
    *_changes(SELF_PLAY, "marks", ("64,64",), (2, 8)),
)
"""The last network of a run is no setting of its own: each run has it, too, as its last checkpoint."""


class Judged(NamedTuple):
    """What counts of a run.

    Attributes
    ----------
    gap
        The best value minus that of the network that it keeps.
    first
        Episodes at the first checkpoint whose network has the best value, infinity for none.
    is_exact_at_the_end
        Whether the network of the last checkpoint has it.
    seconds
        Wall time.
    """

    gap: Fraction
    first: float
    is_exact_at_the_end: bool
    seconds: float


def run(
    folder: Path,
    kept: Path,
    *,
    quick: bool = False,
    seeds: int | None = None,
    threads: int | None = None,
    on_progress: Progress | None = None,
) -> Rows:
    """Do the runs that are missing, and return a row for each setting: how many of its runs are exact.

    The runs are done in rounds, in which every setting has its share; the files are written after each, so that an
    interrupted study has what is done.

    Parameters
    ----------
    folder
        Gets `dqn_rates.csv`, the same bits on every run, and `dqn_timing.json`, which is of this machine.
    kept
        The folder with a file for each run; what is there is not done again.
    quick
        A few short runs.
    seeds
        The most runs of a setting (default: 100 of the defaults, 20 of the others).
    threads
        Threads over training runs (default: all cores); they change no bit.
    on_progress
        Called with what is being done.
    """
    size, count, started = (QUICK if quick else FULL), threads or available_cores(), time.perf_counter()
    if seeds is not None:
        size = size._replace(runs=min(seeds, size.runs), few_runs=min(seeds, size.few_runs))
    judged: dict[str, Judged] = {}
    rows: Rows = []
    rounds = size.few_runs
    for number in range(1, rounds + 1):
        counts = {one: ceil(one.runs(size) * number / rounds) for one in SETTINGS}
        wanted = [(one.problem, one.config(size, seed)) for one, runs in counts.items() for seed in range(runs)]
        missing = {name_of(config): (problem, config) for problem, config in wanted if name_of(config) not in judged}
        new = kept_runs([config for _, config in missing.values()], kept, count, on_progress)
        judged |= {name: judge(missing[name][0], training) for name, training in new.items()}
        rows = [rate_row(one, size, runs, judged) for one, runs in counts.items()]
        timing: dict[str, Any] = {
            "command": command_of("optimum", quick, PART, seeds),
            "rounds": f"{number} of {rounds}",
            "threads": count,
            "seconds": time.perf_counter() - started,
            "seconds_a_run": [_seconds_row(one, size, runs, judged) for one, runs in counts.items()],
            "environment": environment(),
        }
        write_tables(folder, {"dqn_rates": rows}, timing, "dqn_timing")
        if on_progress is not None:
            on_progress(f"round {number} of {rounds}")
    return rows


def judge(problem: Problem, training: Training) -> Judged:
    """Return what counts of a run."""
    episodes, is_best = at_best(problem, training)
    first = float(episodes[np.argmax(is_best)]) if is_best.any() else inf
    gap = best_value(problem) - value_of(problem, training.policy())
    return Judged(gap, first, bool(is_best[-1]), training.seconds)


def rate_row(setting: Setting, size: Size, runs: int, judged: Mapping[str, Judged]) -> Row:
    """Return how many of the first runs of a setting are exact; one that has diverged is not.

    Parameters
    ----------
    setting, size
        The setting, and its form.
    runs
        How many of its runs are looked at.
    judged
        Runs by name, without those that have diverged.
    """
    found = _found(setting, size, runs, judged)
    exact = sum(one.gap == 0 for one in found)
    low, high = wilson_interval(exact, runs)
    first = [one.first for one in found] + [inf] * (runs - len(found))
    return {
        "setting": setting.name,
        "opponent": setting.problem.opponent,
        "runs": runs,
        "exact": exact,
        "share": exact / runs,
        "low": low,
        "high": high,
        "exact_at_the_end": sum(one.is_exact_at_the_end for one in found),
        "median_first_exact": quantiles(first)["median"],
        "mean_gap": float(sum(one.gap for one in found) / len(found)) if found else None,
        "best": str(best_value(setting.problem)),
    }


def _found(setting: Setting, size: Size, runs: int, judged: Mapping[str, Judged]) -> list[Judged]:
    """Return the first runs of a setting, without those that have diverged."""
    names = [name_of(setting.config(size, seed)) for seed in range(runs)]
    return [judged[name] for name in names if name in judged]


def _seconds_row(setting: Setting, size: Size, runs: int, judged: Mapping[str, Judged]) -> Row:
    """Return the seconds of a run of a setting: the median of its runs, and the most."""
    seconds = [one.seconds for one in _found(setting, size, runs, judged)]
    told = {"median": median(seconds), "most": max(seconds)} if seconds else {}
    return {"setting": setting.name, "opponent": setting.problem.opponent, "runs": len(seconds), **told}
