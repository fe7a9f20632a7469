"""Tables of games from plain Python functions: exact values, learning and searching beside plain recursions."""

import ast
from fractions import Fraction

import numpy as np
import pytest
from general_reference import GeneralLearner, Rules
from training_checks import learn_plainly

import custom_games
from cli_runner import run
from conftest import REPOSITORY
from custom_games import GAMES
from induced_reference import best_value, outcome, random_rows
from ttt_fast import (
    AgentError,
    FileFormatError,
    TableSizeError,
    TrainingConfig,
    UsageError,
    as_player,
    as_policy,
    exact_fractions,
    exploitability,
    perft,
    solution_of,
    symmetry_of,
    table_from_functions,
    table_of,
    train,
)
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.games import api, registry
from ttt_fast.learners import start_training
from ttt_fast.policies.best_response import best_response, best_response_policy
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.tables import store
from ttt_fast.values.files import load
from ttt_fast.values.inputs import table_inputs


@pytest.fixture(scope="module", autouse=True)
def _names():
    """The games by their names, which other modules do not find."""
    for name, (initial, *functions, player) in GAMES.items():
        table_from_functions(initial, *functions, player=player, name=name)
    yield
    registry.OTHERS.clear()


def states_of(name):
    """Each state of a table beside the state of the functions that a line of play leads to."""
    game, table = GAMES[name], table_of(name)
    words = [int(table.game.format_moves([action])) for action in range(table.num_actions)]
    found, order = {0: game.initial}, [0]
    for index in order:
        for edge in range(table.edge_start[index], table.edge_start[index + 1]):
            child = int(table.edge_child[edge])
            if child not in found:
                found[child] = game.play(found[index], words[table.edge_action[edge]])
                order.append(child)
    return found, words


@pytest.mark.parametrize("name", GAMES)
def test_values_outcomes_and_best_responses_are_those_of_recursions(name):
    game, table = GAMES[name], table_of(name)
    random = as_policy("random", name)
    found, _ = states_of(name)
    assert len(found) == table.num_states == custom_games.num_states(game)
    values = solution_of(table).value
    assert all(values[index] == custom_games.value(game, state) for index, state in found.items())
    assert tuple(exact_fractions(random, random)[:3]) == outcome(game, random_rows(game), random_rows(game))
    for seat in (1, 2):
        best = best_response(random, seat).value[0]
        assert best == pytest.approx(float(best_value(game, 3 - seat, random_rows(game))), abs=1e-12)
    assert exploitability(as_policy("minimax", name)) == 0
    assert symmetry_of(table).num_classes == table.num_states


@pytest.mark.parametrize("name", GAMES)
def test_exact_action_values_count_own_decisions(name):
    game, table, discount = GAMES[name], table_of(name), Fraction(3, 4)
    plain, (found, words) = custom_games.action_values(game, discount), states_of(name)
    random = as_policy("random", name)
    q = exact_q(table, random, np.array([1.0, 0.0, -1.0]), float(discount), (1, 2))
    expected = [
        plain(found[state], words[action])
        for state, action in zip(table.edge_state.tolist(), table.edge_action.tolist(), strict=True)
    ]
    np.testing.assert_allclose(q, np.array(expected, np.float64), rtol=0, atol=1e-12)


class Plies:
    """A game of plain functions as the plain learner knows games: a state and its ply."""

    def __init__(self, game):
        self.game, self.START = game, (game.initial, 0)

    def legal_actions(self, position):
        return self.game.legal_actions(position[0])

    def after(self, position, action):
        return self.game.play(position[0], action), position[1] + 1

    def is_over(self, position):
        return self.game.result(position[0]) is not None

    def mover(self, position):
        return self.game.player(position[0])

    def winner(self, position):
        return {1: 1, 0: 0, -1: 2}[self.game.result(position[0])]


def test_learning_where_turns_do_not_alternate_gives_the_bits_of_dictionaries():
    config = TrainingConfig(
        game="again", opponent="self", episodes=900, chunk_episodes=900, step_size="0.25", epsilon="0.3", seed=5
    )
    plain = GeneralLearner(Rules(), None, Plies(GAMES["again"]))
    learn_plainly(plain, config, rivals=[])
    (found, words), table = states_of("again"), table_of("again")
    expected = [
        plain.value(plain.tables[0], (found[state], int(table.ply[state])), words[action])
        for state, action in zip(table.edge_state.tolist(), table.edge_action.tolist(), strict=True)
    ]
    assert train(start_training(config)).values.tables[0].tolist() == expected
    assert np.count_nonzero(expected) > 20


@pytest.mark.parametrize("place", [{"opponent": "self"}, {"seat": 1}, {"seat": 2}, {"seat": 3}])
@pytest.mark.parametrize(
    ("algorithm", "ahead", "same"),
    [
        ("n-step-sarsa", {"steps": 1}, "sarsa"),
        ("n-step-expected-sarsa", {"steps": 1}, "expected-sarsa"),
        ("q-lambda", {"trace_decay": 0}, "q"),
    ],
)
def test_targets_that_look_a_step_ahead_are_those_of_one_step_where_turns_do_not_alternate(
    algorithm, ahead, same, place
):
    common = {"game": "again", "episodes": 900, "step_size": "0.25", "epsilon": "0.3", "seed": 5, **place}
    rivals = [] if "opponent" in place else [as_policy("random", "again")]
    one, other = (
        train(start_training(TrainingConfig(algorithm=name, **more, **common)), *rivals)
        for name, more in ((algorithm, ahead), (same, {}))
    )
    assert one.values.tables.tobytes() == other.values.tables.tobytes() and np.count_nonzero(one.values.tables) > 10
    assert one.counts.tolist() == other.counts.tolist()


@pytest.mark.parametrize("name", GAMES)
def test_learning_against_random_reaches_the_best_score(name):
    random = as_policy("random", name)
    for seat in (1, 2):
        config = TrainingConfig(
            game=name, opponent="random", seat=seat, episodes=20_000, step_size="visits", epsilon="0.5"
        )
        trained = train(start_training(config), random)
        learned = trained.policy()
        score = exact_fractions(*((learned, random) if seat == 1 else (random, learned)))
        best = best_value(GAMES[name], 3 - seat, random_rows(GAMES[name]))
        assert (score.x_wins - score.o_wins) * (1 if seat == 1 else -1) == best


@pytest.mark.slow
def test_searches_play_where_turns_alternate():
    table = table_of("matches")
    game = table.game
    assert table.path_counts()[table.ply == 3].sum() == perft(game.initial_state, 3)
    for spec in ("mcts:sims=2000", "alphabeta:depth=7"):
        player = as_player(spec, game)
        player.begin(np.uint64(1))
        assert game.format_moves([player.search(game.initial_state).action]) == "3"


def test_searches_refuse_games_in_which_a_player_moves_twice():
    other = table_of("again").game
    with pytest.raises(AgentError, match="a game with alternating turns for 'alphabeta', got"):
        as_player("alphabeta", other)
    with pytest.raises(AgentError, match="with alternating turns for 'mcts', got"):
        as_player("mcts", other)
    with pytest.raises(AgentError, match="with alternating turns for 'mine', got"):
        MctsPlayer("mine", MctsConfig()).search(other.initial_state)
    with pytest.raises(UsageError, match="with alternating turns for afterstate, got 'again'"):
        TrainingConfig(game="again", opponent="self", algorithm="afterstate", episodes=10)


def test_a_name_may_be_given_again_to_another_game_and_nothing_is_kept_on_disk():
    (initial, *functions, player), name = GAMES["matches"], "given-twice"
    first = table_from_functions(initial, *functions, name=name)
    second = table_from_functions((3, 1), *functions, player=player, name=name)
    assert first.num_states > second.num_states and table_of(name) is second
    assert solution_of(first) is not solution_of(second) and not store.is_kept(second.game)
    with pytest.raises(TableSizeError, match="at most 10 states"):
        table_from_functions(initial, *functions, name=name, max_states=10)
    with pytest.raises(UsageError, match="expected max_states to be a whole number, got 'many'"):
        table_from_functions(initial, *functions, name=name, max_states="many")
    with pytest.raises(UsageError, match="expected a name that no registered game has yet, got 'ultimate'"):
        table_from_functions(initial, *functions, name="ultimate")
    assert table_of(name) is second


def test_a_network_sees_the_features_of_a_state(tmp_path):
    def observe(state):
        return [state[0], 3 - 2 * state[1], -100 - state[0]]

    initial, *functions, player = GAMES["matches"]
    table = table_from_functions(initial, *functions, player=player, name="seen", observe=observe)
    texts = [table.game.format_position(table.state(state)) for state in range(table.num_states)]
    expected = [observe(ast.literal_eval(text.partition("#")[0])) for text in texts]
    assert api.observation_shape(table.game.initial_state) == (1, 1, 3)
    assert [api.observe(table.state(state)).ravel().tolist() for state in range(table.num_states)] == expected
    assert table_inputs(table, False).tolist() == expected
    run_ = train(start_training(TrainingConfig(game="seen", algorithm="dqn", episodes=20, hidden="4", warm_up=2)))
    assert run_.values.network.sizes == (3, 4, 3)
    for algorithm in ("dqn", "alphazero"):
        with pytest.raises(UsageError, match="expected input 'planes' for seen, got 'marks'"):
            TrainingConfig(game="seen", algorithm=algorithm, input="marks")
    run_.save(tmp_path / "network.npz")
    assert load(tmp_path / "network.npz").values.sha256() == run_.sha256()
    table_from_functions(initial, *functions, player=player, name="seen", observe=lambda state: observe(state)[::-1])
    with pytest.raises(FileFormatError, match="the rules of seen, or the inputs of its states, have changed since"):
        load(tmp_path / "network.npz")


def test_the_game_of_the_examples():
    """Dots and Boxes beside OpenSpiel's."""
    text = (REPOSITORY / "docs" / "examples" / "dots_and_boxes.py").read_text(encoding="utf-8")
    exec(compile(text, "dots_and_boxes.py", "exec"), names := {"__name__": "dots_and_boxes"})
    table = names["table"]
    assert not table.game.alternates and table.num_states > 1000
    shown = run("show", "h00 v00", "--game", "dots", "--agents", "minimax", "-f", "json").json()["rows"]
    assert len(shown) == 10 and {"value_x", "distance"} <= shown[0].keys()
    pytest.importorskip("pyspiel")
    theirs = table_of("openspiel:dots_and_boxes(num_rows=2,num_cols=2)")
    assert solution_of(theirs).value[0] == solution_of(table).value[0] == names["value"]
    ours, other = (as_policy("random", one.game) for one in (table, theirs))
    assert exact_fractions(ours, ours) == exact_fractions(other, other)
    assert best_response(ours, 2).value[0] == pytest.approx(best_response(other, 2).value[0], rel=0, abs=1e-12)
    assert names["best"] == best_response_policy(ours)
    assert api.num_actions(table.game.initial_state) == 12


def test_without_a_function_of_players_they_move_in_turn():
    initial, *functions, player = GAMES["matches"]
    told = table_from_functions(initial, *functions, player=player, name="told")
    alternating = table_from_functions(initial, *functions, name="alternating")
    assert set(told.player[told.status == api.ONGOING].tolist()) == {1, 2}
    for name in ("player", "status", "ply", "child"):
        assert np.array_equal(getattr(alternating, name), getattr(told, name)), name
