"""The work of a study: pieces and training runs that are kept, that go on after a kill, in threads or on a cluster."""

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
    """The place where the measures of a study get their pieces.

    Attributes
    ----------
    kept
        The folder of their files.
    quick
        Whether the measures are to be small.
    threads
        Threads over pieces; they change no bit.
    executor
        The place where pieces run instead; it stays open.
    say
        Told what is being done.
    seeds
        The most runs of a setting, where fewer are asked for.
    taken
        Seconds that each of the pieces asked for took when it was done, by its file.
    """

    kept: Path
    quick: bool
    threads: int
    executor: Executor | None = None
    say: Say = lambda news: None
    seeds: int | None = None
    taken: dict[str, float] = field(default_factory=dict)

    def pieces(self, worker: Worker, settings: Sequence[Mapping[str, Any]]) -> list[Arrays]:
        """Return what a function makes of each of some settings, in their order; what is kept is read.

        Parameters
        ----------
        worker
            A function of a module; it returns arrays, numbers and texts by name.
        settings
            Its keyword arguments, as JSON can hold them.

        Raises
        ------
        KeyboardInterrupt
            If it was interrupted; what is done is kept.
        """
        with closing(ThreadExecutor(self.threads)) as pool:
            found = kept_pieces(self.kept, worker, settings, self.executor or pool, self.say)
        self.taken |= {one.name: one.seconds for one in found}
        return [one.arrays for one in found]

    def trainings(self, configs: Sequence[TrainingConfig]) -> list[TrainingRun | None]:
        """Return training runs at their end, in the order of their settings; None for one that has diverged."""
        runs = kept_runs(configs, self.kept, self.threads, self.say)
        self.taken |= {name: training.seconds for name, training in runs.items()}
        return [runs.get(name_of(config)) for config in configs]

    def plan(self, package: str) -> Any:
        """Return the plan of a study, `plan.toml`, whose `runs` and `few_runs` are at most the seeds asked for."""
        plan = plan_of(package, quick=self.quick)
        for name in {"runs", "few_runs"} & vars(plan).keys():
            setattr(plan, name, min(self.seeds or sys.maxsize, getattr(plan, name)))
        return plan
