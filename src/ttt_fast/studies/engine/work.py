"""The work of a study: pieces and training runs that are kept on disk, resumed after an interruption, and parallel.

A piece of work is a call of a module's function, done once on any machine.
"""

import importlib
import inspect
import io
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ttt_fast import FileFormatError, TrainingConfig, TrainingRun, __version__
from ttt_fast.core.archive import load_arrays
from ttt_fast.running.api import Executor, Job, JobStore, ThreadExecutor
from ttt_fast.studies.engine.pages import Progress
from ttt_fast.studies.engine.sources import plan_of
from ttt_fast.studies.engine.trainings import every_few_seconds, from_kept_runs, kept_runs, name_of

Arrays = dict[str, NDArray[Any]]
Worker = Callable[..., Mapping[str, Any]]
_SECONDS = "seconds"
T = TypeVar("T")


def _job(worker: Worker, settings: Mapping[str, object]) -> Job:
    source = sha256(inspect.getsource(importlib.import_module(worker.__module__)).encode()).hexdigest()
    described = {
        "module": worker.__module__, "function": worker.__qualname__, "settings": dict(settings), "source": source,
        "package": __version__,
    }  # fmt: skip
    payload = json.dumps(described, sort_keys=True).encode()
    return Job(Job.name_of(payload), payload)


def _work(payload: bytes) -> bytes:
    """Do a piece of work on any machine that has this package, and return the content of its file."""
    described = json.loads(payload)
    Job.check_package(described["package"])
    worker = getattr(importlib.import_module(described["module"]), described["function"])
    started = time.perf_counter()
    made = {name: np.asarray(value) for name, value in worker(**described["settings"]).items()}
    stream = io.BytesIO()
    np.savez(stream, **made, **{_SECONDS: np.float64(time.perf_counter() - started)})  # type: ignore[arg-type]
    return stream.getvalue()


def _work_watched(payload: bytes, watch: Callable[[int], None]) -> bytes:
    watch(0)
    return _work(payload)


def _read(path: Path, name: str) -> tuple[float, Arrays]:
    """Return the seconds that a piece took, and its results by name.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged.
    """
    arrays = load_arrays(path)
    seconds = arrays.pop(_SECONDS, np.zeros(1))
    if seconds.shape or seconds.dtype != np.float64:
        raise FileFormatError(f"expected a piece of work in {str(path)!r}, found another file")
    return float(seconds), arrays


@dataclass
class Runner:
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
    say: Progress = lambda news: None
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
        RunInterrupted
            If the work was interrupted; finished pieces are kept.
        """
        store = JobStore(self.kept, ".npz", _read)
        jobs = [_job(worker, one) for one in settings]
        missing = list({job.name: job for job in jobs if not store.has(job.name)}.values())
        say = every_few_seconds(self.say)

        def on_progress(done: int, amount: int) -> None:
            if done:
                say(f"{worker.__name__}: {done} of {len(missing)}")

        if missing:
            with closing(ThreadExecutor(self.threads)) as pool:
                executor = self.executor or pool
                store.run(_work_watched if executor.shares_memory else _work, missing, executor, on_progress)
            self.say(f"{worker.__name__}: {len(missing)} done")
        found = {job.name: store.read(job.name) for job in jobs}
        self.taken |= {name: seconds for name, (seconds, _) in found.items()}
        return [found[job.name][1] for job in jobs]

    def trainings(self, configs: Sequence[TrainingConfig]) -> list[TrainingRun | None]:
        """Return finished training runs, in the order of their settings; None for a run that has diverged."""
        runs = kept_runs(configs, self.kept, self.threads, self.say)
        self.taken |= {name: training.seconds for name, training in runs.items()}
        return [runs.get(name_of(config)) for config in configs]

    def training_files(self, configs: Sequence[TrainingConfig]) -> list[Path]:
        """Return the files of finished training runs, of which one at a time is in memory for each thread."""
        self.taken |= from_kept_runs(lambda run: run.seconds, configs, self.kept, self.threads, self.say)
        return [self.kept / f"{name_of(config)}.npz" for config in configs]

    def trainings_of(
        self, heads: Sequence[T], config: Callable[[T, int], TrainingConfig], count: Callable[[T], int]
    ) -> list[tuple[T, list[TrainingRun | None]]]:
        """Return several settings with their finished runs, which are computed seed by seed.

        Parameters
        ----------
        heads
            The settings.
        config
            The configuration of a run, from its setting and seed.
        count
            The number of runs of a setting.
        """
        jobs = sorted((seed, place) for place, one in enumerate(heads) for seed in range(count(one)))
        done = dict(zip(jobs, self.trainings([config(heads[place], seed) for seed, place in jobs]), strict=True))
        return [(one, [done[seed, place] for seed in range(count(one))]) for place, one in enumerate(heads)]

    def plan(self, package: str) -> Any:
        """Return the plan of a study (`plan.toml`), with `runs` and `few_runs` limited to `seeds`."""
        plan = plan_of(package, quick=self.quick)
        for name in {"runs", "few_runs"} & vars(plan).keys():
            setattr(plan, name, min(self.seeds or sys.maxsize, getattr(plan, name)))
        return plan
