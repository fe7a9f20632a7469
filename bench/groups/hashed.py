"""Learning on Connect 4 over a hash table: rounds a second beside a dictionary, a million rounds, and memory."""

import statistics
import sys
from typing import Any

import numpy as np
from ttt_fast.learn.hashed.checkpoint import HashedTraining, start_hashed_training
from ttt_fast.learn.hashed.config import SAI, HashedConfig, hashed_config
from ttt_fast.learn.hashed.learner import HashedLearner, empty_table
from ttt_fast.learn.hashed.training import train_hashed

from groups.dictionary import DictionaryLearner
from groups.timing import Effort, Group, Rows, one_core, seconds_row, take_turns, value_row
from ttt_fast.core.rng import chunk_stream
from ttt_fast.learn.afterstate import EPSILON_SCALE
from ttt_fast.report.throughput import Candidate

COLUMNS, ROWS = 6, 7
BOARD_OF_SAI = f"connect4:columns={COLUMNS},rows={ROWS}"
FIRST_ROUNDS = 2000
MILLION = 1_000_000
AS_SAI: dict[str, Any] = {
    "algorithm": "afterstate",
    "step_size": "0.1",
    "discount": 0.9,
    "epsilon": "cumulative:0.9,1e-6,0.3",
    "tie": "last",
}
USUAL: dict[str, Any] = {"step_size": "0.1", "epsilon": "0.3"}
WHOLE = {
    "as Sai, 6 columns of 7": hashed_config(BOARD_OF_SAI, {**AS_SAI, "judges": ""}, SAI),
    "both credited, 6 columns of 7": hashed_config(BOARD_OF_SAI, {**AS_SAI, "judges": ""}),
    "afterstates, 7 columns of 6": hashed_config("connect4", {**USUAL, "algorithm": "afterstate", "judges": ""}),
    "two-ply Q, 7 columns of 6": hashed_config("connect4", {**USUAL, "algorithm": "q", "judges": ""}),
}
"""Runs of a million rounds."""


def first_rounds(rounds: int = FIRST_ROUNDS) -> HashedConfig:
    """Return the settings of the comparison: a single chunk from an empty table, as Sai has it."""
    return hashed_config(BOARD_OF_SAI, {**AS_SAI, "episodes": rounds, "chunk_episodes": rounds, "judges": ""}, SAI)


def by_table(config: HashedConfig) -> HashedLearner:
    """Return the learner after the first chunk."""
    learner = HashedLearner(config, empty_table(config), np.zeros(3, np.int64))
    learner.run_chunk(0)
    return learner


def by_dictionary(config: HashedConfig) -> DictionaryLearner:
    """Return the straightforward learner after the same rounds."""
    training = config.training
    alphas = training.step_sizes.values(0, training.episodes, training.episodes)
    below = np.rint(training.epsilons.values(0, training.episodes, training.episodes) * EPSILON_SCALE)
    learners = (0, 1) if config.o_learns else (0,)
    learner = DictionaryLearner(COLUMNS, ROWS, config.passes, learners, training.discount, training.tie == "last")
    learner.learn(alphas.tolist(), below.astype(int).tolist(), int(chunk_stream(training.seed, 0)))
    return learner


def hashed(effort: Effort) -> Rows:
    """Measure the first rounds both ways, then a million rounds of each kind."""
    config = first_rounds()
    straightforward = f"straightforward: a dictionary in Python, the first {FIRST_ROUNDS:,} rounds"
    with one_core():
        rows = take_turns(
            [
                Candidate(straightforward, "episodes", FIRST_ROUNDS, lambda: by_dictionary(config)),
                Candidate(
                    "ttt_fast: the same rounds, from an empty table", "episodes", FIRST_ROUNDS, lambda: by_table(config)
                ),
            ],
            effort,
            straightforward,
        )
        rows.append(
            value_row("a dictionary, bytes a state", _bytes_a_state(by_dictionary(config)), "table and objects")
        )
        repeats = max(1, effort.repeats // 3)
        for name, whole in WHOLE.items():
            rows += _million(name, whole, repeats)
    return rows


def _million(name: str, config: HashedConfig, repeats: int) -> Rows:
    """Return the seconds of whole runs, and what their table takes."""
    spent = []
    for _ in range(repeats):
        run: HashedTraining = train_hashed(start_hashed_training(config))
        spent.append(run.seconds)
    table = run.table
    note = f"median of {repeats}; {run.episodes / statistics.median(spent):,.0f} rounds a second"
    return [
        seconds_row(f"{MILLION:,} rounds, {name}", statistics.median(spent), note),
        value_row(f"states, {name}", len(table), f"{table.memory_bytes / len(table):.1f} bytes each"),
        value_row(f"megabytes, {name}", table.memory_bytes / 1e6, f"{table.peak_bytes / 1e6:,.1f} while it grew"),
    ]


def _bytes_a_state(learner: DictionaryLearner) -> float:
    """Return the bytes of the dictionary, its keys and its values, a state."""
    objects = sum(sys.getsizeof(board) + sys.getsizeof(value) for board, value in learner.values.items())
    return (sys.getsizeof(learner.values) + objects) / len(learner.values)


HASHED = Group("hashed", "Learning on Connect 4 over a hash table, one thread", hashed)
