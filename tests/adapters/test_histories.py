"""Lines of play between states, replayed by the rules."""

import numpy as np
import pytest

from custom_games import AGAIN
from ttt_fast.adapters.histories import find_history
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.tables import table_from_functions


def random_line(game, plies, seed):
    """The states of random games of a seed, until one is long enough."""
    generator = np.random.default_rng(seed)
    while True:
        line = [game.initial_state]
        while len(line) <= plies and api.status(line[-1]) == api.ONGOING:
            line.append(api.play(line[-1], int(generator.choice(game.legal_actions(line[-1])))))
        if len(line) == plies + 1:
            return line


def after(state, actions):
    for action in actions:
        assert api.is_legal(state, action) and api.status(state) == api.ONGOING
        state = api.play(state, action)
    return state


@pytest.mark.parametrize(
    ("spec", "plies"),
    [
        ("tic-tac-toe", (1, 4, 6)),
        ("tic-tac-toe:misere=yes", (3, 6)),
        ("tic-tac-toe:rows=5,columns=5,length=5", (2, 9, 14)),
        ("connect4:columns=4,rows=4", (5, 9)),
        ("connect4", (1, 2, 9, 20, 30)),
        ("ultimate", (1, 2, 7, 14)),
        ("ultimate:closed=stay", (2, 7)),
        ("openspiel:breakthrough(rows=4,columns=3)", (3, 8)),
        ("ways-again", (2, 3)),
    ],
)
def test_a_way_leads_to_its_end(spec, plies):
    if spec == "ways-again":
        table_from_functions(*AGAIN[:4], player=AGAIN.player, name=spec)
    game = parse_game(spec)
    for count in plies:
        for seed in range(5):
            line = random_line(game, count, seed)
            for start in {0, max(count - 2, 0), count - 1, count}:
                for last in (False, True):
                    way = find_history(game, line[start], line[-1], last=last)
                    assert way is not None and len(way) == count - start
                    found = after(line[start], way)
                    assert found._replace(last=0) == line[-1]._replace(last=0) if "ultimate" in spec else True
                    assert "ultimate" in spec or found == line[-1]


@pytest.mark.parametrize("seed", range(6))
def test_two_plies_are_found_anywhere_in_a_game(seed):
    game = parse_game("ultimate")
    line = random_line(game, 40, seed)
    for place in range(2, len(line)):
        for back in (1, 2):
            assert after(line[place - back], find_history(game, line[place - back], line[place])) == line[place]


def test_there_is_no_way_back_or_aside():
    game = parse_game("connect4")
    one, two, three = (game.state_after(moves) for moves in ("1", "12", "443"))
    assert find_history(game, two, one) is None and find_history(game, two, three) is None
    assert find_history(game, one, game.state_after("22")) is None
    game = parse_game("tic-tac-toe")
    assert find_history(game, game.state_after("01"), game.state_after("234")) is None


def test_a_state_of_another_game_is_not_reached():
    usual, misere = parse_game("tic-tac-toe"), parse_game("tic-tac-toe:misere=yes")
    for moves in ("0", "041"):
        assert find_history(usual, usual.initial_state, misere.state_after(moves)) is None
    assert find_history(usual, usual.initial_state, parse_game("connect4").state_after("44")) is None
    assert find_history(parse_game("connect4"), parse_game("connect4").initial_state, usual.state_after("04")) is None
    ultimate, boards = parse_game("ultimate"), parse_game("ultimate:tie=boards")
    for moves in ("55", "55 51 15"):
        assert find_history(ultimate, ultimate.initial_state, boards.state_after(moves)) is None


def test_a_position_of_ultimate_without_its_last_move_is_reached():
    game = parse_game("ultimate")
    state = game.state_after("55 51 15")._replace(last=-1)
    assert game.format_moves(find_history(game, game.initial_state, state)) == "55 51 15"
