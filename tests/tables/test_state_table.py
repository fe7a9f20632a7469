"""The table of states against the reference, which enumerates with dictionaries."""

from itertools import product

import numpy as np
import pytest

import reference
from ttt_fast import BoardError, TableSizeError, parse_game, table_of
from ttt_fast.tables import find_table, has_table, loaded
from ttt_fast.tables.state_table import NO_STATE, boards_of, index_of_code


@pytest.mark.parametrize(
    ("field", "dtype", "shape"),
    [
        ("edge_start", np.int32, (5479,)),
        ("edge_action", np.uint8, (16167,)),
        ("edge_child", np.int32, (16167,)),
        ("edge_state", np.int32, (16167,)),
        ("ply_start", np.int32, (11,)),
        ("key", np.uint64, (5478,)),
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


# --- One table for each game, and none for those that are too large.

CONNECT = "connect4:columns=4,rows=4,length=3"


@pytest.mark.parametrize(
    ("spec", "others"),
    [
        ("tic-tac-toe", [" tic-tac-toe ", "tic-tac-toe:misere=no"]),
        ("tic-tac-toe:misere=yes", ["tic-tac-toe: misere = yes"]),
        (CONNECT, ["connect4:length=3,rows=4,columns=4"]),
    ],
)
def test_every_spelling_of_a_game_has_the_same_table(spec, others):
    for other in [spec, *others]:
        assert table_of(other) is table_of(parse_game(other)) is find_table(other) is table_of(spec)
        assert table_of(other).game == parse_game(other)


def test_other_games_have_other_tables():
    names = ["tic-tac-toe", "tic-tac-toe:misere=yes", CONNECT, "connect4:columns=3,rows=3,length=3"]
    assert len({id(table_of(name)) for name in names}) == len({table_of(name).fingerprint for name in names}) == 4


@pytest.mark.parametrize(
    ("spec", "limit", "words"),
    [
        (
            "connect4",
            1_000_000,
            r"at most 1,000,000 states, got 'connect4', which has up to 7\.07e\+13 states \(4e\+06 GiB",
        ),
        ("connect4", 10**9, r"at most 1,000,000,000 states, got 'connect4', which has up to 7\.07e\+13 "),
        ("ultimate", 10**18, r"^expected a game whose states can be enumerated, got 'ultimate'$"),
        (
            CONNECT,
            10_000,
            rf"at most 10,000 states, got '{CONNECT}', which has up to 2\.02e\+05 states \(0\.011 GiB\)$",
        ),
        (
            CONNECT,
            41_749,
            rf"at most 41,749 states, got '{CONNECT}', which has more than 41,749 states$",
        ),
        ("tic-tac-toe", 5_477, r"got 'tic-tac-toe', which has more than 5,477 states$"),
    ],
)
def test_a_game_that_is_too_large_says_so(monkeypatch, spec, limit, words):
    monkeypatch.setattr(loaded, "_tables", {})
    monkeypatch.setattr(loaded, "_too_large", {})
    monkeypatch.setattr(loaded, "_from_disk", lambda game, limit: None)
    for _ in range(2):
        with pytest.raises(TableSizeError, match=words) as caught:
            table_of(spec, limit)
        assert caught.value.exit_code == 2 and "\n" not in str(caught.value)


def test_a_limit_holds_for_a_table_that_is_there_already(table):
    with pytest.raises(TableSizeError, match=r"at most 5,477 states, got 'tic-tac-toe', which has 5,478 "):
        table_of("tic-tac-toe", 5_477)
    assert table_of("tic-tac-toe", 5_478) is table


def test_a_game_that_is_too_large_is_enumerated_once(monkeypatch):
    calls = []

    def refuse(game, limit):
        calls.append(limit)
        raise TableSizeError("no")

    monkeypatch.setattr(loaded, "enumerate_game", refuse)
    monkeypatch.setattr(loaded, "_tables", {})
    monkeypatch.setattr(loaded, "_too_large", {})
    monkeypatch.setattr(loaded, "_from_disk", lambda game, limit: None)
    assert [has_table(CONNECT), find_table(CONNECT), find_table(CONNECT)] == [False, None, None]
    for limit in (500_000, 2_000_000, 2_000_000):
        with pytest.raises(TableSizeError):
            table_of(CONNECT, limit)
    assert calls == [1_000_000, 2_000_000]
