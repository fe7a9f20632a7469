"""A run over a hash table: chunks of games, checkpoints, and resuming in the same bits."""

import os
import time
from collections.abc import Callable

from ttt_fast._interrupt import stop_between_chunks
from ttt_fast.learn.hashed.checkpoint import HashedTraining, save_hashed_training
from ttt_fast.learn.hashed.learner import HashedLearner

MIN_SECONDS_BETWEEN_CHECKPOINTS = 30.0
MAX_SHARE_OF_SAVING = 0.05
"""Of the time of a run: large tables are saved more rarely."""


def train_hashed(
    run: HashedTraining,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    on_chunk: Callable[[HashedTraining], None] | None = None,
) -> HashedTraining:
    """Train from where a run stands to its end, or until Ctrl-C.

    Parameters
    ----------
    run
        From `start_hashed_training` or `load_hashed_training`; its table and counts are updated in place.
    checkpoint
        A `.npz` file that is rewritten on the way, and at the end.
    on_chunk
        Called after every chunk with the run as it stands.

    Returns
    -------
    HashedTraining
        The same bits whether the run was interrupted and resumed or not; `is_complete` says whether it is at
        its end.

    Examples
    --------
    >>> from ttt_fast.learn.hashed.checkpoint import start_hashed_training
    >>> from ttt_fast.learn.hashed.config import hashed_config
    >>> config = hashed_config("connect4", {"algorithm": "afterstate", "episodes": 1000, "step_size": "0.1"})
    >>> run = train_hashed(start_hashed_training(config))
    >>> run.is_complete, int(run.counts.sum()), len(run.table) > 1000
    (True, 1000, True)
    """
    learner = HashedLearner(run.config, run.table, run.counts)
    started = saved = time.perf_counter()
    saving, pause = 0.0, MIN_SECONDS_BETWEEN_CHECKPOINTS
    before, done = run.seconds, run.chunks_done
    with stop_between_chunks() as stop:
        while done < run.config.training.num_chunks and not stop.requested:
            learner.run_chunk(done)
            done += 1
            now = time.perf_counter()
            run = run._replace(chunks_done=done, seconds=before + now - started - saving)
            if on_chunk is not None:
                on_chunk(run)
            if checkpoint is not None and now - saved > pause and not run.is_complete:
                save_hashed_training(checkpoint, run)
                saved = time.perf_counter()
                saving += saved - now
                pause = max(MIN_SECONDS_BETWEEN_CHECKPOINTS, (saved - now) / MAX_SHARE_OF_SAVING)
    if checkpoint is not None:
        save_hashed_training(checkpoint, run)
    return run
