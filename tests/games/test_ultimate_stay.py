"""Ultimate tic-tac-toe where won boards stay in play: who is sent where, and who keeps a board."""

import pytest

from ttt_fast import parse_game

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


def test_positions_with_two_lines_in_a_board_name_its_winner():
    for winner, boards in (("x", (0, 1)), ("o", (1, 0))):
        state = GAME.parse_position(f"{BOTH}/{winner}........")
        assert (state.own_boards, state.other_boards) == boards
        assert GAME.parse_position(GAME.format_position(state)) == state
    assert GAME.parse_position(f"{WON}/x........") == GAME.parse_position(WON)
