"""Boards as text: even columns, numbers and notes in free cells, styles of marks."""

import pytest

from ttt_fast import parse_game
from ttt_fast.games.board import Board
from ttt_fast.games.board_text import Span, drawn


def cells(*rows, notes=None, legal=()):
    """The lines of a board of cells."""
    moves = tuple(map(str, range(sum(map(len, rows)))))
    return str(drawn(Board("cells", "/".join(rows), rows, moves, legal), notes or {})).splitlines()


def test_a_board():
    assert cells("XO.", ".X.", "..O") == [" X │ O │ · ", "───┼───┼───", " · │ X │ · ", "───┼───┼───", " · │ · │ O "]


def test_a_board_of_another_shape():
    assert cells("XO..") == [" X │ O │ · │ · "]
    assert cells("." * 9, "XO.......", legal=(11,))[2] == " X  │ O  │ 11 │ ·  │ ·  │ ·  │ ·  │ ·  │ ·  "


def test_a_board_with_notes_has_even_columns():
    lines = cells("X..", "...", "...", notes={1: "win 3", 0: "not here"}, legal=(1, 8))
    assert "1 win 3" in lines[0] and "8" in lines[4] and "0" not in lines[0]
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", "ultimate"])
def test_the_spans_have_the_styles_of_their_marks(spec):
    game = parse_game(spec)
    state = game.play(game.initial_state, 4)
    spans = game.drawing(state, {0: "note"})
    assert str(spans) == "".join(span.text for span in spans)
    styles = [style for text, style in spans if text.strip(" ()") == "X"]
    assert styles == ["x last" if spec == "ultimate" else "x"]
    assert ("note" in {style for _, style in spans}) == (spec != "tic-tac-toe")


def test_the_last_move_of_ultimate_is_in_brackets_where_there_is_room():
    game = parse_game("ultimate")
    narrow, wide = (str(game.drawing(game.state_after("55 51"), notes)) for notes in ({}, {0: "+0.5"}))
    assert "(O)" in narrow and "(" not in wide and "+0.5" in wide


def test_a_text_has_its_notes_in_lines():
    board = Board("text", "ab/cd", (), ("left", "right"), (0, 1))
    assert drawn(board, {1: "wins"}) == (Span("ab\ncd\n"), Span("right: wins\n", "note"))
