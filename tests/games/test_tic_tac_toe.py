"""The rules, and boards as text."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import reference
from ttt_fast.core.errors import BoardError
from ttt_fast.games import tic_tac_toe as rules

MARKS = st.tuples(*[st.integers(0, 2)] * 9)


@given(MARKS)
def test_format_and_parse_are_inverse(board):
    assert rules.parse_board(rules.format_board(board)) == board
    assert rules.format_board(np.array(board, np.uint8)) == reference.text(board)


@given(st.text("XO.", min_size=9, max_size=9))
def test_parse_and_format_are_inverse(text):
    assert rules.format_board(rules.parse_board(text)) == text


@pytest.mark.parametrize("text", ["xo..x...o", "XO__X___O", "XO--X---O", "120010002", "Xo._1-0.2"])
def test_accepted_spellings(text):
    assert rules.parse_board(text) == (1, 2, 0, 0, 1, 0, 0, 0, 2)


@pytest.mark.parametrize("text", ["", "XO", "X" * 8, "X" * 10, "XO..X...?", "XO..X...3", "XO. X...O", "XO\n.X...O"])
def test_other_texts_are_refused_in_one_line_that_shows_them(text):
    with pytest.raises(BoardError) as caught:
        rules.parse_board(text)
    message = str(caught.value)
    assert message.startswith("expected ") and repr(text) in message and "\n" not in message


@given(st.text(max_size=12))
def test_any_text_is_a_board_or_a_one_line_error(text):
    try:
        board = rules.parse_board(text)
    except BoardError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert len(board) == 9 and set(board) <= {0, 1, 2}


def test_the_lines_are_those_of_the_reference():
    assert sorted(rules.LINES) == sorted(reference.LINES)


def test_contains_line_equals_the_reference_on_every_set_of_cells():
    for marks in range(512):
        board = tuple(marks >> cell & 1 for cell in range(9))
        assert rules.contains_line(marks) == (reference.winner(board) == 1)
