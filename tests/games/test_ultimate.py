"""The keys of Ultimate tic-tac-toe; `test_api.py` plays it beside the plain game."""

from ttt_fast import parse_game
from ttt_fast.games import api

GAME = parse_game("ultimate")


def test_marks_inside_of_a_closed_board_do_not_change_the_key():
    rest = "o.o......" + "." * 62 + "X........"[:10]
    one, other, open_board = (
        GAME.parse_position((board + rest)[:81]) for board in ("xxxoo....", "xxx.oo...", "xx..oo...")
    )
    assert one != other
    assert api.state_key(one) == api.state_key(other) and api.state_check(one) == api.state_check(other)
    assert api.state_key(one) != api.state_key(open_board) and api.state_check(one) != api.state_check(open_board)


def test_the_key_knows_who_moves_and_where():
    texts = ["." * 81, "." * 80 + "X", "." * 79 + "X.", "." * 80 + "O", "." * 80 + "x"]
    keys = {int(api.state_key(GAME.parse_position(text))) for text in texts}
    assert len(keys) == len(texts)
