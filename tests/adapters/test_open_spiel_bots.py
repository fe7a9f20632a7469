"""Our agents as bots and policies of OpenSpiel, against OpenSpiel's own rules and numbers."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.algorithms.exploitability import exploitability as their_exploitability

from open_spiel_games_played import BOTS, PEERS, STATUS, our_actions, our_status
from ttt_fast import exact_outcome, exploitability
from ttt_fast.adapters.open_spiel_bots import AgentBot, AgentPolicy
from ttt_fast.adapters.open_spiel_games import SharedGame
from ttt_fast.agents.convert import as_policy
from ttt_fast.core.errors import AgentError, UsageError
from ttt_fast.evaluate.strength import nash_conv
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.best_response import best_response_policy

SMALL, SMALL_PEER = "connect4:columns=3,rows=3,length=3", "connect_four(columns=3,rows=3,x_in_row=3)"


def play(spec, bots, seed=0):
    """OpenSpiel's own referee; the state after the game."""
    state = pyspiel.load_game(PEERS[spec]).new_initial_state()
    assert evaluate_bots(state, bots, np.random.RandomState(seed)) == state.returns()
    return state


@pytest.mark.parametrize("games", [40, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spec", PEERS)
@pytest.mark.parametrize("bot", BOTS)
def test_games_go_as_both_programs_say(spec, bot, games):
    game, mine, ended = pyspiel.load_game(PEERS[spec]), AgentBot("default", spec, seed=5), set()
    for number in range(games):
        theirs = BOTS[bot](game, (number + 1) % 2, number)
        state = play(spec, [theirs, mine] if number % 2 else [mine, theirs])
        assert our_status(spec, our_actions(spec, state.history())) == STATUS[state.returns()[0]]
        ended.add(state.returns()[0])
    assert len(ended) > 1


@pytest.mark.parametrize("spec", PEERS)
@pytest.mark.parametrize("agent", ["random", "mcts:sims=20"])
def test_equal_seeds_give_equal_games(spec, agent):
    lines = []
    for seed in (1, 1, 2):
        bots = AgentBot(agent, spec, seed), AgentBot(agent, spec, seed + 10)
        lines.append([play(spec, bots).history() for _ in range(3)])
    assert lines[0] == lines[1] != lines[2] and lines[0][0] != lines[0][1]


@pytest.mark.parametrize(
    ("spec", "agent"),
    [
        ("tic-tac-toe", "minimax"),
        ("connect4", "mcts:sims=200"),
        ("ultimate", "mcts:sims=200"),
    ],
)
def test_a_good_agent_beats_their_random_bot(spec, agent):
    game, mine, score = pyspiel.load_game(PEERS[spec]), AgentBot(agent, spec), 0
    for number in range(10):
        theirs = BOTS["uniform"](game, number % 2, number)
        state = play(spec, [mine, theirs] if number % 2 else [theirs, mine])
        score += state.returns()[1 - number % 2]
    assert score >= 5


def test_functions_and_objects_are_bots_too():
    def last(state):
        return api.legal_actions(state)[-1]

    assert play("tic-tac-toe", [AgentBot(last), AgentBot(last)]).history() == [8, 7, 6, 5, 4, 3, 2]
    policy = as_policy("minimax:tie=first")
    line = play("tic-tac-toe", [AgentBot(policy), AgentBot("minimax:tie=first")]).history()
    assert len(line) == 9
    assert repr(AgentBot(last)) == "<AgentBot last of tic-tac-toe>"


def test_a_free_move_of_ultimate_is_thought_about_once():
    result = []

    def centre(state):
        result.append(state)
        return 40 if 40 in api.legal_actions(state) else api.legal_actions(state)[0]

    bot, state = AgentBot(centre, "ultimate"), pyspiel.load_game("ultimate_tic_tac_toe").new_initial_state()
    for _ in range(2):
        assert bot.step(state) == 4
        state.apply_action(4)
    assert len(result) == 1 and not result[0].own_low
    state = pyspiel.load_game("ultimate_tic_tac_toe").new_initial_state()
    state.apply_action(2)  # a board that the bot has not chosen
    assert bot.step(state) == 0 and len(result) == 2 and result[1].target == 2


@pytest.mark.parametrize("agent", ["random", "default", "mcts:sims=30"])
def test_every_state_of_ultimate_with_a_chosen_board_can_be_played_from(agent):
    game, generator = pyspiel.load_game("ultimate_tic_tac_toe"), np.random.default_rng(3)
    bot, met = AgentBot(agent, "ultimate"), 0
    for _ in range(5):
        state = game.new_initial_state()
        while not state.is_terminal():
            assert bot.step(state) in state.legal_actions()
            met += state.action_to_string(state.legal_actions()[0]).startswith("Choose")
            state.apply_action(int(generator.choice(state.legal_actions())))
    assert met > 5


@pytest.mark.parametrize("spec", ["random", "default", "mix:0.3*minimax+0.7*random", "minimax"])
def test_our_policies_have_the_exploitability_that_open_spiel_computes(spec):
    policy, game = as_policy(spec, SMALL), pyspiel.load_game(SMALL_PEER)
    theirs = their_exploitability(game, AgentPolicy(policy))
    assert exploitability(policy) == pytest.approx(theirs, rel=0, abs=1e-12)
    assert nash_conv(policy) == pytest.approx(2 * theirs, rel=0, abs=1e-12)
    again = their_exploitability(game, AgentPolicy(spec, SMALL))
    assert again == theirs


def test_expected_returns_and_a_table_of_theirs():
    game = pyspiel.load_game(SMALL_PEER)
    x, o = as_policy("default", SMALL), best_response_policy(as_policy("default", SMALL))
    tables = [pyspiel.TabularPolicy(AgentPolicy(one).to_tabular().to_dict()) for one in (x, o)]
    returns = pyspiel.expected_returns(game.new_initial_state(), tables, -1, True, 0.0)
    np.testing.assert_allclose(returns[0], exact_outcome(x, o).value, rtol=0, atol=1e-12)
    np.testing.assert_allclose(returns[1], -returns[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("spec", PEERS)
@pytest.mark.parametrize("agent", ["random", "default"])
def test_probabilities_are_of_the_legal_actions_and_sum_to_1(spec, agent):
    policy, bot = AgentPolicy(agent, spec), AgentBot(agent, spec)
    generator, state = np.random.default_rng(4), pyspiel.load_game(PEERS[spec]).new_initial_state()
    while not state.is_terminal():
        chances = policy.action_probabilities(state)
        assert sorted(chances) == state.legal_actions() and sum(chances.values()) == pytest.approx(1, abs=1e-12)
        assert policy(state, state.current_player()) == chances
        told, action = bot.step_with_policy(state)
        assert dict(told) == pytest.approx(chances, abs=1e-12) and chances[action] > 0
        state.apply_action(int(generator.choice(state.legal_actions())))
    assert bot.provides_policy()


def test_the_chances_of_a_board_and_of_its_cells_are_those_of_their_product():
    weights = np.arange(1.0, 82)
    policy = AgentPolicy(lambda state: tilted(state, weights), "ultimate")
    state = pyspiel.load_game("ultimate_tic_tac_toe").new_initial_state()
    whole = tilted(parse_game("ultimate").initial_state, weights).reshape(9, 9)
    boards = policy.action_probabilities(state)
    np.testing.assert_allclose([boards[board] for board in range(9)], whole.sum(axis=1), rtol=0, atol=1e-12)
    for board in range(9):
        cells = policy.action_probabilities(state.child(board))
        np.testing.assert_allclose([cells[c] * boards[board] for c in range(9)], whole[board], rtol=0, atol=1e-12)
    never = AgentPolicy(lambda state: tilted(state, np.where(np.arange(81) < 72, 0, 1.0)), "ultimate")
    assert never.action_probabilities(state)[8] == pytest.approx(1.0)


def tilted(state, weights):
    legal = api.legal_actions(state)
    row = np.zeros(81)
    row[legal] = weights[legal] if weights[legal].any() else 1.0
    return row / row.sum()


def test_a_board_that_a_policy_never_chooses_is_as_if_it_had_been_sent_there():
    def rows(state):
        return tilted(state, np.where(np.arange(81) >= 72, 1.0, 0.0))

    state = pyspiel.load_game("ultimate_tic_tac_toe").new_initial_state()
    chances = AgentPolicy(rows, "ultimate").action_probabilities(state.child(0))
    np.testing.assert_allclose([chances[cell] for cell in range(9)], 1 / 9, rtol=0, atol=1e-12)


def test_games_of_openspiels_library_have_their_numbers():
    spec = "openspiel:breakthrough(rows=4,columns=3)"
    game = pyspiel.load_game("breakthrough(rows=4,columns=3)")
    mine, policy, score = AgentBot("minimax", spec), AgentPolicy("random", spec), 0
    for number in range(10):
        state, theirs = game.new_initial_state(), BOTS["uniform"](game, number % 2, number)
        assert policy.action_probabilities(state) == pytest.approx(dict.fromkeys(state.legal_actions(), 1 / 7))
        score += evaluate_bots(state, [mine, theirs] if number % 2 else [theirs, mine], np.random)[1 - number % 2]
    assert score > 5


def test_wrong_uses_are_one_line():
    with pytest.raises(UsageError, match="expected the seed to be at least 0, got -1"):
        AgentBot("random", seed=-1)
    with pytest.raises(AgentError, match="unknown agent 'nobody'"):
        AgentBot("nobody")
    with pytest.raises(
        AgentError, match=r"expected an agent whose action probabilities are known .*, got 'mcts:sims=9', a search"
    ):
        AgentPolicy("mcts:sims=9", "connect4")
    bot = AgentBot("mcts:sims=9", "connect4")
    assert not bot.provides_policy()
    connect = pyspiel.load_game("connect_four").new_initial_state()
    with pytest.raises(UsageError, match=r"expected a state of 'tic_tac_toe\(\)', got a state of 'connect_four\(\)'"):
        AgentBot("random").step(connect)
    with pytest.raises(AgentError, match="expected a policy for connect4"):
        AgentPolicy(as_policy("random"), "connect4")


def test_every_spelling_of_a_game_is_the_game():
    for name in ("connect_four", "connect_four(rows=6)", "connect_four(egocentric_obs_tensor=true,x_in_row=4)"):
        assert (
            AgentBot(lambda state: api.legal_actions(state)[0], "connect4").step(
                pyspiel.load_game(name).new_initial_state()
            )
            == 0
        )
    with pytest.raises(UsageError, match=r"got a state of 'connect_four\(rows=5\)'"):
        AgentBot("random", "connect4").step(pyspiel.load_game("connect_four(rows=5)").new_initial_state())


def test_a_game_that_begins_elsewhere_is_refused():
    game = pyspiel.load_game("tic_tac_toe")
    state = game.new_initial_state()
    state.apply_action(4)
    with pytest.raises(UsageError, match="expected a game from the initial state, got a game from"):
        SharedGame("tic-tac-toe").position_of(game.new_initial_state(state.to_json()))
