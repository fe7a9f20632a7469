"""Ultimate tic-tac-toe: sent to a closed board, ties, keys, texts."""

import random

from ttt_fast import parse_game
from ttt_fast.games import api, ultimate

GAME, BY_BOARDS = parse_game("ultimate"), parse_game("ultimate:tie=boards")


def test_sent_to_a_won_board_one_plays_anywhere_but_there():
    state = GAME.parse_position("xxx......" + "o.oo....." + "." * 54 + "X........")
    assert state.target == ultimate.ANYWHERE
    assert {action // 9 for action in GAME.legal_actions(state)} == set(range(1, 9))


def test_sent_to_a_full_board_one_plays_anywhere():
    full = "xoxxoooxx"
    state = GAME.parse_position(full + "." * 63 + "O........")
    assert state.target == ultimate.ANYWHERE and state.own_boards == state.other_boards == 0
    assert len(GAME.legal_actions(state)) == 71


def test_without_a_line_it_is_a_draw_or_the_boards_are_counted():
    generator, seen = random.Random(0), set()
    while len(seen) < 3:
        state = GAME.initial_state
        while api.status(state) == api.ONGOING:
            state = api.play(state, generator.choice(GAME.legal_actions(state)))
        if api.status(state) == api.DRAW:
            boards = {state.player: state.own_boards.bit_count(), 3 - state.player: state.other_boards.bit_count()}
            lead = boards[1] - boards[2]
            expected = api.DRAW if lead == 0 else api.X_WINS if lead > 0 else api.O_WINS
            assert api.status(BY_BOARDS.parse_position(GAME.format_position(state))) == expected
            seen.add(expected)


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
