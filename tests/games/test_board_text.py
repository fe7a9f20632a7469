"""Boards as text: numbers and notes in free cells, styles of marks; `terminal/test_boards.py` has more of them."""

import pytest

from ttt_fast import parse_game, table_from_functions


def lines_of(spec, moves, notes=None):
    game = parse_game(spec)
    return str(game.drawing(game.state_after(moves), notes or {})).splitlines()


def test_a_board_that_is_full():
    assert lines_of("tic-tac-toe", "041278635")[::2] == [" X │ X │ O ", " O │ O │ X ", " X │ X │ O "]


def test_numbers_of_two_digits_widen_every_column():
    first, _, second = lines_of("tic-tac-toe:rows=2,columns=6", "0 11")
    assert first == " X  │ 1  │ 2  │ 3  │ 4  │ 5  " and second == " 6  │ 7  │ 8  │ 9  │ 10 │ O  "


def test_a_board_with_notes_has_even_columns():
    lines = lines_of("tic-tac-toe", "0", {1: "win 3", 0: "not here"})
    assert "1 win 3" in lines[0] and "8" in lines[4] and "not" not in lines[0]
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
    def result(state):
        return None if state == "ab/cd" else 0

    sides = table_from_functions("ab/cd", lambda _: ["left", "right"], lambda _, side: side, result, name="sides")
    game = sides.game
    assert game.drawing(game.initial_state, {1: "wins"}) == (("ab\ncd\n", ""), ("right: wins\n", "note"))
