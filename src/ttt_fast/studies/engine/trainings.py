"""Training runs kept with their networks: finished runs are read from files, unfinished runs are resumed."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from ttt_fast import FileFormatError, TrainingConfig, TrainingRun, train
from ttt_fast.files import make_folder
from ttt_fast.learners import start_training
from ttt_fast.running.api import JobStore, ThreadExecutor
from ttt_fast.studies.engine.pages import Progress

SECONDS_BETWEEN_CHECKPOINTS = 60.0
_SECONDS_BETWEEN_NEWS = 5.0

T = TypeVar("T")
Runs = dict[str, TrainingRun]
"""Finished runs, by the names of their units."""


def every_few_seconds(say: Progress) -> Progress:
    """Return a function that passes on a new message if the last one was five seconds ago."""
    said, last = time.monotonic(), ""

    def say_later(message: str) -> None:
        nonlocal said, last
        if message != last and time.monotonic() - said > _SECONDS_BETWEEN_NEWS:
            said, last = time.monotonic(), message
            say(message)

    return say_later


def name_of(config: TrainingConfig) -> str:
    """Return the name of a run, equal to that of its unit in a sweep: a hash of all settings that affect results."""
    return start_training(config).unit_name


def kept_run(config: TrainingConfig, folder: Path) -> TrainingRun:
    """Return a finished run, read from its file, or trained from its last checkpoint or from the beginning.

    The file contains the learning curve and the network, whereas a file of a sweep contains only the learning curve.

    Parameters
    ----------
    config
        The settings of the run.
    folder
        The folder of its file, which is made if it is missing.

    Raises
    ------
    RunInterrupted
        If the run was interrupted; its checkpoint is kept.
    FloatingPointError
        If the network has diverged; no file is kept.

    Examples
    --------
    >>> import tempfile
    >>> config = TrainingConfig(algorithm="dqn", episodes=20, hidden="8", warm_up=5, chunk_episodes=10, evaluations=2)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     runs = [kept_run(config, Path(place)) for _ in range(2)]
    ...     files = len(list(Path(place).iterdir()))
    >>> runs[0].sha256() == runs[1].sha256(), runs[0].seconds == runs[1].seconds, files
    (True, True, 1)
    """
    training, store = start_training(config), JobStore(folder, ".npz", lambda path, name: TrainingRun.load(path))
    name = training.unit_name
    with suppress(FileFormatError):  # the file is missing or damaged
        found = store.read(name)
        training = found if found.config == config else training
    if not training.complete:
        make_folder(folder)
        training = train(training, checkpoint=store.path(name), checkpoint_every=SECONDS_BETWEEN_CHECKPOINTS)
    return training


def kept_runs(
    configs: Sequence[TrainingConfig], folder: Path, threads: int, on_progress: Progress = lambda message: None
) -> Runs:
    """Return finished runs; parameters as those of `from_kept_runs`."""
    return from_kept_runs(lambda run: run, configs, folder, threads, on_progress)


def from_kept_runs(
    wanted: Callable[[TrainingRun], T],
    configs: Sequence[TrainingConfig],
    folder: Path,
    threads: int,
    on_progress: Progress = lambda message: None,
) -> dict[str, T]:
    """Return something of each finished run: equal settings run once, and diverged runs are left out.

    Parameters
    ----------
    wanted
        What to return of a run, of which nothing else stays in memory.
    configs
        The settings of the runs, in the order in which they start.
    folder
        The folder of their files.
    threads
        Number of threads; results do not depend on it.
    on_progress
        Called every few seconds with a message about the number of finished runs.
    """
    different = {name_of(config): config for config in configs}
    runs: dict[str, T] = {}
    say = every_few_seconds(on_progress)

    def work(name: str) -> T | None:
        try:
            return wanted(kept_run(different[name], folder))
        except FloatingPointError:  # the network has diverged
            return None

    with closing(ThreadExecutor(threads)) as pool:
        waiting = [pool.submit(work, name) for name in different if threads > 1]
        # With one thread, runs stay in this thread, where signals stop them between two chunks.
        found = (one.result() for one in waiting) if waiting else map(work, different)
        for number, (name, result) in enumerate(zip(different, found, strict=True), 1):
            if result is not None:
                runs[name] = result
            say(f"{number} of {len(different)} training runs")
    return runs
