"""Boards of nine as text, and lines in sets of cells."""

import numpy as np
from hypothesis import given, strategies as st

import reference
from ttt_fast import BoardError
from ttt_fast.games import tic_tac_toe as rules


@given(st.tuples(*[st.integers(0, 2)] * 9))
def test_format_and_parse_are_inverse(board):
    assert rules.parse_board(rules.format_board(board)) == board
    assert rules.format_board(np.array(board, np.uint8)) == reference.text(board)


@given(st.text(max_size=12) | st.text("XO.", min_size=9, max_size=9))
def test_any_text_is_a_board_or_a_one_line_error(text):
    try:
        board = rules.parse_board(text)
    except BoardError as error:
        assert len(str(error).splitlines()) == 1 and (len(text) != 9 or set(text) - set("XO."))
    else:
        assert (
            len(board) == 9
            and set(board) <= {0, 1, 2}
            and (set(text) - set("XO.") or rules.format_board(board) == text)
        )


def test_lines_equal_the_reference_on_every_set_of_cells():
    assert sorted(rules.LINES) == sorted(reference.LINES)
    for marks in range(512):
        board = tuple(marks >> cell & 1 for cell in range(9))
        assert rules.contains_line(marks) == (reference.winner(board) == 1)
