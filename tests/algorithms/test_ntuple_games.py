"""TD(lambda) over n-tuples held against a dictionary, game by game, with the same draws: equal bits."""

import numpy as np
import pytest
from training_checks import learn_plainly

from games_reference import ConnectFour
from ntuples_reference import Learner
from ttt_fast import TrainingConfig, train
from ttt_fast.learners import start_training

SMALL = {
    "algorithm": "td", "episodes": 45, "chunk_episodes": 15, "evaluations": 1, "judges": "", "seed": 11,
    "epsilon": "linear:0.5,0", "step_size": "linear:0.5,0.1", "tie": "random",
}  # fmt: skip


def as_dictionary(values):
    """The weights that are not 0, by table, tuple and values of cells."""
    size, number, cells = 4**values.settings.cells, values.settings.number, values.settings.cells
    found = {}
    for place in np.flatnonzero(values.tables.weights).tolist():
        digits = tuple(place % size // 4**power % 4 for power in range(cells))
        found[place // size // number, place // size % number, digits] = int(values.tables.weights[place])
    return found


@pytest.mark.parametrize(
    ("board", "tables", "trace_decay", "coherent", "opening"),
    [
        ((5, 4, 4), 2, 0.7, True, 0),
        ((5, 4, 4), 1, 0.0, False, 3),
        ((4, 3, 3), 2, 1.0, True, 2),
        ((3, 5, 3), 1, 0.9, True, 0),
    ],
)
def test_weights_are_those_of_the_dictionary(board, tables, trace_decay, coherent, opening):
    columns, rows, length = board
    changes = {"trace_decay": trace_decay, "coherent": coherent, "opening_plies": opening, "tuple_tables": tables}
    game = f"connect4:columns={columns},rows={rows},length={length}"
    config = TrainingConfig(**SMALL, **changes, game=game, tuples=5, tuple_cells=4)
    run = train(config)
    tuples = [[divmod(cell, rows + 1) for cell in cells] for cells in run.values.settings.draw(columns, rows)]
    plain = Learner(ConnectFour(*board), tuples, opening, tables=tables, trace_decay=trace_decay, coherent=coherent)
    learn_plainly(plain, config)
    assert run.counts.tolist() == plain.results and sum(plain.results) == 45
    assert as_dictionary(run.values) == {place: weight for place, weight in plain.weights.items() if weight}
    assert len(as_dictionary(run.values)) > 100


def test_weights_stay_in_their_range(tmp_path):
    """Weights as large as they can be: where they balance, a step would go beyond."""
    changes = {"tuples": 3, "tuple_cells": 2, "step_size": 1, "epsilon": 0.3, "coherent": False, "episodes": 4}
    config, largest = TrainingConfig(**{**SMALL, **changes}, game="connect4:columns=4,rows=3,length=3"), 2**31 - 1
    begun, generator = start_training(config), np.random.default_rng(1)
    weights = begun.values.tables.weights
    weights[...] = np.where(generator.random(weights.size) < 0.5, largest, -largest)
    begun.save(tmp_path / "large.npz")
    learned = train(config.replace(start_from=str(tmp_path / "large.npz"))).values.tables.weights
    change = np.abs(learned.astype(np.int64) - weights)
    assert 0 < change.max() < largest
