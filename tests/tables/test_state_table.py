"""The table of states against the reference, which enumerates with dictionaries."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from ttt_fast.core.errors import BoardError
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.tables import enumerate_states, solve, standard_table
from ttt_fast.tables.state_table import NO_STATE, ROOT, count_paths

PERFT = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
ORTHOGONAL = (*reference.ROWS, *reference.COLUMNS)
OTHER_GAMES = {
    "rows and columns": ORTHOGONAL,
    "diagonals": tuple(reference.DIAGONALS),
    "one line": ((0, 4, 8),),
    "broken lines": ((0, 1, 5), (3, 7, 8), (2, 4, 6)),
    "no line": (),
}


def masks_of(lines):
    return np.array([sum(1 << cell for cell in line) for line in lines], np.int64)


def test_the_states_are_those_of_the_reference_in_the_same_order(table, reference_states):
    assert table.num_states == len(reference_states) == 5478
    assert [tuple(board) for board in table.boards.tolist()] == reference_states


def test_children_legal_actions_status_player_and_ply_of_every_state(table, reference_states):
    position = {board: state for state, board in enumerate(reference_states)}
    for state, board in enumerate(reference_states):
        legal = reference.legal_actions(board)
        expected = [position[reference.after(board, a)] if a in legal else NO_STATE for a in range(9)]
        assert table.child[state].tolist() == expected
        assert table.legal_action_mask[state].nonzero()[0].tolist() == legal
        assert table.ply[state] == 9 - board.count(0)
        if legal:
            assert (table.status[state], table.player[state]) == (rules.ONGOING, reference.mover(board))
        else:
            assert (table.status[state], table.player[state]) == (reference.winner(board) or rules.DRAW, 0)


def test_counts_of_states(table):
    assert Counter(table.status.tolist()) == {
        rules.ONGOING: 4520,
        rules.X_WINS: 626,
        rules.O_WINS: 316,
        rules.DRAW: 16,
    }
    assert Counter(table.player.tolist()) == {rules.X: 2423, rules.O: 2097, 0: 958}
    assert table.decision_mask.sum() == 4520


def test_states_of_each_ply(table, reference_states):
    counted = Counter(9 - board.count(0) for board in reference_states)
    assert np.bincount(table.ply).tolist() == [counted[ply] for ply in range(10)]


def test_children_come_after_their_parents(table):
    parents, actions = table.legal_action_mask.nonzero()
    assert (table.child[parents, actions] > parents).all()
    assert set(table.child[parents, actions].tolist()) == set(range(1, 5478))
    assert table.boards[ROOT].tolist() == [0] * 9


@pytest.mark.parametrize(
    ("field", "dtype", "shape"),
    [
        ("boards", np.uint8, (5478, 9)),
        ("child", np.int16, (5478, 9)),
        ("legal_action_mask", np.bool_, (5478, 9)),
        ("status", np.int8, (5478,)),
        ("player", np.int8, (5478,)),
        ("ply", np.int8, (5478,)),
        ("index_of_code", np.int16, (19683,)),
    ],
)
def test_arrays_are_read_only_contiguous_and_of_the_promised_type(table, field, dtype, shape):
    array = getattr(table, field)
    assert (array.dtype, array.shape) == (dtype, shape)
    assert array.flags.c_contiguous and not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0


def test_the_standard_table_is_made_once():
    assert standard_table() is standard_table()


def test_perft_and_the_number_of_games(table):
    paths = count_paths(table)
    assert [int(paths[table.ply == ply].sum()) for ply in range(1, 10)] == PERFT
    assert int(paths[table.status != rules.ONGOING].sum()) == 255_168
    assert [int(paths[table.status == status].sum()) for status in (1, 2, 3)] == [131_184, 77_904, 46_080]


@pytest.mark.parametrize("depth", range(6))
def test_perft_of_the_reference(depth):
    assert reference.perft(reference.START, depth) == ([1, *PERFT])[depth]


def test_every_board_has_the_index_of_the_table_or_is_refused(table, reference_states):
    position = {board: state for state, board in enumerate(reference_states)}
    for board in product(range(3), repeat=9):
        if board in position:
            assert table.state_index(board) == table.state_index(reference.text(board)) == position[board]
        else:
            with pytest.raises(BoardError, match="legal play reaches"):
                table.state_index(board)


@given(st.integers(0, 5477))
def test_index_and_board_are_inverse(state):
    table = standard_table()
    assert table.state_index(table.board(state)) == state


@pytest.mark.parametrize(
    ("board", "reason"),
    [
        ("XX.......", "2 X and 0 O"),
        ("O........", "0 X and 1 O"),
        ("XXXOOO...", "play after a win"),
        ("XXXOOO.X.", "play after a win"),
        ((1, 2, 3, 0, 0, 0, 0, 0, 0), "marks 0, 1 or 2"),
        ((1, 2), "marks 0, 1 or 2"),
        ("XXXXXXXX", "9 characters"),
    ],
)
def test_impossible_boards_say_why(table, board, reason):
    with pytest.raises(BoardError) as caught:
        table.state_index(board)
    message = str(caught.value)
    assert reason in message and repr(board) in message and "\n" not in message


@pytest.mark.parametrize("lines", OTHER_GAMES.values(), ids=OTHER_GAMES)
def test_another_game_by_other_lines(lines):
    table = enumerate_states(masks_of(lines))
    boards = reference.all_states(lines)
    assert [tuple(board) for board in table.boards.tolist()] == boards
    status = [reference.winner(b, lines) or (rules.DRAW if 0 not in b else rules.ONGOING) for b in boards]
    assert table.status.tolist() == status
    assert table.legal_action_mask.sum(axis=1).tolist() == [len(reference.legal_actions(b, lines)) for b in boards]
    solution = solve(table)
    assert solution.value.tolist() == [reference.value(b, lines) for b in boards]
    assert solution.distance.tolist() == [reference.distance(b, lines) for b in boards]
    optimal = [reference.optimal_actions(b, lines) for b in boards]
    assert [row.nonzero()[0].tolist() for row in solution.optimal_action_mask] == optimal


def test_a_diagonal_ends_only_the_games_in_which_it_is_a_line(table):
    board = "XO.OX...X"
    other = enumerate_states(masks_of(ORTHOGONAL))
    assert table.status[table.state_index(board)] == rules.X_WINS
    assert other.status[other.state_index(board)] == rules.ONGOING
