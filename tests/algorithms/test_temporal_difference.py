"""Runs of TD(lambda) over n-tuples: curves, policies, players, leaves and the command."""

import json

import numpy as np
import pytest
from training_checks import SMALL_GAME, whole

from cli_runner import run as run_command
from ttt_fast import AgentError, TrainingRun, as_player, as_policy, parse_game, table_of
from ttt_fast.evaluators import init, position_value
from ttt_fast.games import api


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """The file of a run on a game without a table."""
    path = str(tmp_path_factory.mktemp("stored") / "large.npz")
    whole("td large").save(path)
    return path


def test_curves_show_what_is_learned():
    assert whole("td small").curve()["agreement"].to_list()[-1] > 0.95
    run = whole("td large")
    assert run.columns[:2] == ("episodes", "agreement") and 0.3 < run.history[-1, 1] < 1.0


def test_over_a_table_they_are_a_policy_and_the_player_plays_it(tmp_path):
    path, table, run = str(tmp_path / "small.npz"), table_of(SMALL_GAME), whole("td small")
    run.save(path)
    greedy, player = as_policy(path, SMALL_GAME).greedy_actions(), run.player()
    for index in range(0, table.num_states, 211):
        if table.status[index] == api.ONGOING:
            found = player.search(table.state(index))
            assert found.action == greedy[index]
            assert found.value == max(player.action_values(table.state(index)).values())


def test_a_file_is_a_player_and_an_evaluator_of_its_game(large):
    game, values = parse_game("connect4"), whole("td large").values
    player, state = as_player(large, game), game.state_after("4455")
    player.begin(np.uint64(3))
    result, known = player.search(state), player.action_values(state)
    assert result.value == max(known.values()) == known[result.action] and result.nodes == 7
    assert player.memory_bytes == values.memory_bytes
    evaluator = values.evaluator()
    init(evaluator, state)
    assert position_value(evaluator, 0, state, np.uint64(1))[0] == values.value(state)
    other = parse_game("connect4:columns=6,rows=7")
    for agent in (large, f"alphabeta:depth=1,eval={large}"):
        with pytest.raises(AgentError, match="which was trained on connect4"):
            as_player(agent, other)


def test_the_command(tmp_path):
    path = tmp_path / "c4.npz"
    command = ["train", "--game", "connect4", "--algorithm", "td", "--tuples", "5", "--tuple-cells", "4", "-n", "200"]
    ran = run_command(*command, "--judges", "random", "-o", str(path), "--format", "json")
    assert ran.code == 0 and TrainingRun.load(path).episodes == 200
    last = json.loads(ran.text)["rows"][-1]
    weights = TrainingRun.load(path).values.tables.weights
    assert (last["weights"], last["used_weights"]) == (weights.size, np.count_nonzero(weights))
