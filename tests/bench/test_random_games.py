"""Random games: the kernel move by move, its frequencies against exact values, threads."""

import numpy as np
import pytest

from games_reference import GAME_CASES, GAMES, ONGOING
from random_games import _play_out, _play_out_plainly, play_random_games
from ttt_fast import UsageError, exact_outcome, parse_game
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import api
from ttt_fast.search import rollouts


@pytest.mark.parametrize("spec", GAME_CASES)
def test_a_playout_is_its_moves(spec):
    """The kernel against the plain rules, fed with the same random words."""
    state, plain = parse_game(spec).initial_state, GAMES[spec]
    for seed in range(3):
        begin = np.uint64(seed)
        here, counter, moves = state, seed, ()
        while plain.status(moves) == ONGOING:
            counter = (counter + GOLDEN_GAMMA) % 2**64
            action = api.random_action(here, mix64(np.uint64(counter)))
            here, moves = api.play(here, action), (*moves, action)
        assert rollouts.random_playout(state, begin) == (plain.status(moves), len(moves), counter)
        assert rollouts.random_playout(here, begin) == (plain.status(moves), 0, begin)


@pytest.mark.slow
def test_frequencies_are_those_of_the_exact_value():
    games, game = 400_000, parse_game("connect4:columns=4,rows=4")
    played = play_random_games(game.initial_state, games, seed=1)
    exact = exact_outcome("random", "random", game=game)
    for count, chance in ((played.x_wins, exact.x_wins), (played.draws, exact.draws), (played.o_wins, exact.o_wins)):
        assert abs(count - games * chance) < 4.5 * np.sqrt(games * chance * (1 - chance))


@pytest.mark.slow
def test_threads_never_change_a_count():
    state = parse_game("connect4").initial_state
    results = {play_random_games(state, 40_000, seed=3, threads=threads) for threads in (1, 2, 7)}
    assert len(results) == 1
    (result,) = results
    assert result.x_wins + result.draws + result.o_wins == 40_000
    assert result != play_random_games(state, 40_000, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["connect4", "tic-tac-toe", "ultimate"])
@pytest.mark.parametrize("games", [0, 1, 4, 200])
def test_three_games_in_hand_are_the_games_of_the_plain_loop(spec, games):
    fast, plain = np.zeros(4, np.int64), np.zeros(4, np.int64)
    for state in (parse_game(spec).initial_state, api.play(parse_game(spec).initial_state, 0)):
        _play_out(state, np.uint64(5), games, fast)
        _play_out_plainly(state, np.uint64(5), games, plain)
    assert (fast == plain).all() and fast[1:].sum() == 2 * games


@pytest.mark.slow
def test_games_that_are_over_none_and_fewer_than_none():
    state = parse_game("connect4").state_after("1213141")
    assert play_random_games(state, 10) == (10, 0, 0, 0) and play_random_games(state, 0) == (0, 0, 0, 0)
    with pytest.raises(UsageError, match=r"got -1$"):
        play_random_games(state, -1)
