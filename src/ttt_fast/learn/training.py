"""A training run: chunks of episodes, exact scores on the way, checkpoints, and resuming in the same bits."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.table_agents import parse_agent, split_agents
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.learn.afterstate import AFTERSTATE
from ttt_fast.learn.checkpoint import Training, save_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.curve import Truth
from ttt_fast.learn.learners import make_learner, nothing_learned
from ttt_fast.learn.measured import run_measured
from ttt_fast.learn.two_ply import reachable_states
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import stop_between_chunks
from ttt_fast.tables import StateTable, solve, standard_solution, standard_table

SECONDS_BETWEEN_CHECKPOINTS = 5.0


def start_training(config: TrainingConfig, table: StateTable | None = None) -> Training:
    """Return a run without any training."""
    table = table or standard_table()
    nothing = nothing_learned(config, table)
    return Training(config, nothing, 0, ("episodes",), np.zeros((0, 1)), np.zeros(table.num_states, np.int32), 0.0)


def opponents_of(config: TrainingConfig, table: StateTable | None = None) -> list[Policy]:
    """Return the policies of the stages of a configuration; none in self-play."""
    return [parse_agent(agent, table) for _, agent in config.stages()]


def train(
    training: Training,
    opponent: Policy | Sequence[Policy] | None = None,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    on_chunk: Callable[[int, NDArray[np.float64] | None], None] | None = None,
    table: StateTable | None = None,
    episodes_at_once: int = 0,
) -> Training:
    """Train a run to its end, or until Ctrl-C.

    Parameters
    ----------
    training
        A run from `start_training` or `load_training`.
    opponent
        The policy or policies of `training.config.opponent` (default: parsed from it).
    checkpoint
        A `.npz` file that is rewritten every few seconds, and at the end.
    on_chunk
        Called after every chunk with the number of episodes and the last row of the history, if any.
    table
        The game (default: ordinary tic-tac-toe).
    episodes_at_once
        Short chunks are joined, up to this number of episodes, between two calls of `on_chunk` and looks at Ctrl-C:
        many runs at once then hardly need the interpreter, which their threads share.

    Returns
    -------
    Training
        The same bits whether the run was interrupted and resumed or not; `is_complete` says whether it is at
        its end.

    Examples
    --------
    >>> run = train(start_training(TrainingConfig(opponent="self", episodes=50_000, epsilon="0.3")))
    >>> run.is_complete, run.episodes
    (True, 50000)
    """
    table, config = table or standard_table(), training.config
    if opponent is None:
        opponents = opponents_of(config, table)
    else:
        opponents = [opponent] if isinstance(opponent, Policy) else list(opponent)
    learner = make_learner(config, opponents, training.learned, table)
    truth = make_truth(config, opponents, table)
    truth(learner.edge_values())  # loads the kernels
    if training.chunks_done:
        # As at the last evaluation: the measure `changed` counts from there,
        # and so does not depend on interruptions.
        truth.greedy[:] = training.greedy
    columns, history = ("episodes", *truth.columns), list(training.history)
    done = training.chunks_done
    started = saved = time.perf_counter()

    def now() -> Training:
        seconds = training.seconds + time.perf_counter() - started
        rows = np.array(history).reshape(-1, len(columns))
        return Training(config, learner.learned(), done, columns, rows, truth.greedy.copy(), seconds)

    at_once = max(1, episodes_at_once // config.chunk_episodes)
    with stop_between_chunks() as stop:
        while done < config.num_chunks and not stop.requested:
            first, done = done, min(done + at_once, config.num_chunks)
            stops = [chunks for chunks in range(first + 1, done + 1) if _is_evaluation_due(config, chunks)]
            measured = run_measured(learner, truth, first, done, stops)
            history += [np.array([config.episodes_after(at), *row]) for at, row in zip(stops, measured, strict=True)]
            if on_chunk is not None:
                on_chunk(config.episodes_after(done), history[-1] if history else None)
            if checkpoint is not None and time.perf_counter() - saved > SECONDS_BETWEEN_CHECKPOINTS:
                save_training(checkpoint, now(), opponents, table)
                saved = time.perf_counter()
    result = now()
    if checkpoint is not None:
        save_training(checkpoint, result, opponents, table)
    return result


def _is_evaluation_due(config: TrainingConfig, chunks: int) -> bool:
    """Return whether the run has just passed another part of its length, whatever its interruptions."""
    before, after = config.episodes_after(chunks - 1), config.episodes_after(chunks)
    parts = config.evaluations
    return before * parts // config.episodes < after * parts // config.episodes


def make_truth(config: TrainingConfig, opponents: Sequence[Policy], table: StateTable) -> Truth:
    """Return the exact measures of a configuration's learning curve."""
    if table is not standard_table():
        return _prepared_truth(config, opponents, table)
    return _standard_truth(replace(config, seed=0), tuple(opponents)).fresh()


@lru_cache(maxsize=16)
def _standard_truth(config: TrainingConfig, opponents: tuple[Policy, ...]) -> Truth:
    """Return the measures that all seeds of a setting share."""
    return _prepared_truth(config, opponents, standard_table())


def _prepared_truth(config: TrainingConfig, opponents: Sequence[Policy], table: StateTable) -> Truth:
    solution = standard_solution() if table is standard_table() else solve(table)
    names = [name for name in split_agents(config.judges) if name]
    names = [name for name in dict.fromkeys(names) if name not in (one.name for one in opponents[-1:])]
    judges = [*opponents[-1:], *(parse_agent(name, table) for name in names)]
    if not judges:
        judges = [parse_agent("random", table)]
    last = opponents[-1] if opponents else None
    counted = np.zeros(table.num_states, np.bool_)
    for seat in config.seats:
        counted |= reachable_states(table, last, seat, config.random_opening)
    target = exact_q(last, config.rewards, config.discount, config.seats, table)
    if config.algorithm == AFTERSTATE:
        target = config.discount * target  # gamma applies at the end of the game, too
    last_of_equals = config.tie == "last"
    return Truth(table, solution, config.seats, judges, target, counted, last_of_equals, config.random_opening)
