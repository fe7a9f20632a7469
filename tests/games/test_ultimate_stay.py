"""Ultimate tic-tac-toe where won boards stay in play: who is sent where, and who keeps a board."""

import pytest

from ttt_fast import parse_game
from ttt_fast.games import api
from ttt_fast.games.ultimate import rules as ultimate

pytestmark = pytest.mark.slow
GAME, USUAL = parse_game("ultimate:closed=stay"), parse_game("ultimate")


def position(**boards):
    """The text of a position from some of its boards, by their numbers from 1."""
    return "".join(boards.get(f"b{number}", "." * 9) for number in range(1, 10))


WON = position(b1="xxx.o....", b6="oo.......", b9="X........")
BOTH = position(b1="xxxooo...", b9="X........")
"""X holds board 1, in which O has no line; either holds it."""


def test_the_rule_makes_another_game_with_the_same_fields():
    assert type(GAME.initial_state) is not type(USUAL.initial_state) and tuple(GAME.initial_state) == tuple(
        USUAL.initial_state
    )
    assert GAME != USUAL and GAME == parse_game("ultimate:tie=draw,closed=stay") and len({GAME, USUAL}) == 2
    assert parse_game("ultimate:closed=free") == USUAL


def test_a_won_board_must_be_played_in_while_it_has_room():
    text = position(b1="xxx......", b7="o........", b8="o........", b9="o........")
    sent = {game: api.play(game.parse_position(text), 9) for game in (GAME, USUAL)}
    assert sent[GAME].target == 0 and GAME.legal_actions(sent[GAME]) == [3, 4, 5, 6, 7, 8]
    assert sent[USUAL].target == ultimate.ANYWHERE


def test_only_a_full_board_frees_the_choice():
    for board in ("xxxooxoxo", "xoxxoooxx"):  # won, and drawn
        state = GAME.parse_position(board + "." * 63 + "O........")
        assert state.target == ultimate.ANYWHERE and len(GAME.legal_actions(state)) == 71


def test_a_won_board_keeps_its_winner():
    state = GAME.parse_position(position(b1="xxxoo....", b6="o........", b9="X........"))
    assert state.target == 0 and (state.own_boards, state.other_boards) == (0, 1)
    after = api.play(state, 5)  # a line of O's, too late
    assert (after.own_boards, after.other_boards) == (1, 0) and api.status(after) == api.ONGOING
    shown = position(b1="xxxooO...", b6="o........", b9="x........").replace(".", " ")
    assert GAME.format_position(after) == shown + "/x........"


def test_positions_with_two_lines_in_a_board_name_its_winner():
    for winner, boards in (("x", (0, 1)), ("o", (1, 0))):
        state = GAME.parse_position(f"{BOTH}/{winner}........")
        assert (state.own_boards, state.other_boards) == boards
        assert GAME.parse_position(GAME.format_position(state)) == state
    assert GAME.parse_position(f"{WON}/x........") == GAME.parse_position(WON)
