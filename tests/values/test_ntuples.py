"""N-tuple tables held against a dictionary of weights and cells read one by one."""

import numpy as np
import pytest

from games_reference import ONGOING, ConnectFour
from ntuples_reference import UNIT, Learner, squash
from ttt_fast import TableSizeError, UsageError, parse_game
from ttt_fast.games import api
from ttt_fast.values import ntuple_tables
from ttt_fast.values.api import Learned
from ttt_fast.values.ntuples import NTuples, NTupleValues

BOARDS = [(5, 4, 4), (7, 6, 4), (3, 5, 3), (1, 6, 2)]


def spec_of(columns, rows, length):
    return f"connect4:columns={columns},rows={rows},length={length}"


def random_values(settings, game, seed=1):
    weights = np.random.default_rng(seed).integers(-(1 << 26), 1 << 26, settings.num_weights).astype(np.int32)
    return NTupleValues(settings, game, weights)


def reference_of(values, board, **settings):
    """The same tuples and weights in the dictionary."""
    rows, size = board[1], 4**values.settings.cells
    tuples = [[divmod(cell, rows + 1) for cell in cells] for cells in values.settings.draw(board[0], rows)]
    plain = Learner(ConnectFour(*board), tuples, tables=values.settings.tables, **settings)

    class Weights(dict):
        def get(self, place, default=0):
            table, number, digits = place
            index = sum(digit * 4**power for power, digit in enumerate(digits))
            return int(values.tables.weights[(table * len(tuples) + number) * size + index])

    plain.weights = Weights()
    return plain


def random_moves(game, generator):
    """The moves of a random game, up to its end."""
    moves, state = (), game.initial_state
    while api.status(state) == ONGOING:
        moves = (*moves, int(generator.choice(api.legal_actions(state))))
        state = api.play(state, moves[-1])
    return moves


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("tables", [1, 2])
def test_values_are_those_of_the_dictionary(board, tables):
    game = parse_game(spec_of(*board))
    values = random_values(NTuples(6, 4, tables), game)
    plain, generator = reference_of(values, board), np.random.default_rng(2)
    for _ in range(4):
        moves, state = random_moves(game, generator), game.initial_state
        for ply, move in enumerate(moves):
            assert values.value(state) == squash(plain.total(moves[:ply]))
            expected = {action: squash(plain.score((*moves[:ply], action))) for action in plain.game.legal(moves[:ply])}
            assert values.mover(Learned((game,), "first", True, values)).action_values(state) == expected
            state = api.play(state, move)


def test_mirror_images_are_worth_the_same():
    game = parse_game("connect4")
    values = random_values(NTuples(), game)
    state = game.state_after("1223344")
    assert values.value(state) == values.value(api.transform(state, 1)) != 0.0


def test_tuples_are_connected_cells_of_the_board():
    settings = NTuples(number=200, cells=8, seed=3)
    for cells in settings.draw(7, 6):
        places = [divmod(cell, 7) for cell in cells]
        assert len(set(places)) == 8 and all(column < 7 and row < 6 for column, row in places)
        for number in range(1, 8):
            assert any(max(abs(a - c), abs(b - d)) == 1 for a, b in places[:number] for c, d in [places[number]])
    assert settings.draw(7, 6) == NTuples(200, 8, 1, 3).draw(7, 6) != NTuples(200, 8, 2, 4).draw(7, 6)


def test_squash_is_near_tanh_and_a_whole_win_at_its_end():
    x = np.linspace(-4, 4, 801)
    values = np.array([ntuple_tables.squash(one) for one in x])
    assert np.abs(values - np.tanh(x)).max() < 0.024 and (np.diff(values) >= 0).all()
    assert ntuple_tables.squash(3.0) == 1.0 == -ntuple_tables.squash(-3.0)


def test_a_saturated_weight_does_not_overflow_a_sum():
    settings = NTuples(number=70, cells=2)
    game = parse_game("connect4")
    values = NTupleValues(settings, game, np.full(settings.num_weights, 2**31 - 1, np.int32))
    assert values.value(game.initial_state) == 1.0
    assert 140 * (2**31 - 1) * UNIT > 3


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: NTuples(number=0), UsageError, "expected number of n-tuples from 1 to 1000, got 0"),
        (lambda: NTuples(cells=13), UsageError, "expected cells of n-tuples from 1 to 12, got 13"),
        (lambda: NTuples(tables=3), UsageError, "expected tables of n-tuples from 1 to 2, got 3"),
        (lambda: NTuples(seed=-1), UsageError, "expected seed of n-tuples from 0 to .*, got -1"),
        (lambda: NTuples(70, 12), TableSizeError, r"at most 1,073,741,824 bytes, got 9,395,240,960: 2 \* 70 tables"),
        (lambda: NTuples().draw(2, 3), UsageError, "expected n-tuples of at most 6 cells on this board, got 8"),
        (
            lambda: NTupleValues(NTuples(), parse_game("ultimate")),
            UsageError,
            "expected connect4 for n-tuples, got 'ultimate'",
        ),
    ],
)
def test_mistakes_are_told_in_a_line(make, error, message):
    with pytest.raises(error, match=message):
        make()
