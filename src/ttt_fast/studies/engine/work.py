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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import FileFormatError, TrainingConfig, TrainingRun, __version__
from ttt_fast.core.archive import load_arrays
from ttt_fast.running.api import Executor, Job, JobStore, ThreadExecutor
from ttt_fast.studies.engine.sources import plan_of
from ttt_fast.studies.engine.trainings import SECONDS_BETWEEN_NEWS, kept_runs, name_of

Arrays = dict[str, NDArray[Any]]
Worker = Callable[..., Mapping[str, Any]]
Say = Callable[[str], None]
_SECONDS = "seconds"


class KeptPiece(NamedTuple):
    """A finished piece of work.

    Attributes
    ----------
    name
        Name of its file: a hash of the function, the source of its module, the settings and the version of the package.
    seconds
        Seconds that it took.
    arrays
        The results of the function, by name.
    """

    name: str
    seconds: float
    arrays: Arrays


def kept_pieces(
    folder: Path, worker: Worker, settings: Sequence[Mapping[str, object]], executor: Executor, say: Say
) -> list[KeptPiece]:
    """Return the results of a function for each of several settings, in order; finished pieces are read from files.

    Parameters
    ----------
    folder
        The folder of the files.
    worker
        A function of a module; it returns arrays, numbers and texts by name.
    settings
        The keyword arguments of each call, as JSON-compatible values.
    executor
        Runs the pieces; it stays open.
    say
        Called with a message about the number of finished pieces.

    Raises
    ------
    RunInterrupted
        If the work was interrupted; finished pieces are kept.
    """
    store = JobStore(folder, ".npz", _read)
    jobs = [_job(worker, one) for one in settings]
    missing = {job.name: job for job in jobs if not store.has(job.name)}
    if missing:
        _run(f"{worker.__name__}: ", store, list(missing.values()), executor, say)
    return [store.read(job.name) for job in jobs]


def _run(name: str, store: JobStore[KeptPiece], jobs: Sequence[Job], executor: Executor, say: Say) -> None:
    said, last = time.monotonic(), 0

    def on_progress(done: int, _: int) -> None:
        nonlocal said, last
        if done > last and time.monotonic() - said > SECONDS_BETWEEN_NEWS:
            said, last = time.monotonic(), done
            say(f"{name}{done} of {len(jobs)}")

    store.run(_work_watched if executor.shares_memory else _work, jobs, executor, on_progress)
    say(f"{name}{len(jobs)} done")


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


def _read(path: Path, name: str) -> KeptPiece:
    """Return a piece from its file.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged.
    """
    arrays = load_arrays(path)
    seconds = arrays.pop(_SECONDS, np.zeros(1))
    if seconds.shape or seconds.dtype != np.float64:
        raise FileFormatError(f"expected a piece of work in {str(path)!r}, found another file")
    return KeptPiece(path.name, float(seconds), arrays)


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
