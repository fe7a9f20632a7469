"""A training run: chunks of episodes, exact scores on the way, checkpoints, and resuming in the same bits."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.registry import parse_agent
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.learn.checkpoint import Training, save_training
from ttt_fast.learn.config import TrainingConfig, check_checkpoint_every
from ttt_fast.learn.curve import Measures
from ttt_fast.learn.learners import make_learner, nothing_learned
from ttt_fast.learn.measured import run_measured
from ttt_fast.learn.opponents import check_strings, check_unchanged, checked_opponents, opponents_of
from ttt_fast.learn.two_ply import reachable_states
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import stop_between_chunks
from ttt_fast.tables import solution_of, table_of

SECONDS_BETWEEN_CHECKPOINTS = 5.0


def start_training(config: TrainingConfig) -> Training:
    """Return a run of which nothing has been trained yet.

    Raises
    ------
    AgentError
        If an opponent of the configuration is no agent string, or a file that cannot be read (FileFormatError).
    """
    if not isinstance(config, TrainingConfig):
        raise UsageError(f"expected a TrainingConfig, got {shown(config)}")
    check_strings(config)
    greedy = np.zeros(table_of(config.game).num_states, np.int32)
    return Training(config, nothing_learned(config), 0, ("episodes",), np.zeros((0, 1)), greedy, 0.0)


def train(
    training: Training,
    opponent: Policy | Sequence[Policy] | None = None,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = SECONDS_BETWEEN_CHECKPOINTS,
    on_chunk: Callable[[int, NDArray[np.float64] | None], None] | None = None,
    episodes_at_once: int = 0,
) -> Training:
    """Train from where a run stands to its end, or until Ctrl-C (SIGINT, SIGTERM or SIGHUP).

    Parameters
    ----------
    training
        A run from `start_training` or `load_training`.
    opponent
        The policy, or policies, that `training.config.opponent` names: parsed from it unless given, and held against
        it if given, so that a file always says whom the run was trained against.
    checkpoint
        A `.npz` file that is rewritten on the way, and at the end.
    checkpoint_every
        Seconds from one rewriting to the next, above 0.
    on_chunk
        Called after every chunk with the number of episodes and the last row of the history, if any.
    episodes_at_once
        Short chunks are joined, up to this number of episodes, between two calls of `on_chunk` and looks at Ctrl-C:
        many runs at once then hardly need the interpreter, which their threads share.

    Returns
    -------
    Training
        The same bits whether the run was interrupted and resumed or not; `is_complete` says whether it is at
        its end.

    Raises
    ------
    UsageError
        If the opponents are not those of the configuration, or have changed since the run began.

    Examples
    --------
    >>> run = train(start_training(TrainingConfig(opponent="self", episodes=50_000, epsilon="0.3")))
    >>> run.is_complete, run.episodes
    (True, 50000)
    """
    if not isinstance(training, Training):
        raise UsageError(f"expected a run of start_training or load_training, got {shown(training)}")
    check_checkpoint_every(checkpoint_every)
    config = training.config
    opponents = opponents_of(config) if opponent is None else checked_opponents(config, opponent)
    opponents_sha256 = check_unchanged(training.opponents_sha256, opponents)
    learner = make_learner(config, opponents, training.learned)
    measures = make_measures(config, opponents)
    greedy = training.greedy.copy() if training.chunks_done else measures.first_greedy()
    columns, history = ("episodes", *measures.columns), list(training.history)
    done = training.chunks_done
    started = saved = time.perf_counter()

    def now() -> Training:
        seconds = training.seconds + time.perf_counter() - started
        rows = np.array(history).reshape(-1, len(columns))
        return Training(config, learner.learned(), done, columns, rows, greedy.copy(), seconds, opponents_sha256)

    at_once = max(1, episodes_at_once // config.chunk_episodes)
    with stop_between_chunks() as stop:
        while done < config.num_chunks and not stop.requested:
            first, done = done, min(done + at_once, config.num_chunks)
            stops = [chunks for chunks in range(first + 1, done + 1) if config.is_evaluation_due(chunks)]
            measured = run_measured(learner, measures, greedy, first, done, stops)
            history += [np.array([config.episodes_after(at), *row]) for at, row in zip(stops, measured, strict=True)]
            if on_chunk is not None:
                on_chunk(config.episodes_after(done), history[-1] if history else None)
            if checkpoint is not None and time.perf_counter() - saved > checkpoint_every:
                save_training(checkpoint, now(), opponents)
                saved = time.perf_counter()
        result = now()
        if checkpoint is not None:
            save_training(checkpoint, result, opponents)
    return result


def make_measures(config: TrainingConfig, opponents: Sequence[Policy]) -> Measures:
    """Return the exact measures of a configuration's learning curve, which all seeds of a setting share."""
    return _measures(replace(config, seed=0), tuple(opponents))


@lru_cache(maxsize=16)
def _measures(config: TrainingConfig, opponents: tuple[Policy, ...]) -> Measures:
    table = table_of(config.game)
    names = [name for name in config.judge_names if name not in (one.name for one in opponents[-1:])]
    judges = [*opponents[-1:], *(parse_agent(name, config.game) for name in names)]
    if not judges:
        judges = [parse_agent("random", config.game)]
    last = opponents[-1] if opponents else None
    counted = np.zeros(table.num_states, np.bool_)
    for seat in config.seats:
        counted |= reachable_states(table, last, seat, config.random_opening)
    target = exact_q(table, last, config.rewards, config.discount, config.seats)
    if config.by_board:
        target = config.discount * target  # gamma applies at the end of the game, too
    last_of_equals = config.tie == "last"
    return Measures(
        table, solution_of(table), config.seats, judges, target, counted, last_of_equals, config.random_opening
    )
