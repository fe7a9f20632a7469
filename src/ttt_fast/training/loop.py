"""A training run: chunks of episodes, measures during the run, checkpoints, and bit-identical resumption."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import AgentLike
from ttt_fast.agents.shipped import path_for
from ttt_fast.algorithms.learner import first_values, make_learner, rules_dynamics
from ttt_fast.algorithms.registry import SETTINGS, read_setting
from ttt_fast.algorithms.settings import written
from ttt_fast.core.checks import count_of, shown, whole_number
from ttt_fast.core.errors import AgentError, TttFastError, UsageError
from ttt_fast.core.locks import only_writer
from ttt_fast.core.manifest import available_memory
from ttt_fast.games import api
from ttt_fast.policies.arrays import IN_PROPORTION
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import attended
from ttt_fast.running.interrupts import OnInterrupt, RunInterrupted, interrupted_by, stop_between_chunks
from ttt_fast.training.config import TrainingConfig
from ttt_fast.training.curve import ExactRecorder, SampleRecorder, columns_of
from ttt_fast.training.opponents import check_unchanged, checked_opponents, opponents_of, with_signatures
from ttt_fast.training.run import TrainingRun
from ttt_fast.values.api import LearnedValues
from ttt_fast.values.files import load, other_game
from ttt_fast.values.hashed import MIN_CAPACITY, most_rows, slots_for

SHIPPED = "learned"
"""Name of the weights that ship with the package.  A run may start from them."""
SECONDS_BETWEEN_CHECKPOINTS, SECONDS_OF_HASH_TABLES = 5.0, 30.0
"""Default seconds between checkpoints, for values over a table of states and for hash tables."""
MAX_SHARE_OF_SAVING = 0.05
"""Largest share of a run's time spent on saving; large hash tables are saved less often."""
SECONDS_BETWEEN_COPIES, MAX_SHARE_OF_KEEPING = 0.5, 0.01
"""Least seconds between copies in memory, to which a run returns if it drops a chunk, and their largest share of it."""
SECONDS_AT_ONCE = 0.1
"""Time that joined chunks may take, by the rate of the previous ones, so that a signal need not wait longer."""
_GROWTH = 8  # the rate of a few chunks may not be that of many
SHARE_OF_AVAILABLE = 0.75
"""The default limit of a run whose table grows, as a share of the available memory and of the table together."""
_SAVED_KEY_BYTES = 16  # of a saved row: its key again, and the difference from the previous key
_SMALL_BYTES = 1 << 24  # fit without a look at the available memory, which takes longer than thousands of episodes


def start_training(
    config: TrainingConfig | Mapping[str, Any],
    *,
    resume: str | os.PathLike[str] | None = None,
    on_config: Callable[[TrainingConfig], None] | None = None,
) -> TrainingRun:
    """Return an untrained run, or one that continues.

    Parameters
    ----------
    config
        The configuration, or its settings by name.  The `opponent` of settings may be any agent.  The configuration
        names an external agent, a policy or a function by its signature, and the run contains its policy.
    resume
        The file of a run to continue; any given settings must match its own.  More `episodes` make it longer if the
        result is that of a longer run: no schedule depends on the number of episodes.
    on_config
        Called with the configuration before any data is loaded or computed from it.

    Raises
    ------
    AgentError
        If an opponent of the configuration is not an agent string, or is a file that cannot be read (FileFormatError).
        Also if the file from which the run starts contains values of another kind.
    UsageError
        If the resumed run has other settings, or its opponents have changed.

    Examples
    --------
    >>> start_training(TrainingConfig(episodes=1000))
    <TrainingRun of q on tic-tac-toe v random: 0 of 1,000 episodes>
    """
    if isinstance(config, TrainingConfig):
        is_passed = any(agent.is_signature for agent in config.opponent.agents)  # to `train`, later
        return new_run(config, () if is_passed else opponents_of(config))
    if not isinstance(config, Mapping):
        raise UsageError(f"expected a TrainingConfig, got {shown(config)}")
    kept = None if resume is None else TrainingRun.load(resume)
    game = config.get("game", SETTINGS["game"].default) if kept is None else kept.config.game
    settings, policies = with_signatures(config, game)
    path = os.fspath(resume or "")
    config = TrainingConfig(**settings) if kept is None else _continued(path, settings, kept)
    if on_config is not None:
        on_config(config)
    opponents = opponents_of(config, policies)
    if kept is None:
        return new_run(config, opponents)
    check_unchanged(kept.opponents_sha256, config, opponents, repr(path))
    return kept._replace(config=config, opponents=opponents)


def new_run(config: TrainingConfig, opponents: Sequence[Policy]) -> TrainingRun:
    """Return an untrained run against the policies of its stages, if they are known."""
    if not config.has_table:
        rules_dynamics(config.game, config.opponent.agents, any_player=config.record.any_opponent)
    values = loaded_or_first_values(config)
    columns = columns_of(config, values)
    greedy = np.zeros(config.table.num_states if config.has_table else 0, np.int32)
    known = check_unchanged("", config, opponents) if len(opponents) == len(config.opponent.stages) else ""
    return TrainingRun(
        config, values, np.zeros(3, np.int64), 0, columns, np.zeros((0, len(columns))), greedy, 0.0, known,
        tuple(opponents),
    )  # fmt: skip


def loaded_or_first_values(config: TrainingConfig) -> LearnedValues:
    """Return the initial values of a run: untrained, or those of the file from which it starts.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind, or written by a newer version.
    AgentError
        If the file is for another game, or holds values of another form or size.
    """
    first, path = first_values(config), config.settings.start_from
    if path is None:
        return first
    if path == SHIPPED:
        path = str(path_for(config.game, path))
    learned = load(path)
    found: Any = learned.values
    if found.form != first.form:
        wanted = f"values of the form {first.form!r} to start from"
        raise AgentError(f"expected {wanted}, got {path!r}, a file of {found.form!r}")
    if config.game not in learned.games:
        raise other_game(path, learned, config.game)
    begun = first.begun_from(found)
    same_kind = (learned.tie == IN_PROPORTION) == (config.record.policy_tie == IN_PROPORTION)  # counts, or values
    if not same_kind or not begun.is_like(first):
        raise AgentError(f"expected values as {config.algorithm} learns them to start from, got those of {path!r}")
    return begun


def _continued(path: str, settings: Mapping[str, Any], kept: TrainingRun) -> TrainingConfig:
    """Return the configuration of a resumed run, longer if that is asked; raise UsageError for other settings."""
    config = kept.config
    own = vars(config) | vars(config.settings)
    for name, raw in settings.items():
        value, reason = read_setting(name, raw), ""
        if name == "episodes" and value > config.episodes:
            reason = _why_no_longer(kept)
            if not reason:
                config = config.replace(episodes=value)
                continue
            reason = f": {reason}; start a new run, for instance from its values"
        if value != own.get(name):
            wanted = f"the settings of the run in {path!r}, where {name} is {written(own.get(name))!r}"
            raise UsageError(f"expected {wanted}, got {written(value)!r}{reason}")
    return config


def _why_no_longer(run: TrainingRun) -> str:
    """Return why a run cannot continue with more episodes as a longer run would have; empty if it can."""
    config, settings = run.config, run.config.settings
    for name in ("step_size", "epsilon"):
        if config.record.accepts(name) and getattr(settings, name).by_length:
            return f"{name} {getattr(settings, name).text} depends on the number of episodes"
    if len(config.opponent.stages) > 1:
        return f"the opponents {config.opponent.text} depend on the number of episodes"
    if run.episodes % config.chunk_episodes:
        return f"its last chunk is shorter than chunk_episodes {config.chunk_episodes}"
    return "" if run.values.can_go_on else "its file contains the learned values alone"


def _with_opponents(training: TrainingRun, given: object) -> TrainingRun:
    """Return a run with the policies of its opponents: those of its start, given ones, or those that it names."""
    config, own = training.config, training.opponents
    if given is None and (own or not config.opponent.stages):
        return training
    opponents = opponents_of(config) if given is None else checked_opponents(config, given, own)
    known = training.opponents_sha256 if own else check_unchanged(training.opponents_sha256, config, opponents)
    return training._replace(opponents=opponents, opponents_sha256=known)


def _rows_of(training: TrainingRun) -> SampleRecorder:
    """Return the measures of a run: exact ones if its game has a table."""
    if not training.config.has_table:
        return SampleRecorder(training.config, training.values, training.greedy)
    return ExactRecorder(training.config, training.opponents, training.greedy if training.chunks_done else None)


def _most_at_once(config: TrainingConfig, episodes: int, is_observed: bool) -> int:
    """Return the largest number of chunks to join: up to some episodes or, by default, if no one observes each."""
    if not config.has_table:  # where chunks are long, growth is checked, and games are sampled
        return 1
    return max(1, episodes // config.chunk_episodes) if episodes or is_observed else config.num_chunks


def at_once(chunks: int, seconds: float, most: int) -> int:
    """Return the number of chunks to join after so many took some seconds."""
    return int(max(1, min(most, _GROWTH * chunks, chunks * SECONDS_AT_ONCE / max(seconds, 1e-9))))


class MemoryLimitError(TttFastError):
    """A run has stopped because its next chunk might not fit into memory.

    Attributes
    ----------
    run
        The state of the run.
    needed_bytes
        A limit that suffices until its table has doubled and is full again.

    Examples
    --------
    >>> try:
    ...     train(TrainingConfig(game="connect4", judges="", episodes=1000), memory_limit=1)
    ... except MemoryLimitError as error:
    ...     error.run.episodes, error.needed_bytes > 1
    (0, True)
    """

    def __init__(self, message: str, run: TrainingRun, needed_bytes: int) -> None:
        super().__init__(message)
        self.run, self.needed_bytes = run, needed_bytes


def needed_bytes(states: int, slot_bytes: int) -> int:
    """Return the peak bytes of a table of some states: during its last doubling, or while it is saved.

    Examples
    --------
    >>> needed_bytes(195_541, 660), needed_bytes(195_541, 20)  # 5,000 episodes of Ultimate, and as afterstates
    (519045120, 17525236)
    """
    slots = slots_for(states)
    doubling = slots // 2 * slot_bytes if slots > MIN_CAPACITY else 0
    return slots * slot_bytes + max(doubling, states * (slot_bytes + _SAVED_KEY_BYTES))


class MemoryWatch:
    """The memory check of a run, which stops between two chunks before the next one might not fit.

    While a hash table doubles, old and new arrays coexist: 1.5 times the new size.  A checkpoint needs a sorted copy of
    the rows.  A chunk begins only if both would fit for any number of new states.  The limit decides when a run stops,
    but affects no bit of the learned result.

    Parameters
    ----------
    run
        The run, whose hash table, if any, is the one that training updates.
    limit
        Limit in bytes.  None: a share of the available memory, queried again before a doubling and before the run
        stops; all of it if the values cannot grow.

    Raises
    ------
    UsageError
        If the limit is not a positive integer.
    """

    def __init__(self, run: TrainingRun, limit: int | None) -> None:
        self._run, self._is_given = run, limit is not None
        self._limit = _SMALL_BYTES if limit is None else whole_number(limit, "the memory limit", 1)

    def stops(self, done: int) -> bool:
        """Return whether the chunk after `done` chunks might need more than the limit."""
        (_, slots, needed), values = self._next(done), self._run.values
        own, capacity = (self._run.hashed.memory_bytes, self._run.hashed.capacity) if values.grows else (0, 0)
        if not self._is_given and (needed > self._limit or slots > capacity):
            self._limit = int((SHARE_OF_AVAILABLE if values.grows else 1) * (available_memory() + own))
        return needed > self._limit

    def error(self, run: TrainingRun) -> MemoryLimitError:
        """Return the error to raise when a run stops."""
        config, grows = run.config, run.values.grows
        episodes, slots, enough = self._next(run.chunks_done)
        what = f"the next {episodes:,} episodes of" if grows else "the values of"
        message = (
            f"expected {what} {config.game.spec} to fit {size_text(self._limit)} of memory, they need up to"
            f" {size_text(enough)}; stopped after {run.episodes:,} of {config.episodes:,} episodes"
        )
        if grows:
            enough = needed_bytes(most_rows(max(slots, 2 * run.hashed.capacity)), run.hashed.slot_bytes)
            message += "" if config.by_board else "; afterstates need less memory"
        return MemoryLimitError(message, run, enough)

    def _next(self, done: int) -> tuple[int, int, int]:
        """Return the episodes of the next chunk, and the slots and peak bytes if all its positions are new."""
        config, values = self._run.config, self._run.values
        episodes = config.episodes_after(done + 1) - config.episodes_after(done)
        if not values.grows:
            return episodes, 0, values.run_bytes
        states = len(self._run.hashed) + int(api.max_plies(config.game.initial_state)) * episodes
        return episodes, slots_for(states), needed_bytes(states, self._run.hashed.slot_bytes)


def size_text(number: float) -> str:
    """Format a number of bytes.

    Examples
    --------
    >>> size_text(346_030_080), size_text(69_500_000_000), size_text(81_920)
    ('346 MB', '69.5 GB', '0.08 MB')
    """
    value, unit = (number / 1e9, "GB") if number >= 999.5e6 else (number / 1e6, "MB")
    return f"{value:,.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f} {unit}"


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
    if isinstance(run, TrainingConfig):
        run = start_training(run)
    if not isinstance(run, TrainingRun):
        raise UsageError(f"expected a TrainingConfig, or a TrainingRun, got {shown(run)}")
    training = _with_opponents(run, opponent)
    config, grows = training.config, training.values.grows
    usual = SECONDS_OF_HASH_TABLES if grows else SECONDS_BETWEEN_CHECKPOINTS
    every = usual if checkpoint_every is None else checkpoint_every
    if not (isinstance(every, int | float) and not isinstance(every, bool) and 0 < every < inf):
        raise UsageError(f"expected a number of seconds above 0 between checkpoints, got {every!r}")
    until_episodes = config.episodes if until is None else count_of(until, "until")
    last = min(config.num_chunks, ceil(until_episodes / config.chunk_episodes))
    watch = MemoryWatch(training, memory_limit)
    if not grows and watch.stops(training.chunks_done):
        raise watch.error(training)  # before a learner is made, which might not fit
    learner = make_learner(config, training.opponents, training.values, training.counts.copy())
    rows, history = _rows_of(training), list(training.history)
    done, is_full, is_dropped = training.chunks_done, False, False

    def now() -> TrainingRun:
        seconds, known = training.seconds + rows.seconds, np.array(history).reshape(-1, len(rows.columns))
        return training._replace(
            values=learner.values(), counts=learner.counts.copy(), chunks_done=done, columns=rows.columns,
            history=known, greedy=rows.greedy.copy(), seconds=seconds,
        )  # fmt: skip

    joined, most = 1, _most_at_once(config, count_of(episodes_at_once, "episodes_at_once"), on_chunk is not None)
    saved, pause = time.perf_counter(), every
    kept, kept_at, keeping = training, saved, SECONDS_BETWEEN_COPIES  # to which the run returns if it drops a chunk
    with only_writer(checkpoint), stop_between_chunks(on_interrupt) as stop:
        while done < last and not stop.requested:
            is_full = watch.stops(done)
            if is_full:
                break
            began = time.perf_counter()
            if not grows and began - kept_at > keeping:
                kept, kept_at = now(), time.perf_counter()
                keeping = max(SECONDS_BETWEEN_COPIES, (kept_at - began) / MAX_SHARE_OF_KEEPING)
            first, end, seconds = done, min(done + joined, last), rows.seconds
            try:
                with interrupted_by(stop.check):
                    history += attended(partial(rows.learn, learner, first, end, config.evaluations_due(first, end)))
            except RunInterrupted:
                if grows or not stop.requested:
                    raise
                is_dropped = True
                break
            done = end
            joined = at_once(done - first, rows.seconds - seconds, most)
            if on_chunk is not None:
                on_chunk(config.episodes_after(done), history[-1] if history else None)
            if checkpoint is not None and time.perf_counter() - saved > pause and done < last:
                started, kept = time.perf_counter(), now()
                kept.save(checkpoint)
                saved = time.perf_counter()
                is_rare = grows or checkpoint_every is None
                pause = max(every, (saved - started) / MAX_SHARE_OF_SAVING) if is_rare else every
        stop.result = result = kept if is_dropped else now()
        if checkpoint is not None:
            result.save(checkpoint)
    if is_full:
        raise watch.error(result)
    return result
