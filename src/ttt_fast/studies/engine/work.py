"""The work of a study: pieces and training runs that are kept on disk, resumed after an interruption, and parallel."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ttt_fast import TrainingConfig, TrainingRun
from ttt_fast.running.api import Executor, ThreadExecutor
from ttt_fast.studies.engine.pieces import Arrays as Arrays, Say as Say, Worker, kept_pieces
from ttt_fast.studies.engine.sources import plan_of
from ttt_fast.studies.engine.trainings import kept_runs, name_of


@dataclass
class Work:
    """Runs the pieces of work for the measures of a study.

    Attributes
    ----------
    kept
        The folder of their files.
    quick
        Whether to run small measures.
    threads
        Number of threads for pieces; results do not depend on it.
    executor
        Runs the pieces instead of threads; it stays open.
    say
        Called with a message about the current work.
    seeds
        Maximum number of runs of a setting (default: that of the plan).
    taken
        Seconds that each requested piece took when it was computed, by the name of its file.
    """

    kept: Path
    quick: bool
    threads: int
    executor: Executor | None = None
    say: Say = lambda news: None
    seeds: int | None = None
    taken: dict[str, float] = field(default_factory=dict)

    def pieces(self, worker: Worker, settings: Sequence[Mapping[str, Any]]) -> list[Arrays]:
        """Return the results of a function for each of several settings, in order; finished pieces are read from files.

        Parameters
        ----------
        worker
            A function of a module; it returns arrays, numbers and texts by name.
        settings
            The keyword arguments of each call, as JSON-compatible values.

        Raises
        ------
        KeyboardInterrupt
            If the work was interrupted; finished pieces are kept.
        """
        with closing(ThreadExecutor(self.threads)) as pool:
            found = kept_pieces(self.kept, worker, settings, self.executor or pool, self.say)
        self.taken |= {one.name: one.seconds for one in found}
        return [one.arrays for one in found]

    def trainings(self, configs: Sequence[TrainingConfig]) -> list[TrainingRun | None]:
        """Return finished training runs, in the order of their settings; None for a run that has diverged."""
        runs = kept_runs(configs, self.kept, self.threads, self.say)
        self.taken |= {name: training.seconds for name, training in runs.items()}
        return [runs.get(name_of(config)) for config in configs]

    def plan(self, package: str) -> Any:
        """Return the plan of a study (`plan.toml`), with `runs` and `few_runs` limited to `seeds`."""
        plan = plan_of(package, quick=self.quick)
        for name in {"runs", "few_runs"} & vars(plan).keys():
            setattr(plan, name, min(self.seeds or sys.maxsize, getattr(plan, name)))
        return plan
