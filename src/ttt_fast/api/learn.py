"""Training runs, started from settings or resumed from files; policies and agents written to files."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import AgentLike, as_policy
from ttt_fast.core.errors import UsageError
from ttt_fast.policies import files
from ttt_fast.policies.files import AnyPath
from ttt_fast.running.interrupts import OnInterrupt
from ttt_fast.training import loop as training
from ttt_fast.training.config import TrainingConfig
from ttt_fast.training.loop import start_training
from ttt_fast.training.run import TrainingRun


def train(
    run: TrainingRun | TrainingConfig | None = None,
    opponent: AgentLike | Sequence[AgentLike] | None = None,
    *,
    until: float | str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float | None = None,
    on_chunk: Callable[[int, NDArray[np.float64] | None], None] | None = None,
    episodes_at_once: int = 0,
    memory_limit: int | None = None,
    on_interrupt: OnInterrupt = "raise",
    **settings: Any,
) -> TrainingRun:
    """Start or continue a training run, until its end, a number of episodes, or a signal.

    Parameters
    ----------
    run
        The settings of a new run, or an unfinished run (`TrainingRun.load`), whose hash table, if any, is updated in
        place.  If it is None, the keywords are the settings, as for `TrainingConfig`.
    opponent
        With keywords, the opponent: a text, or any other agent, whose policy the configuration names by its signature.
        With a run or a configuration, the agent or agents that its `opponent` names; they must be identical.
    until
        The number of episodes after which to return the unfinished run, rounded up to whole chunks.  It does not change
        the learned values; pass the run again to continue it.
    checkpoint
        A `.npz` file that is rewritten during the run and at its end.
    checkpoint_every
        Seconds between two checkpoints, above 0 (default: 5, with a hash table 30).  The default interval, and any
        interval with a hash table, grows until saving takes at most a twentieth of it.
    on_chunk
        Called after every chunk with the number of episodes and the last row of the history, if any.
    episodes_at_once
        Short chunks are joined, up to this number of episodes and about 0.1 s of work, between two calls of `on_chunk`
        and checks for Ctrl-C.  Default: up to 0.1 s of work without `on_chunk`, otherwise single chunks.  Chunks of
        games without a table are never joined.
    memory_limit
        Bytes that the run may use, including the peak while a hash table doubles or is saved.  Default: three quarters
        of the available memory; all of it if the values cannot grow.  The limit does not change the learned values.
    on_interrupt
        The response to a signal (Ctrl-C, SIGTERM, SIGHUP), which stops the run.  `raise`: raise `RunInterrupted` with
        the partial run; `return`: return the partial run, whose `complete` is False.

    Returns
    -------
    TrainingRun
        The run, which does not depend on interruptions before a resumption; `complete` is True at its end.

    Raises
    ------
    UsageError
        If the opponents differ from those of the configuration, or have changed since the run began.
    MemoryLimitError
        If the next chunk might exceed the limit; the checkpoint is written before, and `error.run` is the run.
        Values that cannot grow are rejected at the start.
    FileWriteError
        If the checkpoint cannot be written, or another run is writing it.
    RunInterrupted
        If a signal has stopped the run (`on_interrupt`); the checkpoint is written before.  A chunk is dropped unless
        it ends within a second.  If the values are then a hash table, the checkpoint remains the last one, and the
        `result` is None.

    Examples
    --------
    >>> run = train(opponent="minimax", seat="o", episodes="50k", epsilon=0.3)
    >>> run.complete, run.episodes
    (True, 50000)
    >>> run = train(TrainingConfig(episodes="50k"), until=10_000)
    >>> run.complete, run.episodes, train(run, until=20_000).episodes
    (False, 10000, 20000)
    >>> run = train(TrainingConfig(game="connect4", algorithm="sarsa", episodes=1000, judges=""))
    >>> int(run.counts.sum()), len(run.hashed) > 1000
    (1000, True)
    """
    if run is None:
        run = start_training(settings if opponent is None else {**settings, "opponent": opponent})
        opponent = None
    elif settings:
        wanted = "either a configuration or settings, since a run goes on as it was configured"
        raise UsageError(f"expected {wanted}; got a configuration and {', '.join(settings)}")
    return training.train(
        run, opponent, until=until, checkpoint=checkpoint, checkpoint_every=checkpoint_every, on_chunk=on_chunk,
        episodes_at_once=episodes_at_once, memory_limit=memory_limit, on_interrupt=on_interrupt,
    )  # fmt: skip


def save_policy(path: AnyPath, policy: AgentLike) -> None:
    """Write a policy to a file, whole or not at all.

    Parameters
    ----------
    path
        The suffix selects the format.  `.npz`: any policy, exactly.  `.txt`: the move in every state; `.dat`: the
        boards of the policy as a Q table by Langan.  The last two require a deterministic policy.
    policy
        A policy, or an agent that has a policy.

    Raises
    ------
    UsageError
        If the suffix is unknown, or the policy cannot be stored in this format.
    FileWriteError
        If the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_policy(f"{folder}/best.dat", "best-response:buggy2")
    ...     files.load_policy(f"{folder}/best.dat")["XX.OO...."]
    {2: 1.0, 5: 0.0, 6: 0.0, 7: 0.0, 8: 0.0}
    """
    files.save_policy(path, as_policy(policy))
