"""Boards as cells: marks, the last move, and the line that ended the game."""

import pytest

import ttt_fast
from ttt_fast import UsageError, parse_game
from ttt_fast.games import api

CASES = {
    "tic-tac-toe": "03142",
    "tic-tac-toe:rows=3,columns=4": "1 5 2 6 3",
    "connect4": "1212121",
    "ultimate": "29 92 25 52 24 48 88 87 74 42 26",
    "ultimate:closed=stay": "11 12",
}


SPECS = [pytest.param(spec, marks=pytest.mark.slow) if "closed=stay" in spec else spec for spec in CASES]


@pytest.mark.parametrize("spec", SPECS)
def test_each_move_marks_one_cell(spec):
    game = parse_game(spec)
    state, actions = game.initial_state, game.parse_moves(CASES[spec])
    for action in actions:
        seat, before = api.player(state), game.board(state)
        state = api.play(state, action)
        board = game.board(state, action)
        row, column = board.last
        assert before.rows[row][column] == "." and board.rows[row][column] == "XO"[seat - 1]
        changed = sum(one != other for one, other in zip("".join(before.rows), "".join(board.rows), strict=True))
        assert changed == 1 and (board.kind == "columns" or board.number_of(board.last) == action)
    assert str(state) == "\n".join(board.rows)
    ended = api.status(state) in (api.X_WINS, api.O_WINS)
    assert bool(board.line) == ended and all(board.rows[r][c] == "X" for r, c in board.line)


@pytest.mark.parametrize("spec", SPECS)
def test_every_cell_has_a_number_of_its_own(spec):
    game = parse_game(spec)
    board = game.board(game.initial_state)
    assert sorted(map(board.number_of, board.places)) == list(range(len(board.places)))
    assert board.last is None and not board.line


def test_the_winners_of_small_boards():
    game = parse_game("ultimate")
    state = game.state_after("29 92 25 52 24 48 88 87 74 42 26")
    assert game.board(state).small.winners == ".X......."
    assert parse_game("connect4").board(parse_game("connect4").initial_state).small.winners == ""


def test_a_game_without_cells_has_no_board():
    ttt_fast.table_from_functions(
        3, lambda state: [1], lambda state, taken: state - taken, lambda state: None if state else 1, name="three"
    )
    game = parse_game("three")
    board = game.board(game.initial_state)
    assert (board.kind, board.rows, board.places, board.last) == ("text", (), [], None)
    assert str(board) == board.text == game.format_position(game.initial_state)
    with pytest.raises(UsageError, match="expected a game with a board of cells for a picture, got 'three'"):
        game.svg(game.initial_state)
    assert str(game.initial_state).startswith("GraphState(")


@pytest.mark.parametrize(
    ("spec", "closed", "target"),
    [("ultimate", {0}, None), pytest.param("ultimate:closed=stay", set(), 0, marks=pytest.mark.slow)],
)
def test_small_boards_that_are_won_close_or_stay(spec, closed, target):
    game = parse_game(spec)
    moves = "11 12 24 41 14 47 77 71 17 72 21"  # X holds column 1, 4, 7 of board 1, and has sent O there
    small = game.board(game.state_after(moves)).small
    assert (small.winners, small.closed, small.target) == ("X........", closed, target)
    assert game.format_moves([small.last]) == "21"
