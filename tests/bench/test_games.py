"""The games of OpenSpiel in the benchmark: the same positions as ours, and a match that counts what was played."""

import sys

import pytest

from ttt_fast.games import api
from ttt_fast.games.ultimate import rules as ultimate


@pytest.fixture
def peer():
    from groups import open_spiel_games

    yield open_spiel_games
    for name in [name for name in sys.modules if name.split(".")[0] == "groups"]:
        del sys.modules[name]


@pytest.mark.parametrize("game", ["connect4", "ultimate"])
def test_random_positions_are_the_same_in_both_programs(peer, game):
    free_moves = 0
    for seed in range(60):
        position = peer.random_position(game, 5 + seed % 30, seed)
        state = position.ours
        steps = [peer.peer_actions(position, action) for action in api.legal_actions(state)]
        assert sorted({step[0] for step in steps}) == position.theirs.legal_actions()
        assert position.theirs.current_player() == api.player(state) - 1
        for board in position.theirs.legal_actions() if len(steps[0]) == 2 else []:
            free_moves += 1
            cells = sorted(cell for first, cell in steps if first == board)
            assert cells == position.theirs.child(board).legal_actions()
    assert free_moves > 5 or game == "connect4"


@pytest.mark.slow
def test_candidates_do_what_they_count(peer):
    position = peer.random_position("ultimate", 12)
    peer.search(position, 50).run()
    peer.playouts(peer.random_position("ultimate", 0)).run()
    assert position.ours.target != ultimate.ANYWHERE or len(position.theirs.legal_actions()) <= 9
