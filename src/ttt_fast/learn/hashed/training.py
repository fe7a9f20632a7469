"""A run over a hash table: chunks of games, checkpoints, and resuming in the same bits."""

import os
import time
from collections.abc import Callable

import numpy as np

from ttt_fast.learn.config import check_checkpoint_every
from ttt_fast.learn.hashed.checkpoint import HashedTraining, save_hashed_training
from ttt_fast.learn.hashed.learner import HashedLearner
from ttt_fast.learn.hashed.memory import Forecast, MemoryWatch
from ttt_fast.learn.hashed.strength import check_judges, measured
from ttt_fast.running.interrupts import stop_between_chunks

MIN_SECONDS_BETWEEN_CHECKPOINTS = 30.0
MAX_SHARE_OF_SAVING = 0.05
"""Largest share of a run's time: large tables are saved more rarely."""


def train_hashed(
    run: HashedTraining,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = MIN_SECONDS_BETWEEN_CHECKPOINTS,
    on_chunk: Callable[[HashedTraining], None] | None = None,
    memory_limit: int | None = None,
    on_forecast: Callable[[Forecast], None] | None = None,
) -> HashedTraining:
    """Train from where a run stands to its end, or until Ctrl-C (SIGINT, SIGTERM or SIGHUP).

    Parameters
    ----------
    run
        From `start_hashed_training` or `load_hashed_training`; its table and counts are updated in place.
    checkpoint
        A `.npz` file that is rewritten on the way, and at the end.
    checkpoint_every
        Seconds from one rewriting to the next, above 0; more where saving would take more than a twentieth of them.
    on_chunk
        Called after every chunk with the run so far.
    memory_limit
        Bytes that the run may take, its table while it doubles or is saved; default: three quarters of the
        available memory.  It changes no bit of what is learned.
    on_forecast
        Called at most once, before the first chunk or after a later one: when the growth so far says that the whole
        run will not fit the limit.

    Returns
    -------
    HashedTraining
        The same bits whether the run was interrupted and resumed or not; `is_complete` says whether it is at
        its end.

    Raises
    ------
    MemoryLimitError
        If the next chunk might not fit the limit; the checkpoint is written before, and `error.run` is the run.

    Examples
    --------
    >>> from ttt_fast.learn.hashed.checkpoint import start_hashed_training
    >>> config = TrainingConfig(game="connect4", algorithm="afterstate", episodes=1000, step_size="0.1")
    >>> run = train_hashed(start_hashed_training(config))
    >>> run.is_complete, int(run.counts.sum()), len(run.table) > 1000
    (True, 1000, True)
    """
    check_checkpoint_every(checkpoint_every)
    check_judges(run.config)
    learner = HashedLearner(run.config, run.table, run.counts)
    watch, is_full = MemoryWatch(run, memory_limit), False
    saved, pause = time.perf_counter(), checkpoint_every
    with stop_between_chunks() as stop:
        watch.warn(run, on_forecast)
        while not run.is_complete and not stop.requested:
            is_full = watch.stops(run)
            if is_full:
                break
            started = time.perf_counter()
            learner.run_chunk(run.chunks_done)
            spent = time.perf_counter() - started
            run = run._replace(chunks_done=run.chunks_done + 1, seconds=run.seconds + spent)
            if run.config.is_evaluation_due(run.chunks_done):
                run = run._replace(history=np.vstack([run.history, measured(run)]))
            if on_chunk is not None:
                on_chunk(run)
            watch.warn(run, on_forecast)
            if checkpoint is not None and time.perf_counter() - saved > pause and not run.is_complete:
                started = time.perf_counter()
                save_hashed_training(checkpoint, run)
                saved = time.perf_counter()
                pause = max(checkpoint_every, (saved - started) / MAX_SHARE_OF_SAVING)
        if checkpoint is not None:
            save_hashed_training(checkpoint, run)
    if is_full:
        raise watch.error(run)
    return run
