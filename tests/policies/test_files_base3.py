"""Smirnov's text tables."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ttt_fast import FileFormatError, Policy, UsageError, load_policy, save_policy, table_of
from ttt_fast.policies.files.base3_text import format_base3

TABLE = table_of("tic-tac-toe")
FIRST = Policy.from_values(TABLE, np.zeros(TABLE.child.shape), "first")
TOKENS = format_base3(FIRST).split()[:-1]


def code(board):
    return sum(".XO".index(mark) * 3**cell for cell, mark in enumerate(board))


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_deterministic_policy_comes_back_and_the_text_does_too(tmp_path_factory, seed):
    values = np.random.default_rng(seed).random(TABLE.child.shape)
    policy = Policy.from_values(TABLE, values)
    path = tmp_path_factory.mktemp("txt") / "p.txt"
    save_policy(path, policy)
    again = load_policy(path, TABLE)
    assert np.array_equal(again.weights, policy.weights)
    assert np.array_equal(again.held, TABLE.decision_mask)
    assert format_base3(again).encode() == path.read_bytes()


def test_the_layout_is_base_3_with_the_first_cell_as_the_lowest_digit():
    assert len(TOKENS) == 19683
    assert TOKENS[code(".........")] == "0"
    assert TOKENS[code("X........")] == TOKENS[1] == "1"
    assert TOKENS[code("XO.......")] == TOKENS[1 + 2 * 3] == "2"
    assert TOKENS[code("XXXOO....")] == "-1"  # a finished game
    assert TOKENS[code("XXX......")] == "-1"  # never reached
    assert sum(token != "-1" for token in TOKENS) == 4520


@pytest.mark.parametrize(
    "text",
    [
        " ".join(TOKENS) + " .",
        " ".join(TOKENS) + ".",
        "\n".join(TOKENS) + "\n.\n",
        "\r\n".join(TOKENS) + "\r\n.\r\n\r\n",
        "  " + "\t".join(TOKENS) + " . ",
        "\ufeff" + " ".join(TOKENS) + ".",
    ],
    ids=["spaces", "attached", "newlines", "windows", "tabs", "byte order mark"],
)
def test_any_white_space_separates_and_the_stop_may_be_attached(tmp_path, text):
    path = tmp_path / "p.txt"
    path.write_bytes(text.encode())
    assert np.array_equal(load_policy(path, TABLE).weights, FIRST.weights)


def with_token(board, token):
    tokens = list(TOKENS)
    tokens[code(board)] = token
    return " ".join(tokens) + " ."


def test_states_without_a_move_are_not_held_and_play_the_first_cell(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text(with_token("X........", "-1"))
    policy = load_policy(path, TABLE)
    state = TABLE.state_index("X........")
    assert policy.greedy_actions()[state] == 1
    assert np.flatnonzero(TABLE.decision_mask & ~policy.held).tolist() == [state]


def test_boards_that_are_never_reached_do_not_matter(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text(with_token("XXX......", "0"))
    assert np.array_equal(load_policy(path, TABLE).weights, FIRST.weights)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"expected 19683 moves and '\.'"),
        (" ".join(TOKENS), r"expected 19683 moves and '\.'"),
        (".", "expected 19683 moves, got 0"),
        (" ".join(TOKENS[1:]) + ".", "expected 19683 moves, got 19682"),
        (" ".join([*TOKENS, "0"]) + ".", "expected 19683 moves, got 19684"),
        (with_token("X........", "9"), "expected moves from -1 to 8, got '9'"),
        (with_token("X........", "٣" * 90), "expected moves from -1 to 8"),
        (with_token("X........", "0"), r"expected a legal move at 'X\.\.\.\.\.\.\.\.', got 0"),
        (with_token("XXXOO....", "5"), r"expected a legal move at 'XXXOO\.\.\.\.', got 5"),
        (" " * (1 << 20) + ".", "expected at most 1048576 bytes, got more"),
    ],
    ids=lambda value: value[:24],
)
def test_damage_is_told_in_one_line(tmp_path, text, message):
    path = tmp_path / "p.txt"
    path.write_bytes(text.encode())
    with pytest.raises(FileFormatError, match=message) as caught:
        load_policy(path, TABLE)
    assert str(caught.value).startswith(repr(str(path)))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_only_a_deterministic_policy_is_written(tmp_path):
    path = tmp_path / "p.txt"
    save_policy(path, FIRST)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=r"expected a deterministic policy.*'random'.*'\.\.\.\.\.\.\.\.\.'"):
        save_policy(path, Policy.uniform(TABLE))
    assert path.read_bytes() == before
