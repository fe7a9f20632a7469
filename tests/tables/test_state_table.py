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
from ttt_fast.tables import count_paths, table_of
from ttt_fast.tables.boards import boards_of, index_of_code
from ttt_fast.tables.state_table import NO_STATE, ROOT

PERFT = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


def test_the_states_are_those_of_the_reference_in_the_same_order(table, reference_states):
    assert table.num_states == len(reference_states) == 5478
    assert [tuple(board) for board in boards_of(table).tolist()] == reference_states


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
    assert np.bincount(table.ply).tolist() == np.diff(table.ply_start).tolist() == [counted[ply] for ply in range(10)]


def test_children_come_after_their_parents(table):
    parents, actions = table.legal_action_mask.nonzero()
    assert (table.child[parents, actions] > parents).all()
    assert set(table.child[parents, actions].tolist()) == set(range(1, 5478))
    assert boards_of(table)[ROOT].tolist() == [0] * 9


@pytest.mark.parametrize(
    ("field", "dtype", "shape"),
    [
        ("edge_start", np.int32, (5479,)),
        ("edge_action", np.uint8, (16167,)),
        ("edge_child", np.int32, (16167,)),
        ("edge_state", np.int32, (16167,)),
        ("ply_start", np.int32, (11,)),
        ("key", np.uint64, (5478,)),
        ("key_order", np.int32, (5478,)),
        ("child", np.int32, (5478, 9)),
        ("legal_action_mask", np.bool_, (5478, 9)),
        ("decision_mask", np.bool_, (5478,)),
        ("status", np.int8, (5478,)),
        ("player", np.int8, (5478,)),
        ("ply", np.int8, (5478,)),
        (boards_of, np.uint8, (5478, 9)),
        (index_of_code, np.int32, (19683,)),
    ],
)
def test_arrays_are_read_only_contiguous_and_of_the_promised_type(table, field, dtype, shape):
    array = field(table) if callable(field) else getattr(table, field)
    assert (array.dtype, array.shape) == (dtype, shape)
    assert array.flags.c_contiguous and not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0


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
        code = sum(mark * 3**cell for cell, mark in enumerate(board))
        assert index_of_code(table)[code] == position.get(board, NO_STATE)
        if board in position:
            digits = "".join(map(str, board))
            assert table.state_index(digits) == table.state_index(reference.text(board)) == position[board]
        else:
            with pytest.raises(BoardError, match="expected "):
                table.state_index(reference.text(board))


@given(st.integers(0, 5477))
def test_index_board_and_state_are_inverse(state):
    table = table_of("tic-tac-toe")
    assert table.state_index(table.board(state)) == state
    assert table.index_of(table.state(state)) == state


@pytest.mark.parametrize(
    ("board", "reason"),
    [
        ("XX.......", "2 and 0"),
        ("O........", "0 and 1"),
        ("XXXOOO...", "play after a win"),
        ("XXXOOO.X.", "play after a win"),
        ("XXXXXXXX", "9 characters"),
        ("XO3......", "'3'"),
    ],
)
def test_impossible_boards_say_why(table, board, reason):
    with pytest.raises(BoardError) as caught:
        table.state_index(board)
    message = str(caught.value)
    assert reason in message and repr(board) in message and "\n" not in message


def test_rows_of_edges_and_back(table):
    numbers = np.random.default_rng(0).random(table.num_edges)
    rows = table.dense(numbers, -1.0)
    assert (rows[~table.legal_action_mask] == -1).all()
    np.testing.assert_array_equal(table.of_edges(rows), numbers)
    legal = np.where(table.legal_action_mask, rows, 0)
    np.testing.assert_allclose(table.row_sums(numbers), legal.sum(axis=1), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(table.row_max(numbers), legal.max(axis=1))
    few = table.of_edges(np.random.default_rng(1).integers(0, 2, table.child.shape))
    best, rows = table.first_best_edges(few), table.dense(few, -1)
    np.testing.assert_array_equal(
        table.edge_action[best][table.decision_mask], rows.argmax(axis=1)[table.decision_mask]
    )
    assert not best[~table.decision_mask].any()
    counts = table.row_sums(np.ones(table.num_edges, np.bool_))
    np.testing.assert_array_equal(counts, table.legal_action_mask.sum(axis=1))
