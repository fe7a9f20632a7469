"""Connect 4: its texts and sizes."""

from ttt_fast import parse_game
from ttt_fast.games import api

GAME = parse_game("connect4")
ROW = "......."


def position(*lowest):
    return "/".join([ROW] * (6 - len(lowest)) + list(lowest))


def test_moves_are_column_digits():
    assert GAME.parse_moves("4453") == [3, 3, 4, 2]
    assert GAME.format_position(GAME.state_after("4453")) == position("...O...", "..OXX..")


def test_letters_follow_the_digits():
    wide = parse_game("connect4:columns=16,rows=3")
    assert wide.parse_moves("9aG") == [8, 9, 15]
    assert wide.format_moves([8, 9, 15]) == "9ag"


def test_lines_do_not_run_around_the_edge():
    """Three at the top of a column and one at the foot of the next are no line."""
    top = ["X......", "X......", "X......", "O......", "X.....O", "OX....O"]
    assert api.status(GAME.parse_position("/".join(top))) == api.ONGOING
    upright = ["X......", "X......", "X......", "X......", "O.....O", "OX....O"]
    assert api.status(GAME.parse_position("/".join(upright))) == api.X_WINS
