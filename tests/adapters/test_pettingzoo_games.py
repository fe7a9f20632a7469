"""What PettingZoo asks of environments; skipped without the extra `rl`."""

import doctest

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="needs the extra rl")

from pettingzoo.test import api_test, seed_test

from custom_games import AGAIN
from ttt_fast import UsageError, parse_game, table_from_functions
from ttt_fast.adapters import pettingzoo_games
from ttt_fast.games import api

pytestmark = pytest.mark.extra

GAMES = [
    "tic-tac-toe",
    "tic-tac-toe:misere=yes",
    "tic-tac-toe:rows=4,columns=5,length=4",
    "tic-tac-toe:rows=5,columns=5,length=4,misere=yes",
    "connect4",
    "connect4:columns=5,rows=4,length=3",
    "ultimate",
    "ultimate:tie=boards",
    "ultimate:closed=stay",
    "openspiel:breakthrough(rows=3,columns=2)",
    "moves-again",
]


@pytest.fixture(autouse=True, scope="module")
def _game_in_which_a_player_moves_again():
    table_from_functions(*AGAIN[:4], player=AGAIN.player, name="moves-again")


# PettingZoo's list of environments whose observations may be dictionaries, or empty at the start, has its own alone.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be gymnasium.spaces.box")
@pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")  # of the agent whose turn it is not
@pytest.mark.parametrize("spec", GAMES)
def test_pettingzoos_own_checks(spec):
    api_test(pettingzoo_games.env(spec), num_cycles=1000)
    api_test(pettingzoo_games.GameAEC(spec, render_mode="ansi"), num_cycles=1000)
    seed_test(lambda: pettingzoo_games.env(spec), num_cycles=500)


def test_the_examples():
    result = doctest.testmod(pettingzoo_games, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 5 and result.failed == 0


@pytest.mark.parametrize("spec", GAMES)
def test_games_go_as_the_rules_say(spec):
    game, played, generator = parse_game(spec), pettingzoo_games.env(spec), np.random.default_rng(1)
    ended = set()
    for _ in range(5):
        state = game.initial_state
        played.reset()
        while api.status(state) == api.ONGOING:
            agent = played.agent_selection
            assert pettingzoo_games.SEATS[agent] == api.player(state)
            observation, reward, termination, truncation, info = played.last()
            assert not (reward or termination or truncation)
            assert (observation["observation"] == api.observe(state)).all()
            assert np.flatnonzero(observation["action_mask"]).tolist() == game.legal_actions(state)
            assert (info["action_mask"] == observation["action_mask"]).all()
            other = "player_2" if agent == "player_1" else "player_1"
            assert not played.observe(other)["action_mask"].any() and played.infos[other] == {}
            action = int(generator.choice(game.legal_actions(state)))
            played.step(action)
            state = api.play(state, action)
        status = api.status(state)
        ended.add(status)
        wanted = {api.X_WINS: (1.0, -1.0), api.O_WINS: (-1.0, 1.0), api.DRAW: (0.0, 0.0)}[status]
        assert tuple(played.rewards[agent] for agent in pettingzoo_games.SEATS) == wanted
        told = {}
        for agent in played.agent_iter():
            told[agent] = played.last()[1]
            assert played.terminations[agent]
            played.step(None)
        assert tuple(told[agent] for agent in pettingzoo_games.SEATS) == wanted
    assert ended


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", "ultimate"])
def test_either_player_sees_its_own_marks_first(spec):
    game, played, generator = parse_game(spec), pettingzoo_games.GameAEC(spec), np.random.default_rng(2)
    played.reset()
    state = game.initial_state
    for ply in range(5):
        action = int(generator.choice(game.legal_actions(state)))
        played.step(action)
        state = api.play(state, action)
        x, o = (played.observe(agent)["observation"] for agent in pettingzoo_games.SEATS)
        assert (x[0].sum(), x[1].sum()) == ((ply + 2) // 2, (ply + 1) // 2)
        pairs = len(x) // 2 * 2
        assert (x[:pairs:2] == o[1:pairs:2]).all() and (x[1:pairs:2] == o[:pairs:2]).all()
        assert (x[pairs:] == o[pairs:]).all()


@pytest.mark.parametrize("make", [pettingzoo_games.env, pettingzoo_games.GameAEC])
@pytest.mark.parametrize("before", [0, 1])
def test_an_illegal_action_ends_the_game_as_a_loss(make, before):
    played = make()
    for _ in range(2):  # a new game begins as any other
        played.reset()
        for action in range(before + 1):
            played.step(action)
        loser, winner = list(pettingzoo_games.SEATS)[:: 1 if before else -1]
        assert played.agent_selection == loser
        position = played.observe(loser)["observation"].copy()
        played.step(0)
        assert played.rewards == {loser: -1.0, winner: 1.0}
        assert all(played.terminations.values()) and not any(played.truncations.values())
        assert not any(played.observe(one)["action_mask"].any() for one in pettingzoo_games.SEATS)
        assert not played.infos["player_1"]["action_mask"].any()
        assert (played.observe(loser)["observation"] == position).all()
        told = {}
        for agent in played.agent_iter():
            told[agent] = played.last()[1]
            played.step(None)
        assert told == {loser: -1.0, winner: 1.0} and not played.agents


def test_actions_outside_of_the_game():
    bare = pettingzoo_games.GameAEC()
    with pytest.raises(UsageError, match="expected a call of reset before step"):
        bare.step(0)
    for action in (9, -1, 10**30):
        bare.reset()
        bare.step(action)
        assert bare.rewards == {"player_1": -1.0, "player_2": 1.0}
        with pytest.raises(AssertionError, match="action is not in action space"):
            wrapped = pettingzoo_games.env()
            wrapped.reset()
            wrapped.step(action)
    bare.reset()
    for action in (3.7, "3", -0.5, True, None):
        with pytest.raises(UsageError, match="expected the action to be a whole number, got"):
            bare.step(action)


def test_positions_are_texts_and_pictures():
    text, picture = (pettingzoo_games.GameAEC(render_mode=mode) for mode in ("ansi", "rgb_array"))
    for played in (text, picture):
        played.reset()
        for action in (4, 0):
            played.step(action)
    assert text.render().splitlines()[::2] == [" O │ 1 │ 2 ", " 3 │ X │ 5 ", " 6 │ 7 │ 8 "]
    cells = picture.render()[12::24, 12::24]
    assert cells[1, 1].tolist() == [192, 57, 43] and cells[0, 0].tolist() == [33, 102, 172]
    assert (
        pettingzoo_games.GameAEC().render() is None
        and str(pettingzoo_games.GameAEC("connect4")) == "ttt_fast_v0(connect4)"
    )
    with pytest.raises(UsageError, match="expected 'ansi' or 'rgb_array' as the render mode, got 'human'"):
        pettingzoo_games.GameAEC(render_mode="human")
    with pytest.raises(
        UsageError, match="expected 'ansi' as the render mode of 'moves-again', whose states have no marks to draw"
    ):
        pettingzoo_games.GameAEC("moves-again", render_mode="rgb_array")
