"""Langan's files."""

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_fast.core.errors import FileFormatError, FileWriteError, UsageError
from ttt_fast.policies.files import load_policy
from ttt_fast.policies.files.langan import (
    CELL_OF_ACTION,
    LanganTable,
    from_q_table,
    read_langan,
    to_policy,
    write_langan,
)
from ttt_fast.policies.q_policy import greedy_policy
from ttt_fast.tables import solution_of, table_of

TABLE = table_of("tic-tac-toe")
OPTIMAL = TABLE.dense(solution_of(TABLE).optimal)
PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "langan"
AGREEMENT = {
    "q_random_100m.dat": (2422, 2423),
    "self_play_p1.dat": (3072, 4433),
    "self_play_p2.dat": (2947, 4432),
}
"""States in which the greedy action keeps the minimax value, and states held (Langan, tables 1 and 3)."""


def encoded(rows, count=None):
    """The bytes of rows (board, nine values), written with struct."""
    content = struct.pack("<Q", len(rows) if count is None else count)
    for board, values in rows:
        content += struct.pack("<Q", len(board)) + board.encode("latin-1") + struct.pack("<9d", *values)
    return content


ROWS = [("000000000", range(9)), ("000010002", [0.5] * 9), ("100000000", [-1.0, *[0.0] * 8])]


def agreement(policy):
    states = np.flatnonzero(policy.held)
    best = OPTIMAL[states, policy.greedy_actions()[states]]
    return int(best.sum()), states.size


@pytest.mark.parametrize("path", [None, *(path for path in [PUBLISHED / name for name in AGREEMENT] if path.exists())])
def test_agreement_with_minimax_is_as_counted_on_the_source(tmp_path, path):
    if path is None:  # a clone alone: a perfect player, and one that is wrong in every state where it can be
        q_table = OPTIMAL.astype(np.float64)
        held = TABLE.decision_mask
        path = tmp_path / "perfect.dat"
        write_langan(path, from_q_table(q_table, held, TABLE))
        assert agreement(load_policy(path, TABLE)) == (4520, 4520)
        all_good = int((OPTIMAL == TABLE.legal_action_mask).all(axis=1)[held].sum())
        assert agreement(to_policy(from_q_table(-q_table, held, TABLE), "wrong", TABLE)) == (all_good, 4520)
        return
    assert agreement(load_policy(path, TABLE)) == AGREEMENT[path.name]
    write_langan(tmp_path / "again.dat", read_langan(path, TABLE))
    assert (tmp_path / "again.dat").read_bytes() == path.read_bytes()


def test_rows_are_read_as_they_stand_in_the_file(tmp_path):
    path = tmp_path / "t.dat"
    path.write_bytes(encoded(ROWS))
    rows = read_langan(path, TABLE)
    assert rows.boards == [board for board, _ in ROWS]
    assert rows.q.tolist() == [list(values) for _, values in ROWS]
    write_langan(path, rows)
    assert path.read_bytes() == encoded(ROWS)


def test_actions_are_counted_from_the_bottom_row(tmp_path):
    path = tmp_path / "t.dat"
    path.write_bytes(encoded(ROWS))
    policy = load_policy(path, TABLE)
    # Its action 8 is the top right cell; a tie goes to its action 0, the bottom left cell, unless it is taken.
    assert policy.greedy_actions()[TABLE.state_index(".........")] == 2
    assert policy.greedy_actions()[TABLE.state_index("....X...O")] == 6
    assert policy.greedy_actions()[TABLE.state_index("X........")] == 7
    assert policy.greedy_actions()[TABLE.state_index("......X..")] == 7  # a board without a row
    assert np.flatnonzero(policy.held).tolist() == sorted(TABLE.state_index(board) for board, _ in ROWS)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), share=st.floats(0, 1))
def test_a_q_table_comes_back_as_it_was(tmp_path_factory, seed, share):
    rng = np.random.default_rng(seed)
    q_table = rng.integers(-2, 3, TABLE.child.shape).astype(np.float64)
    held = rng.random(TABLE.num_states) < share
    rows = from_q_table(q_table, held, TABLE)
    path = tmp_path_factory.mktemp("dat") / "t.dat"
    write_langan(path, rows)
    again = read_langan(path, TABLE)
    assert again.boards == rows.boards
    assert np.array_equal(again.q, rows.q)
    policy = to_policy(again, "it", TABLE)
    expected = greedy_policy(TABLE, q_table, held=held, tie=CELL_OF_ACTION)
    assert np.array_equal(policy.weights, expected.weights)
    assert np.array_equal(policy.held, expected.held)


def test_rows_of_finished_games_are_read_and_not_held(tmp_path):
    path = tmp_path / "t.dat"
    path.write_bytes(encoded([("111220000", [1.0] * 9)]))
    assert not load_policy(path, TABLE).held.any()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (encoded(ROWS, count=2), "expected the number of rows"),
        (encoded(ROWS, count=2**64 - 1), "expected the number of rows"),
        (encoded(ROWS)[:-1], "expected the number of rows"),
        (encoded(ROWS) + b"\0", "expected the number of rows"),
        (encoded([("00000000", [0] * 9)]), "expected the number of rows"),
        (struct.pack("<QQ", 1, 8) + b"0" * 9 + bytes(72), "row 0: expected a board of 9 digits"),
        (
            encoded([*ROWS, ("00000003.", [0] * 9)]),
            "row 3: expected a board of 9 digits 0, 1 or 2, got b'00000003.'",
        ),
        (encoded([*ROWS, ("\n\xff0000000", [0] * 9)]), "row 3: expected a board of 9 digits"),
        (
            encoded([*ROWS, ("200000000", [0] * 9)]),
            "row 3: expected a board that legal play reaches, got '200000000'",
        ),
        (encoded([*ROWS, ("111222000", [0] * 9)]), "row 3: expected a board that legal play reaches"),
        (encoded([*ROWS, ROWS[1]]), "row 3: expected each board once, got '000010002' again"),
        (encoded([*ROWS, ("000000001", [float("nan")] * 9)]), "row 3 .*expected finite values"),
        (encoded([*ROWS, ("000000001", [float("inf")] * 9)]), "row 3 .*expected finite values"),
    ],
)
def test_damage_is_told_with_its_row(tmp_path, content, message):
    path = tmp_path / "t.dat"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_langan(path, TABLE)
    assert str(caught.value).startswith(repr(str(path)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "rows",
    [
        LanganTable(["00000000"], np.zeros((1, 9))),
        LanganTable(["00000000", "0000000000"], np.zeros((2, 9))),
        LanganTable(["........."], np.zeros((1, 9))),
        LanganTable(["000000000"], np.zeros((2, 9))),
    ],
)
def test_rows_that_cannot_be_read_back_are_not_written(tmp_path, rows):
    with pytest.raises(UsageError, match="expected boards of 9 digits"):
        write_langan(tmp_path / "t.dat", rows)
    assert list(tmp_path.iterdir()) == []


def test_writing_into_a_missing_folder_is_one_line(tmp_path):
    with pytest.raises(FileWriteError, match="no such file or directory"):
        write_langan(tmp_path / "missing" / "t.dat", LanganTable([], np.zeros((0, 9))))
