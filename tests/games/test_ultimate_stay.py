"""Ultimate tic-tac-toe where won boards stay in play: who is sent where, who keeps a board, X's known win."""

import pytest

from ttt_fast import parse_game
from ttt_fast.games import api, ultimate
from ttt_fast.games.ultimate_stay import StayState

GAME, USUAL = parse_game("ultimate:closed=stay"), parse_game("ultimate")


def position(**boards):
    """The text of a position from some of its boards, by their numbers from 1."""
    return "".join(boards.get(f"b{number}", "." * 9) for number in range(1, 10))


WON = position(b1="xxx.o....", b6="oo.......", b9="X........")
BOTH = position(b1="xxxooo...", b9="X........")
"""X holds board 1, in which O has no line; either holds it."""


def test_the_rule_makes_another_game_with_the_same_fields():
    assert type(GAME.initial_state) is StayState and tuple(GAME.initial_state) == tuple(USUAL.initial_state)
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


def plies_to_win(state, cell, known):
    """Plies in which X wins if he plays only `cell` and the opposite one, whatever O does; None if he may not."""
    if api.status(state) != api.ONGOING:
        return 0 if api.status(state) == api.X_WINS else None
    key = int(api.state_key(state)), int(api.state_check(state))
    if key not in known:
        is_x = api.player(state) == api.X
        actions = [a for a in GAME.legal_actions(state) if not is_x or a % 9 in (cell, 8 - cell)]
        if is_x and api.winning_action(state) != api.NO_ACTION:
            actions = [api.winning_action(state)]
        known[key], longest = None, 0
        for action in sorted(actions, key=lambda action: action % 9 != cell):
            plies = plies_to_win(api.play(state, action), cell, known) if api.ply(state) < 43 else None
            if (plies is None) != is_x:  # X has found a win, or O a way out
                longest = plies
                break
            longest = longest if plies is None else max(longest, plies)
        else:
            longest = None if is_x else longest
        known[key] = None if longest is None else longest + 1
    return known[key]


@pytest.mark.parametrize("last", [1, 2])
def test_x_wins_in_at_most_43_plies(last):
    """Bertholon et al.: X keeps to the centres, so that O fills the centre board; then two cells are enough.

    The order in which O fills it does not matter but for the cell that comes last: a corner or a side.
    """
    cells = [cell for cell in (1, 2, 3, 4, 6, 7, 8, 9) if cell != last]
    state = GAME.state_after("55 " + " ".join(f"5{cell} {cell}5" for cell in cells) + f" 5{last}")
    assert state.target == last - 1 and api.ply(state) == 16
    assert api.ply(state) + plies_to_win(state, last - 1, {}) <= 43
