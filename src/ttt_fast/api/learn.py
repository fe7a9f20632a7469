"""Training runs: started from settings, or resumed from files."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import AgentLike
from ttt_fast.core.errors import UsageError
from ttt_fast.learn import training
from ttt_fast.learn.checkpoint import TrainingRun
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.memory import Forecast
from ttt_fast.learn.training import start_training
from ttt_fast.running.interrupts import OnInterrupt


def train(
    run: TrainingRun | TrainingConfig | None = None,
    opponent: AgentLike | Sequence[AgentLike] | None = None,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float | None = None,
    on_chunk: Callable[[int, NDArray[np.float64] | None], None] | None = None,
    episodes_at_once: int = 0,
    memory_limit: int | None = None,
    on_forecast: Callable[[Forecast], None] | None = None,
    on_interrupt: OnInterrupt = "raise",
    **settings: Any,
) -> TrainingRun:
    """Train from where a run stands to its end, or until a signal stops it.

    Parameters
    ----------
    run
        The settings of a new run, or a run that was begun (`TrainingRun.load`); a hash table of values is updated in
        place.  None: the settings are keywords, those of `TrainingConfig`.
    opponent
        With keywords, the opponent: a text, or any other agent, whose policy the configuration names by its signature.
        With a run or a configuration, the agent or agents that its `opponent` names, which must be the same.
    checkpoint
        A `.npz` file that is rewritten on the way, and at the end.
    checkpoint_every
        Seconds between two checkpoints, above 0 (default: 5, with a hash table 30).  A default interval, or any with a
        hash table, grows until saving takes at most a twentieth of it.
    on_chunk
        Called after every chunk with the number of episodes and the last row of the history, if any.
    episodes_at_once
        Short chunks are joined, up to this number of episodes, between two calls of `on_chunk` and looks at Ctrl-C:
        many runs at once then hardly need the interpreter, which their threads share.  Not with a hash table.
    memory_limit
        Bytes that the run may use, including the peak while a hash table doubles or is saved.  Default: three quarters
        of the available memory; all of it if the values cannot grow.  It does not change what is learned.
    on_forecast
        Called at most once, before the first chunk or after a later one: when the growth so far says that the whole
        run will not fit the limit.
    on_interrupt
        `raise`: a signal (Ctrl-C, SIGTERM, SIGHUP) stops the run and is raised as `RunInterrupted`, which has the part
        that is done; `return`: that part is returned, and its `complete` is False.

    Returns
    -------
    TrainingRun
        The same bits whether the run was interrupted and resumed or not; `complete` says whether it is at its end.

    Raises
    ------
    UsageError
        If the opponents are not those of the configuration, or have changed since the run began.
    MemoryLimitError
        If the next chunk might not fit the limit; the checkpoint is written before, and `error.run` is the run.
        Values that do not grow are refused at once.
    RunInterrupted
        If a signal has stopped the run; the checkpoint is written before (`on_interrupt`).

    Examples
    --------
    >>> run = train(opponent="minimax", seat="o", episodes="50k", epsilon=0.3)
    >>> run.complete, run.episodes
    (True, 50000)
    >>> run = train(TrainingConfig(game="connect4", algorithm="sarsa", episodes=1000, judges=""))
    >>> int(run.counts.sum()), len(run.hashed) > 1000
    (1000, True)
    """
    if run is None:
        run = start_training(settings if opponent is None else {**settings, "opponent": opponent})
        opponent = None
    elif settings:
        raise UsageError(f"expected a configuration or settings, got both: {', '.join(settings)}")
    return training.train(
        run, opponent, checkpoint=checkpoint, checkpoint_every=checkpoint_every, on_chunk=on_chunk,
        episodes_at_once=episodes_at_once, memory_limit=memory_limit, on_forecast=on_forecast,
        on_interrupt=on_interrupt,
    )  # fmt: skip
