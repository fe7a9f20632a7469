"""Boards of every game as a person sees them."""

import random

import pytest
from hypothesis import given, settings, strategies as st

from ttt_fast import parse_game
from ttt_fast.games import api
from ttt_fast.terminal.boards import BoardView, turn_text

GAMES = [parse_game(spec) for spec in ("tic-tac-toe", "connect4", "connect4:columns=20,rows=2", "ultimate")]


BOARD_1_IS_WON = "11 12 24 41 14 47 77 71 17 72 21"
"""X holds its column 1, 4, 7, and has sent O there."""


def drawn(spec: str, moves: str, values: dict[int, str] | None = None) -> list[str]:
    game = parse_game(spec)
    return BoardView(game).draw(game.state_after(moves), values or {}).plain.splitlines()


def test_tic_tac_toe_numbers_its_free_cells():
    assert drawn("tic-tac-toe", "40")[0] == " O │ 1 │ 2 "
    assert drawn("tic-tac-toe", "40", {1: "win 3"})[0].split("│")[1].strip() == "1 win 3"


def test_connect_four_numbers_its_columns_and_keeps_its_width_with_values():
    small = "connect4:columns=4,rows=2,length=3"
    lines = drawn(small, "223", {0: "+0.1", 2: "-0.25"})
    assert lines == [*drawn(small, "223"), "  1: +0.1    3: -0.25"]
    assert lines[:4] == ["│ · O · · │", "│ · X X · │", "└─────────┘", "  1 2 3 4"]


LAST_AND_LINES = {
    "tic-tac-toe": ("03142", 2, ["[X]│[X]│[X]", " O │ O │ · "]),
    "connect4:columns=4,rows=3,length=3": ("1122", 1, ["│ · · · · │", "│ O(O)· · │", "│ X X · · │"]),
    "connect4:columns=4,rows=2,length=3": ("11223", 2, ["│ O O · · │", "│[X X X]· │"]),
    "connect4:columns=4,rows=4,length=3": ("12131", 0, ["│ · · · · │", "│[X]· · · │", "│[X]· · · │", "│[X]O O · │"]),
}


@pytest.mark.parametrize("spec", LAST_AND_LINES)
def test_the_last_move_and_the_line_that_wins_are_marked(spec):
    moves, last, expected = LAST_AND_LINES[spec]
    game = parse_game(spec)
    lines = BoardView(game).draw(game.state_after(moves), {}, last).plain.splitlines()
    assert [line for line in lines if "┼" not in line][: len(expected)] == expected


def test_how_a_move_is_spelled():
    helps = {spec: BoardView(parse_game(spec)).move_help for spec in ("tic-tac-toe:rows=3,columns=4", "connect4")}
    assert list(helps.values()) == ["a cell 0 to 11 to play there", "a column 1 to 7 to drop a stone"]
    for columns, last, more in (
        (16, "g", ""),
        (17, "h", " (a letter is a column first: write hint, undo, new and quit)"),
    ):
        game = parse_game(f"connect4:columns={columns},rows=2,length=2")
        assert BoardView(game).move_help == f"a column 1 to {last} to drop a stone{more}"


def test_a_line_of_boards_is_named():
    game = parse_game("ultimate")
    state, generator = game.initial_state, random.Random(3)
    while api.status(state) != api.X_WINS:
        if api.status(state) != api.ONGOING:
            state = game.initial_state
        state = api.play(state, generator.choice(api.legal_actions(state)))
    last = BoardView(game).draw(state, {}).plain.splitlines()[-1]
    named = sorted(int(word.strip(",")) - 1 for word in last.partition("with boards ")[2].split())
    assert tuple(named) in {(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)}


def test_ultimate_marks_the_board_in_which_to_play():
    lines = drawn("ultimate", "55 51")
    assert lines[0].split("│")[0].strip() == "[1]"
    assert lines[1].split("│") == [" 1 2 3 ", " · · · ", " · · · "]
    assert lines[6].split("│") == [" · · · ", "(O)· · ", " · · · "]
    assert lines[7].split("│") == [" · · · ", " · X · ", " · · · "]
    assert lines[-1] == "last move 51; X to move in board 1"
    assert drawn("ultimate", "")[-1] == "X to move anywhere"


def test_ultimate_names_who_has_won_a_board():
    lines = drawn("ultimate", BOARD_1_IS_WON)
    assert lines[0].split("│")[0].strip() == "1 = X"
    assert lines[1].split("│")[0] == " X O · "
    assert lines[0].split("│")[1].strip() == "[2]"
    assert lines[-1] == "last move 21; O to move anywhere"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.spec)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(words=st.lists(st.integers(0, 2**64 - 1), max_size=81), value=st.text("+-.019", max_size=7))
def test_every_position_is_drawn_with_even_columns_and_all_its_marks(game, words, value):
    state = game.initial_state
    for word in words:
        if api.status(state) == api.ONGOING:
            state = api.play(state, api.random_action(state, word))
    legal = api.legal_actions(state)
    lines = BoardView(game).draw(state, dict.fromkeys(legal, value)).plain.splitlines()
    text = game.format_position(state).upper()
    board = [line for line in lines if "│" in line and "=" not in line]
    marks = "".join(board)
    assert [marks.count(mark) for mark in "XO"] == [text.count(mark) for mark in "XO"]
    assert len({len(line) for line in board}) == 1
    assert turn_text(game, state)


@pytest.mark.parametrize(
    ("spec", "moves", "move", "words"),
    [
        ("tic-tac-toe", "4", "4", "cell 4 is taken"),
        ("connect4:rows=4,columns=4", "1111", "1", "column 1 is full"),
        ("ultimate", "55 51", "21", "must be in board 1"),
        ("ultimate", "55", "55", "cell 55 is taken"),
        ("ultimate", BOARD_1_IS_WON, "13", "board 1 is won by X"),
    ],
)
def test_why_a_move_is_illegal(spec, moves, move, words):
    game = parse_game(spec)
    action = game.kind.text.parse_action(move, game.initial_state)
    assert words in game.board(game.state_after(moves)).why_illegal(action)


def test_whose_turn_it_is():
    ultimate, connect = parse_game("ultimate"), parse_game("connect4:columns=4,rows=2,length=3")
    assert turn_text(ultimate, ultimate.state_after("53")) == "O to move in board 3"
    assert turn_text(connect, connect.state_after("112")) == "O to move"
    assert turn_text(connect, connect.state_after("11223")) == "the game is over: X has won"
    assert turn_text(connect, connect.state_after("12341234")) == "the game is over: drawn"
