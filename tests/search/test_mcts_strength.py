"""How well it plays: against OpenSpiel's search at equal simulations, and its options against plain UCT."""

from math import sqrt

import numpy as np
import pytest

from ttt_fast._rng import chunk_stream
from ttt_fast.games import api, ultimate
from ttt_fast.games.registry import parse_game
from ttt_fast.search.roster import make_player

GAMES = 400


def score_of(points):
    """Mean result per game."""
    return float(np.mean(points))


def play_open_spiel(spec, simulations, games):
    """Points of our player, colours in turn, against OpenSpiel's search with the same c on its scale of -1 to 1."""
    import pyspiel

    game = pyspiel.load_game("ultimate_tic_tac_toe")
    ours, points = make_player(spec, parse_game("ultimate")), []
    for number in range(games):
        ours.begin(chunk_stream(3, number))
        evaluator = pyspiel.RandomRolloutEvaluator(1, number)
        bot = pyspiel.MCTSBot(game, evaluator, 2 * sqrt(2), simulations, 1000, False, number, False)
        state, theirs = ultimate.initial_state(), game.new_initial_state()
        while not theirs.is_terminal():
            free = state.target == ultimate.ANYWHERE  # they choose a board first, and then a cell
            if theirs.current_player() == number % 2:
                action = ours.think(state).action
                for step in divmod(action, 9) if free else (action % 9,):
                    theirs.apply_action(step)
            else:
                board = state.target
                if free:
                    board = bot.step(theirs)
                    theirs.apply_action(board)
                cell = bot.step(theirs)
                theirs.apply_action(cell)
                action = 9 * board + cell
            state = api.play(state, action)
        assert (api.status(state) == api.DRAW) == (theirs.returns()[0] == 0)
        points.append((1 + theirs.returns()[number % 2]) / 2)
    return points


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
def test_plain_search_scores_as_open_spiel_does():
    assert abs(score_of(play_open_spiel("mcts:sims=200", 200, GAMES)) - 0.5) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("sims", [200, 1000])
def test_the_best_options_beat_plain_search(sims):
    points = play_each_other(f"mcts-best:sims={sims}", f"mcts:sims={sims}", GAMES)
    assert score_of(points) - 1.96 * np.std(points) / sqrt(GAMES) > 0.6
