"""Texts of positions and moves that mean nothing in a game: one line that shows them."""

import pytest

from ttt_fast import BoardError, parse_game

WON = "xxx.o....".ljust(45, ".") + "oo.......".ljust(27, ".") + "X........"
BOTH = "xxxooo...".ljust(72, ".") + "X........"
"""With closed=stay: X holds board 1, in which O has no line; either holds it."""
POSITIONS = [
    ("tic-tac-toe", "XO", "expected a board of 9 characters"),
    ("tic-tac-toe", "X" * 10, "expected a board of 9 characters"),
    ("tic-tac-toe", "XO..X...?", "got '?'"),
    ("tic-tac-toe", "XO\n.X...O", "got '\\n'"),
    ("tic-tac-toe", "XX.......", "got 2 and 0"),
    ("tic-tac-toe:rows=3,columns=4", "." * 12, "expected 3 rows of 4 cells, the top row first, as in '..../..../....'"),
    ("tic-tac-toe:rows=3,columns=4", "..../....", "expected 3 rows"),
    ("tic-tac-toe:rows=3,columns=4", "..../..Z./....", "got 'Z'"),
    ("tic-tac-toe:rows=3,columns=4", "XX../..../....", "got 2 and 0"),
    ("tic-tac-toe:rows=3,columns=4", "XXX./OOO./....", "got a line of X"),
    ("tic-tac-toe:rows=3,columns=4", "XXX./OOO./X...", "got a line of O"),
    ("connect4", "", "expected 6 rows"),
    ("connect4", "......./" * 5 + "......", "expected 6 rows"),
    ("connect4", "......./" * 5 + "...Z...", "got 'Z'"),
    ("connect4", "......./" * 4 + "X....../.......", "expected every stone on another stone"),
    ("connect4", "......./" * 5 + "X.....X", "got 2 and 0"),
    ("connect4", "......./" * 5 + "O......", "got 0 and 1"),
    ("connect4", "......./" * 4 + "XXXX.../OOOO...", "expected no line of the player to move"),
    ("ultimate", "." * 80, "expected a position of 81 characters, got 80"),
    ("ultimate", "." * 80 + "Z", "got 'Z'"),
    ("ultimate", "X" + "." * 79 + "O", "expected one capital letter, the last move, got 2"),
    ("ultimate", "xx" + "." * 79, "got 2 and 0"),
    ("ultimate", "xxxooo..." + "." * 72, "in board 1, got lines of both"),
    ("ultimate", "xxx......" * 3 + "ooo......" * 3 + "." * 27, "expected three won boards in a line only for"),
    ("ultimate", f"{WON}/x........", "only with closed=stay"),
    ("ultimate:closed=stay", BOTH, "player in board 1, got lines of both"),
    ("ultimate:closed=stay", f"{BOTH}/x", "expected nine winners of boards after '/'"),
    ("ultimate:closed=stay", f"{BOTH}/z........", "expected nine winners of boards after '/'"),
    ("ultimate:closed=stay", f"{BOTH}/.........", "expected a winner with a line in board 1, got '.'"),
    ("ultimate:closed=stay", f"{WON}/o........", "expected a winner with a line in board 1, got 'o'"),
    ("ultimate:closed=stay", f"{WON}/xx.......", "expected a winner with a line in board 2, got 'x'"),
]
MOVES = {
    "tic-tac-toe:rows=3,columns=4": ["12", "x", "-1", "1 1", "001", "²"],
    "connect4": ["8", "0", "x", "44a", "4444444", "12121213"],
    "ultimate": ["5", "505", "0", "55 66", "55 5x", "55 55"],
}


@pytest.mark.parametrize(("spec", "text", "words"), POSITIONS)
def test_wrong_positions_are_shown(spec, text, words):
    with pytest.raises(BoardError) as caught:
        parse_game(spec).parse_position(text)
    message = str(caught.value)
    assert message.startswith("expected ") and "\n" not in message and words in message and repr(text) in message


@pytest.mark.parametrize("spec", MOVES)
def test_wrong_moves_are_shown(spec):
    for moves in MOVES[spec]:
        with pytest.raises(BoardError, match=r"^expected .*got '"):
            parse_game(spec).parse_moves(moves)


@pytest.mark.parametrize("text", ["xo..x...o", "XO__X___O", "XO--X---O", "120010002", "Xo._1-0.2"])
def test_spellings_of_a_board_of_nine(text):
    game = parse_game("tic-tac-toe")
    assert game.format_position(game.parse_position(text)) == "XO..X...O"
