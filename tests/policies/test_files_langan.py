"""Langan's files."""

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from conftest import SHARED
from langan_file import encoded, encoded_table
from ttt_fast import (
    FileFormatError,
    Policy,
    UsageError,
    exact_fractions,
    load_policy,
    never_loses,
    save_policy,
    solution_of,
    table_of,
)
from ttt_fast.policies.files.langan import CELL_OF_ACTION, format_table, parse

TABLE = table_of("tic-tac-toe")
OPTIMAL = TABLE.dense(solution_of(TABLE).optimal)
PUBLISHED = SHARED / "data" / "langan"
AGREEMENT = {
    "q_random_100m.dat": (2422, 2423),
    "self_play_p1.dat": (3072, 4433),
    "self_play_p2.dat": (2947, 4432),
}
"""States in which the greedy action keeps the minimax value, and states held (Langan, tables 1 and 3)."""


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
        path.write_bytes(encoded_table(q_table, held, TABLE))
        assert agreement(load_policy(path, TABLE)) == (4520, 4520)
        all_good = int((OPTIMAL == TABLE.legal_action_mask).all(axis=1)[held].sum())
        assert agreement(parse(encoded_table(-q_table, held, TABLE), "wrong", TABLE)) == (all_good, 4520)
        return
    policy = load_policy(path, TABLE)
    assert agreement(policy) == AGREEMENT[path.name]
    if path.name.startswith("q_random"):  # the end that FINDINGS states
        assert exact_fractions(policy, "random") == (Fraction(95, 96), Fraction(1, 96), 0) and never_loses(policy, 1)


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
def test_a_q_table_is_played_as_it_is(seed, share):
    rng = np.random.default_rng(seed)
    q_table = rng.integers(-2, 3, TABLE.child.shape).astype(np.float64)
    held = rng.random(TABLE.num_states) < share
    policy = parse(encoded_table(q_table, held, TABLE), "it", TABLE)
    expected = Policy.from_values(TABLE, q_table, held=held, tie=CELL_OF_ACTION)
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
        (encoded(ROWS)[:-1], "expected the number of rows"),
        (encoded(ROWS) + b"\0", "expected the number of rows"),
        (struct.pack("<QQ", 1, 8) + b"0" * 9 + bytes(72), "row 0: expected a board of 9 digits"),
        (
            encoded([*ROWS, ("00000003.", [0] * 9)]),
            "row 3: expected a board of 9 digits 0, 1 or 2, got '00000003.'",
        ),
        (encoded([*ROWS, ("\n\xff0000000", [0] * 9)]), "row 3: expected a board of 9 digits"),
        (
            encoded([*ROWS, ("200000000", [0] * 9)]),
            "row 3: expected a board that legal play reaches, got '200000000'",
        ),
        (encoded([*ROWS, ("111222000", [0] * 9)]), "row 3: expected a board that legal play reaches"),
        (encoded([*ROWS, ROWS[1]]), "row 3: expected each board once, got '000010002' again"),
        (encoded([*ROWS, ("000000001", [float("nan")] * 9)]), "row 3: expected finite values, got '000000001'"),
    ],
)
def test_damage_is_told_with_its_row(tmp_path, content, message):
    path = tmp_path / "t.dat"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message) as caught:
        load_policy(path, TABLE)
    assert str(caught.value).startswith(repr(str(path)))
    assert "\n" not in str(caught.value)


def test_a_written_policy_is_read_as_it_was(tmp_path):
    path = tmp_path / "first.dat"
    policy = Policy.from_values(TABLE, np.random.default_rng(1).random(TABLE.num_edges), "any", tie="first")
    save_policy(path, policy)
    assert np.array_equal(load_policy(path, TABLE).greedy_actions(), policy.greedy_actions())
    assert path.stat().st_size == 8 + 89 * 4520
    q_table = np.where(TABLE.legal_action_mask, np.random.default_rng(2).normal(size=TABLE.child.shape), 0.0)
    held = TABLE.decision_mask & (np.arange(TABLE.num_states) % 3 == 0)
    assert format_table(TABLE, q_table, held) == encoded_table(q_table, held, TABLE)


def test_a_policy_that_draws_its_moves_is_refused_and_the_old_file_stays(tmp_path):
    path = tmp_path / "random.dat"
    path.write_bytes(b"old")
    with pytest.raises(UsageError, match=r"expected a policy with one move in each state for a \.dat file"):
        save_policy(path, Policy.uniform(TABLE))
    assert path.read_bytes() == b"old"
