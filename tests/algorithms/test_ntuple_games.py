"""TD(lambda) over n-tuples held against a dictionary, game by game, with the same draws: equal bits."""

import numpy as np
import pytest

from games_reference import ConnectFour
from ntuples_reference import Learner
from ttt_fast import parse_game
from ttt_fast.algorithms.episodes import Episodes
from ttt_fast.algorithms.td.kernels import TdRule, learn_games
from ttt_fast.values.choice import TIES
from ttt_fast.values.ntuples import NTuples, NTupleValues

GAMES = 15
STREAM = 2**63 + 11


def learned(values, rule, epsilons, alphas, chunks):
    """Chunks of games by the kernel; the counts."""
    initial, counts = values.game.initial_state, np.zeros(3, np.int64)
    evaluator = values.evaluator()
    for chunk in range(chunks):
        stream = np.array([STREAM + chunk], np.uint64)
        learn_games(evaluator, initial, rule, values.errors, Episodes(chunk * GAMES, alphas, epsilons), stream, counts)
    return counts


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
    game = parse_game(f"connect4:columns={columns},rows={rows},length={length}")
    settings = NTuples(number=5, cells=4, tables=tables)
    errors = np.zeros(2 * settings.num_weights if coherent else 0, np.float32)
    values = NTupleValues(settings, game, errors=errors)
    tuples = [[divmod(cell, rows + 1) for cell in cells] for cells in settings.draw(columns, rows)]
    plain = Learner(ConnectFour(*board), tuples, tables=tables, trace_decay=trace_decay, coherent=coherent)
    epsilons, alphas = np.linspace(0.5, 0.0, GAMES), np.linspace(0.5, 0.1, GAMES)
    counts = learned(values, TdRule(TIES["random"], opening, trace_decay), epsilons, alphas, chunks=3)
    for chunk in range(3):
        plain.chunk(STREAM + chunk, epsilons, alphas, opening)
    assert counts.tolist() == plain.results and sum(plain.results) == 3 * GAMES
    assert as_dictionary(values) == {place: weight for place, weight in plain.weights.items() if weight}
    assert len(as_dictionary(values)) > 100


@pytest.mark.parametrize("alpha", [1.0, 1e6])
def test_weights_stay_in_their_range(alpha):
    game = parse_game("connect4:columns=4,rows=3,length=3")
    values = NTupleValues(NTuples(number=3, cells=2), game)
    learned(values, TdRule(TIES["random"], 0, 0.5), np.full(GAMES, 0.3), np.full(GAMES, alpha), chunks=2)
    assert np.abs(values.tables.weights.astype(np.int64)).max() < 2**31
