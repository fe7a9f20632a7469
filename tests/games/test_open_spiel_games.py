"""Legal moves and results of random games, move by move against OpenSpiel."""

import random

import pytest

from ttt_fast import parse_game
from ttt_fast.games import api
from ttt_fast.games.ultimate import rules as ultimate

pyspiel = pytest.importorskip("pyspiel")

STATUS = {1: api.X_WINS, -1: api.O_WINS, 0: api.DRAW}


def legal_here(theirs, state, spec):
    """OpenSpiel's legal moves as our actions: in Ultimate a free move takes two of its actions."""
    if spec != "ultimate":
        return theirs.legal_actions()
    if state.target != ultimate.ANYWHERE:
        return [9 * state.target + cell for cell in theirs.legal_actions()]
    return [9 * board + cell for board in theirs.legal_actions() for cell in theirs.child(board).legal_actions()]


def apply(theirs, state, action, spec):
    if spec == "ultimate" and state.target == ultimate.ANYWHERE:
        theirs.apply_action(action // 9)
    theirs.apply_action(action % 9 if spec == "ultimate" else action)


def compare(spec, name, games, seed):
    game, peer, generator = parse_game(spec), pyspiel.load_game(name), random.Random(seed)
    for _ in range(games):
        state, theirs = game.initial_state, peer.new_initial_state()
        while not theirs.is_terminal():
            assert api.status(state) == api.ONGOING
            assert api.player(state) == theirs.current_player() + 1
            actions = game.legal_actions(state)
            assert actions == legal_here(theirs, state, spec)
            action = generator.choice(actions)
            apply(theirs, state, action, spec)
            state = api.play(state, action)
        assert api.status(state) == STATUS[theirs.returns()[0]]


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("tic-tac-toe", "tic_tac_toe"),
        ("tic-tac-toe:rows=3,columns=4", "mnk(m=4,n=3,k=3)"),
        ("tic-tac-toe:rows=5,columns=4,length=4", "mnk(m=4,n=5,k=4)"),
        ("tic-tac-toe:rows=5,columns=5,length=5", "mnk(m=5,n=5,k=5)"),
        ("connect4", "connect_four"),
        ("connect4:columns=5,rows=4,length=3", "connect_four(columns=5,rows=4,x_in_row=3)"),
        ("connect4:columns=3,rows=5,length=2", "connect_four(columns=3,rows=5,x_in_row=2)"),
        ("ultimate", "ultimate_tic_tac_toe"),
    ],
)
@pytest.mark.parametrize("games", [200, pytest.param(3_000, marks=pytest.mark.slow)])
def test_random_games_go_as_in_open_spiel(spec, name, games):
    compare(spec, name, games, seed=games)
