"""Learning on Connect 4 over a hash table: rounds a second, a million rounds, and memory."""

import statistics
from typing import Any

import numpy as np

from groups.timing import Effort, Group, Rows, one_core, seconds_row, take_turns, value_row
from ttt_fast.algorithms.api import SAI
from ttt_fast.algorithms.tabular.learners import GeneralLearner, empty_hash_table
from ttt_fast.running.timing import Candidate
from ttt_fast.training.config import TrainingConfig
from ttt_fast.training.loop import start_training, train

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
    "as Sai, 6 columns of 7": TrainingConfig(game=BOARD_OF_SAI, **AS_SAI, judges="", credit=SAI),
    "both credited, 6 columns of 7": TrainingConfig(game=BOARD_OF_SAI, **AS_SAI, judges=""),
    "afterstates, 7 columns of 6": TrainingConfig(game="connect4", **USUAL, algorithm="afterstate", judges=""),
    "two-ply Q, 7 columns of 6": TrainingConfig(game="connect4", **USUAL, judges=""),
}
"""Runs of a million rounds."""


def first_rounds(rounds: int = FIRST_ROUNDS) -> TrainingConfig:
    """Return the settings of the first rounds: a single chunk from an empty table, as Sai has it."""
    return TrainingConfig(game=BOARD_OF_SAI, **AS_SAI, episodes=rounds, chunk_episodes=rounds, judges="", credit=SAI)


def by_table(config: TrainingConfig) -> GeneralLearner:
    """Return the learner after the first chunk."""
    learner = GeneralLearner(config, [], empty_hash_table(config), np.zeros(3, np.int64))
    learner.run_chunks(0, 1)
    return learner


def hashed(effort: Effort) -> Rows:
    """Measure the first rounds, then a million rounds of each kind."""
    config = first_rounds()
    name = f"ttt_fast: the first {FIRST_ROUNDS:,} rounds, from an empty table"
    with one_core():
        rows = take_turns([Candidate(name, "episodes", FIRST_ROUNDS, lambda: by_table(config))], effort)
        for kind, whole in WHOLE.items():
            rows += _million(kind, whole, max(1, effort.repeats // 3))
    return rows


def _million(name: str, config: TrainingConfig, repeats: int) -> Rows:
    """Return the seconds of whole runs, and what their table takes."""
    spent = []
    for _ in range(repeats):
        run = train(start_training(config))
        spent.append(run.seconds)
    table = run.hashed
    note = f"median of {repeats}; {run.episodes / statistics.median(spent):,.0f} rounds a second"
    return [
        seconds_row(f"{MILLION:,} rounds, {name}", statistics.median(spent), note),
        value_row(f"states, {name}", len(table), f"{table.memory_bytes / len(table):.1f} bytes each"),
        value_row(f"megabytes, {name}", table.memory_bytes / 1e6, f"{table.peak_bytes / 1e6:,.1f} while it grew"),
    ]


HASHED = Group("hashed", "Learning on Connect 4 over a hash table, one thread", hashed)
