"""How well it plays: its best options against plain UCT, and both against the agents of seed 003."""

from math import sqrt

import numpy as np
import pytest

from ttt_fast._rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.search.roster import make_player

GAMES = 400


def score_of(points):
    """Mean result per game."""
    return float(np.mean(points))


def play_each_other(spec, other, games):
    """Points of the first of two players of Ultimate; pairs of games share two random moves."""
    game = parse_game("ultimate")
    players, points = (make_player(spec, game), make_player(other, game)), []
    for number in range(games):
        for seat, player in enumerate(players):
            player.begin(chunk_stream(1, number, seat))
        state = game.initial_state
        for ply in range(2):
            state = api.play(state, api.random_action(state, chunk_stream(2, number // 2, ply)))
        while api.status(state) == api.ONGOING:
            state = api.play(state, players[(api.player(state) + number + 1) % 2].think(state).action)
        result = api.status(state)
        points.append(0.5 if result == api.DRAW else float(result == 1 + number % 2))
    return points


@pytest.mark.slow
@pytest.mark.parametrize("sims", [200, 1000])
def test_the_best_options_beat_plain_search(sims):
    points = play_each_other(f"mcts-best:sims={sims}", f"mcts:sims={sims}", GAMES)
    assert score_of(points) - 1.96 * np.std(points) / sqrt(GAMES) > 0.6
