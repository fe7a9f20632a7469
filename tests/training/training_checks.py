"""What tests of training runs share: runs, their bits, plain learners of their chunks, and Ctrl-C after some chunks."""

import functools
import signal
from typing import NamedTuple

import numpy as np
import pytest

from conftest import random_policy
from ttt_fast import TrainingConfig, TrainingRun, as_policy, table_of, train
from ttt_fast.kernels import chunk_stream
from ttt_fast.learners import ALGORITHMS, start_training
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
BOARDS = [tuple(board) for board in boards_of(TABLE).tolist()]
INDEX = {board: state for state, board in enumerate(BOARDS)}
PLANNING = ["value-iteration", "policy-iteration"]
TABULAR = [one for one in ALGORITHMS if one not in ("dqn", "td", "alphazero", "fictitious-play", *PLANNING)]
SMALL_GAME = "connect4:columns=4,rows=4,length=3"
DQN = {
    "algorithm": "dqn", "chunk_episodes": 20, "hidden": "16", "minibatch": 3, "replay": 200, "warm_up": 10, "seed": 5,
    "evaluations": 4,
}  # fmt: skip
ALPHAZERO = {
    "algorithm": "alphazero", "chunk_episodes": 20, "evaluations": 5, "hidden": "16", "minibatch": 8, "replay": 3,
    "seed": 5, "simulations": 12, "updates": 7,
}  # fmt: skip
TD = {
    "algorithm": "td", "tuples": 12, "tuple_cells": 4, "evaluations": 2, "chunk_episodes": 100, "opening_plies": 0,
    "opening_share": 0.5, "step_size": "0.5", "epsilon": "linear:0.1,0.02",
}  # fmt: skip
ULTIMATE = {
    "algorithm": "td", "game": "ultimate", "episodes": 96, "chunk_episodes": 32, "step_size": "linear:0.003,0.001",
    "trace_decay": 0.8, "evaluations": 0, "judges": "", "seed": 5,
}  # fmt: skip
HASHED = {
    "game": "connect4", "episodes": 2000, "chunk_episodes": 150, "step_size": "0.1", "epsilon": "0.3",
    "evaluations": 3, "seed": 7,
}  # fmt: skip
RUNS = {
    "dqn x v random": {**DQN, "episodes": 300},
    "dqn self-play": {**DQN, "opponent": "self", "episodes": 200, "hidden": "16,16"},
    "dqn connect4": {**DQN, "opponent": "self", "game": "connect4", "episodes": 60, "judges": "random",
                     "train_every": 2},
    "dqn o v default": {**DQN, "opponent": "default", "game": "connect4", "seat": 2, "episodes": 60, "judges": ""},
    "alphazero": {**ALPHAZERO, "episodes": 100},
    "alphazero connect4": {**ALPHAZERO, "game": SMALL_GAME, "episodes": 70, "keep": "best", "search_share": 0.5,
                           "temperature_plies": 4, "symmetries": False},
    "td small": {**TD, "game": SMALL_GAME, "episodes": 3000, "tuples": 20, "tuple_cells": 5, "opening_plies": 4},
    "td plain steps": {**TD, "game": SMALL_GAME, "episodes": 2000, "coherent": False,
                       "step_size": "geometric:0.3,0.05"},
    "td large": {**TD, "game": "connect4", "episodes": 300, "judges": "random", "opening_plies": 6},
    "ultimate": ULTIMATE,
    "ultimate, boards": {**ULTIMATE, "game": "ultimate:tie=boards"},
    "hashed afterstate": {**HASHED, "algorithm": "afterstate"},
    "hashed q": {**HASHED, "algorithm": "q"},
}  # fmt: skip
"""Settings of small runs whose values are no table of states."""
RUN_NAMES = [pytest.param(name, marks=pytest.mark.slow) if "ultimate" in name else name for name in RUNS]


def config_of(name: str = "dqn x v random", **changes) -> TrainingConfig:
    """The configuration of one of the runs, with changes."""
    return TrainingConfig(**{**RUNS[name], **changes})


@functools.cache
def whole(name: str) -> TrainingRun:
    """One of the runs, which nobody disturbed."""
    return train(config_of(name))


def bits(run: TrainingRun) -> tuple:
    """Everything of a run but its wall time."""
    learned, _ = run.values.to_arrays()
    arrays = (*(learned[name] for name in sorted(learned)), run.counts, run.history, run.greedy)
    return run.config, run.chunks_done, run.columns, run.sha256(), *(array.tobytes() for array in arrays)


class Learned(NamedTuple):
    """What a learner over a table of states knows: tables (T, S, A), updates (S, A), counts (3,)."""

    tables: np.ndarray
    updates: np.ndarray
    counts: np.ndarray


def learned_by(learner, config) -> Learned:
    """What a learner knows after all chunks, one after the other."""
    for chunk in range(config.num_chunks):
        learner.run_chunks(chunk, chunk + 1)
    values = learner.values()
    dense = values.table.dense
    return Learned(np.array([dense(table) for table in values.tables]), dense(values.updates), learner.counts)


def policies(config) -> list:
    """The opponents of a configuration; `rows-1` is a random policy."""
    return [
        random_policy(int(spec.name[5:])) if spec.name.startswith("rows-") else as_policy(spec, config.game)
        for spec in config.opponent.agents
    ]


def learn_plainly(slow, config, after=lambda chunk: None, rivals=None, chunks=None):
    """Let a plain learner learn the chunks of a configuration, or the first ones, against the opponent of the stage.

    An opponent maps boards to the chances of actions; by default it plays its rows over the table.
    """
    settings = config.settings
    if rivals is None:
        rows = [rival.probabilities.tolist() for rival in policies(config)]
        rivals = [lambda board, rows=one: rows[INDEX[board]] for one in rows]
    for chunk in range(config.num_chunks if chunks is None else chunks):
        first, last = config.episodes_after(chunk), config.episodes_after(chunk + 1)
        if rivals:
            progress = first / config.episodes
            number = next(i for i, (until, _) in enumerate(config.opponent.stages) if progress < until)
            slow.slots.clear()
            slow.opponent = rivals[number]
        epsilons = [settings.epsilon.value(episode, config.episodes) for episode in range(first, last)]
        alphas = epsilons
        if not settings.step_size.by_visits:
            alphas = [settings.step_size.value(episode, config.episodes) for episode in range(first, last)]
        slow.chunk(alphas, epsilons, int(chunk_stream(config.seed, chunk)))
        after(chunk)
    return slow


def interrupt_after(chunks: int, number: int = signal.SIGINT):
    """A callback for `train` that sends a signal after that many chunks."""
    calls = []

    def on_chunk(episodes, latest):
        calls.append(episodes)
        if len(calls) == chunks:
            signal.raise_signal(number)

    return on_chunk


def check_resumed(config, path, chunks=1, whole=None, opponents=None):
    """Check that a run stopped after every so many chunks goes on from its file in the same bits."""
    run, stops = start_training(config), 0
    while not run.complete:
        part = train(run, opponents, checkpoint=path, on_chunk=interrupt_after(chunks), on_interrupt="return")
        assert part.chunks_done == min(run.chunks_done + chunks, config.num_chunks)
        run, stops = TrainingRun.load(path), stops + 1
        assert bits(run) == bits(part)
        if config.algorithm in ("dqn", "td", "alphazero") and getattr(config.settings, "coherent", True):
            assert run.values.can_go_on is not run.complete  # the file of a whole run has no more than its values
    assert stops > 1 and bits(run) == bits(whole or train(config, opponents))


def step_size_of(config, chunk: int) -> float:
    """Alpha at the start of a chunk."""
    return config.settings.step_size.value(chunk * config.chunk_episodes, config.episodes)


def epsilon_of(config, chunk: int) -> float:
    """Epsilon at the start of a chunk."""
    return config.settings.epsilon.value(chunk * config.chunk_episodes, config.episodes)
