"""TD(lambda) over n-tuples held against a dictionary, game by game, with the same draws: equal bits."""

import numpy as np
import pytest
from training_checks import learn_plainly

from games_reference import ConnectFour
from ntuples_reference import Learner
from ttt_fast import FileFormatError, TrainingConfig, UsageError, train
from ttt_fast.learners import start_training

SMALL = {
    "algorithm": "td", "episodes": 45, "chunk_episodes": 15, "evaluations": 1, "judges": "", "seed": 11,
    "epsilon": "linear:0.5,0", "step_size": "linear:0.5,0.1", "tie": "random",
}  # fmt: skip
TINY = {"tuples": 3, "tuple_cells": 2}


def as_dictionary(values):
    """The weights that are not 0, by table, tuple and values of cells."""
    size, number, cells = 4**values.settings.cells, values.settings.number, values.settings.cells
    found = {}
    for place in np.flatnonzero(values.tables.weights).tolist():
        digits = tuple(place % size // 4**power % 4 for power in range(cells))
        found[place // size // number, place // size % number, digits] = int(values.tables.weights[place])
    return found


@pytest.mark.parametrize(
    ("board", "tables", "trace_decay", "coherent", "opening", "share", "starts"),
    [
        ((5, 4, 4), 2, 0.7, True, 0, 0.5, []),
        ((5, 4, 4), 1, 0.0, False, 3, 0.5, []),
        ((4, 3, 3), 2, 1.0, True, 2, 0.7, []),
        ((3, 5, 3), 1, 0.9, True, 0, 0.5, []),
        # a position twice, a finished game, an illegal one
        ((4, 3, 3), 2, 0.8, True, 2, 1.0, ["123", "4", "321", "12121", "4444", "43112"]),
    ],
)
def test_weights_are_those_of_the_dictionary(
    board, tables, trace_decay, coherent, opening, share, starts, tmp_path
):  # fmt: skip
    columns, rows, length = board
    changes = {"trace_decay": trace_decay, "coherent": coherent, "opening_plies": opening, "tuple_tables": tables}
    changes["opening_share"] = share
    if starts:
        (tmp_path / "starts.txt").write_text("\n".join(starts))
        changes |= {"starts": str(tmp_path / "starts.txt"), "start_share": 0.6}
    game = f"connect4:columns={columns},rows={rows},length={length}"
    config = TrainingConfig(**SMALL, **changes, game=game, tuples=5, tuple_cells=4)
    run = train(config)
    tuples = [[divmod(cell, rows + 1) for cell in cells] for cells in run.values.settings.draw(columns, rows)]
    plain = Learner(
        ConnectFour(*board), tuples, opening, tables=tables, trace_decay=trace_decay, coherent=coherent, share=share,
        starts=[(0, 1, 2), (3,), (3, 2, 0, 0, 1)] if starts else (), start_share=0.6,
    )  # fmt: skip
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


def test_starting_positions_are_known_by_the_content_of_their_file(tmp_path):
    """They are refused where they do not fit, are over, or have changed."""
    path = tmp_path / "starts.txt"
    path.write_text("12\n")
    config = TrainingConfig(**SMALL | {"starts": str(path)}, game="connect4:columns=4,rows=3,length=3", **TINY)
    assert config.settings.start_share == 0.5 and config.settings.opening_share == 1
    path.write_text("12121\n")
    with pytest.raises(UsageError, match=r"^expected the starting positions of the run in "):
        train(config)
    for changes, line in (
        ({"starts": str(path)}, "expected games that are not over, got none"),
        ({"start_share": 0.5}, "expected start_share with starts, and only then, got 0.5"),
        ({"starts": str(tmp_path / "none.txt")}, "cannot read"),
    ):
        with pytest.raises((UsageError, FileFormatError), match=line):
            train(TrainingConfig(**SMALL | changes, game="connect4:columns=4,rows=3,length=3", **TINY))
    with pytest.raises(UsageError, match=r"expected no opening_share with td on ultimate, got 0\.5"):
        TrainingConfig(algorithm="td", game="ultimate", opening_share=0.5)
