"""What tests of training runs share: their bits, learners run to the end, and Ctrl-C after some chunks."""

import signal
from typing import NamedTuple

import numpy as np

from ttt_fast.learn.checkpoint import TrainingRun, load_training
from ttt_fast.learn.training import start_training, train


def bits(run: TrainingRun) -> tuple:
    """Everything of a run but its wall time."""
    learned = [run.values.tables, run.values.updates] if run.config.has_table else run.values.sorted_rows()
    arrays = (*learned, run.counts, run.history, run.greedy)
    return run.config, run.chunks_done, run.columns, *(array.tobytes() for array in arrays)


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


def interrupt_after(chunks: int, number: int = signal.SIGINT):
    """A callback for `train` that sends a signal after that many chunks."""
    calls = []

    def on_chunk(episodes, latest):
        calls.append(episodes)
        if len(calls) == chunks:
            signal.raise_signal(number)

    return on_chunk


def check_resumed(config, path):
    """Check that a run interrupted after some chunks goes on from its file in the same bits."""
    whole = train(start_training(config))
    for chunks in (1, 4, 10):
        part = train(start_training(config), checkpoint=path, on_chunk=interrupt_after(chunks), on_interrupt="return")
        assert (part.chunks_done, part.complete) == (chunks, False)
        loaded = load_training(path)
        assert bits(loaded) == bits(part)
        assert bits(train(loaded)) == bits(whole)


def step_size_of(config, chunk: int) -> float:
    """Alpha at the start of a chunk."""
    return config.settings.step_sizes.value(chunk * config.chunk_episodes, config.episodes)


def epsilon_of(config, chunk: int) -> float:
    """Epsilon at the start of a chunk."""
    return config.settings.epsilons.value(chunk * config.chunk_episodes, config.episodes)
