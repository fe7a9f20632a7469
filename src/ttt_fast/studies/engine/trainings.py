"""Training runs kept with their networks: finished runs are read from files, unfinished runs are resumed."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from ttt_fast import FileFormatError, TrainingConfig, TrainingRun, train
from ttt_fast.files import make_folder
from ttt_fast.learners import start_training
from ttt_fast.running.api import JobStore, ThreadExecutor

SECONDS_BETWEEN_CHECKPOINTS = 60.0
SECONDS_BETWEEN_NEWS = 5.0

Runs = dict[str, TrainingRun]
"""Finished runs, by the names of their units."""


def name_of(config: TrainingConfig) -> str:
    """Return the name of a run, equal to that of its unit in a sweep: a hash of all settings that affect results."""
    return start_training(config).unit_name


def kept_run(config: TrainingConfig, folder: Path) -> TrainingRun:
    """Return a finished run: read from its file, or trained from its last checkpoint.

    The file of a run in a sweep contains its curve alone; this file also contains its network.

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
    if not training.is_complete:
        make_folder(folder)
        training = train(training, checkpoint=store.path(name), checkpoint_every=SECONDS_BETWEEN_CHECKPOINTS)
    return training


def kept_runs(
    configs: Sequence[TrainingConfig], folder: Path, threads: int, on_progress: Callable[[str], None] | None = None
) -> Runs:
    """Return finished runs: equal settings run once, and diverged runs are left out.

    Parameters
    ----------
    configs
        The settings of the runs, in the order in which they start.
    folder
        The folder of their files.
    threads
        Number of threads; results do not depend on it.
    on_progress
        Called every few seconds with a message about the number of finished runs.
    """
    different = list({name_of(config): config for config in configs}.items())
    runs: Runs = {}
    told = time.monotonic()

    def work(place: int) -> TrainingRun | None:
        try:
            return kept_run(different[place][1], folder)
        except FloatingPointError:  # the network has diverged
            return None

    with closing(ThreadExecutor(threads)) as pool:
        places = range(len(different))
        waiting = [pool.submit(work, place) for place in places if threads > 1]
        # With one thread, runs stay in this thread, where signals stop them between two chunks.
        found = (one.result() for one in waiting) if waiting else map(work, places)
        for place, training in enumerate(found):
            if training is not None:
                runs[different[place][0]] = training
            if on_progress is not None and time.monotonic() - told > SECONDS_BETWEEN_NEWS:
                told = time.monotonic()
                on_progress(f"{place + 1} of {len(different)} training runs")
    return runs
