"""Runs of TD(lambda) over n-tuples: the same bits however interrupted, files, players, leaves and bad input."""

import signal

import numpy as np
import pytest

from cli_runner import run as run_command
from ttt_fast.agents.convert import as_player, as_policy
from ttt_fast.core.errors import AgentError, TableSizeError, UsageError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.learn.checkpoint import load_training, save_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.search.evaluator_files import load_evaluator
from ttt_fast.search.evaluators import init, position_value
from ttt_fast.tables import table_of

SMALL = "connect4:columns=4,rows=4,length=3"
RUNS = {
    "small": {"game": SMALL, "episodes": 3000, "tuples": 20, "tuple_cells": 5, "opening_plies": 4},
    "plain steps": {"game": SMALL, "episodes": 2000, "coherent": False, "step_size": "geometric:0.3,0.05"},
    "large": {"game": "connect4", "episodes": 300, "judges": "random", "opening_plies": 6},
}
GOLDEN = {"small": "ca3fca95759499e0", "plain steps": "d00eaad2aefb7cae", "large": "7d3f88c8b52152cc"}


def config_of(case="small", **changes):
    usual = {"tuples": 12, "tuple_cells": 4, "evaluations": 2, "chunk_episodes": 100, "opening_plies": 0}
    return TrainingConfig(**{"algorithm": "td", **usual, **RUNS[case], **changes})


def bits(run):
    """Everything of a run but its wall time."""
    errors = run.values.errors.tobytes()
    return run.sha256(), errors, run.counts.tolist(), run.history.tobytes(), run.greedy.tobytes(), run.chunks_done


@pytest.fixture(scope="module")
def whole():
    """Runs that nobody disturbed."""
    return {case: train(start_training(config_of(case))) for case in RUNS}


def test_golden_weights(whole):
    assert {case: run.sha256()[:16] for case, run in whole.items()} == GOLDEN


@pytest.mark.parametrize("case", RUNS)
def test_an_interrupted_run_goes_on_in_the_same_bits(whole, case, tmp_path):
    path, run, stops = tmp_path / "run.npz", start_training(config_of(case)), 0
    while not run.complete:

        def on_chunk(episodes, latest):
            if episodes // 100 % (6 if case == "small" else 4 if case == "plain steps" else 1) in (0, 1):
                signal.raise_signal(signal.SIGINT)

        train(run, checkpoint=path, on_chunk=on_chunk, on_interrupt="return")
        run = load_training(path)
        assert (run.values.errors.size > 0) is (run.values.coherent and not run.complete)
        stops += 1
    assert stops > 1
    assert bits(run) == bits(whole[case])


def test_a_run_in_memory_goes_on_from_where_it_stands_twice(whole):
    kept = train(
        start_training(config_of()), on_chunk=lambda *_: signal.raise_signal(signal.SIGINT), on_interrupt="return"
    )
    assert kept.episodes == 100
    assert bits(train(kept)) == bits(train(kept)) == bits(whole["small"])


def test_curves_show_what_is_learned(whole):
    rows = whole["small"].curve()
    assert rows["agreement"].to_list()[-1] > 0.95
    assert whole["large"].columns[:2] == ("episodes", "agreement")
    assert 0.3 < whole["large"].history[-1, 1] < 1.0


def test_settings_change_what_is_learned(whole):
    changes = [
        {"tuples": 19}, {"tuple_cells": 3}, {"tuple_tables": 1}, {"tuple_seed": 1}, {"coherent": False},
        {"trace_decay": 0.5}, {"opening_plies": 2}, {"epsilon": 0.3}, {"step_size": 0.3}, {"seed": 6},
        {"tie": "random"},
    ]  # fmt: skip
    found = {train(start_training(config_of(**change, episodes=500))).sha256() for change in [{}, *changes]}
    assert len(found) == len(changes) + 1


# --- Files, players, leaves.


@pytest.fixture(scope="module")
def stored(whole, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    for case, run in whole.items():
        save_training(folder / f"{case}.npz", run)
    return folder


def test_over_a_table_they_are_a_policy_and_the_player_plays_it(stored, whole):
    path, table = str(stored / "small.npz"), table_of(SMALL)
    greedy, values = as_policy(path, SMALL).greedy_actions(), whole["small"].values
    for index in range(0, table.num_states, 211):
        if table.status[index] == api.ONGOING:
            (action, value, _), scores = values.choose(table.state(index), 0, np.uint64(0))
            assert action == greedy[index] and value == np.nanmax(scores)


def test_a_file_is_a_player_and_an_evaluator(stored, whole):
    path, game, values = str(stored / "large.npz"), parse_game("connect4"), whole["large"].values
    player, state = as_player(path, game), game.state_after("4455")
    player.begin(np.uint64(3))
    result, known = player.search(state), values.action_values(state)
    assert result.value == max(known.values()) == known[result.action] and result.nodes == 7
    assert player.action_values(state) == known and player.memory_bytes == values.memory_bytes
    evaluator = load_evaluator(path, game)
    init(evaluator, state)
    assert position_value(evaluator, 0, state, np.uint64(1))[0] == values.value(state)


@pytest.mark.slow
@pytest.mark.parametrize("search", ["mcts:sims=50,leaf=", "alphabeta:depth=3,eval="])
def test_searches_look_at_a_file(stored, search):
    game = parse_game("connect4")
    player = as_player(f"{search}{stored / 'large.npz'}", game)
    player.begin(np.uint64(1))
    assert player.search(game.state_after("112233")).action == 3


def test_files_of_other_games_are_refused(stored):
    path, other = str(stored / "large.npz"), parse_game("connect4:columns=6,rows=7")
    for ask in (lambda: as_player(path, other), lambda: load_evaluator(path, other)):
        with pytest.raises(AgentError, match="which was trained on connect4"):
            ask()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"game": "tic-tac-toe"}, UsageError, "expected connect4 or ultimate as the game of td, got 'tic-tac-toe'"),
        ({"opponent": "random"}, UsageError, "expected the opponent self with td, got 'random'"),
        ({"tuple_cells": 17}, UsageError, "expected tuple_cells from 1 to 12, got 17"),
        ({"game": "connect4:columns=3,rows=2,length=3", "tuple_cells": 8}, UsageError, "at most 6 cells on this board"),
        ({"tuples": 1000, "tuple_cells": 12}, TableSizeError, "expected n-tuples of at most"),
        (
            {"step_size": "visits:0.5"},
            UsageError,
            "expected step_size to depend on the episode, not on visits, with td",
        ),
        ({"discount": 0.9}, UsageError, "expected no discount with the algorithm td, got 0.9"),
        ({"hidden": "32"}, UsageError, "expected no hidden with the algorithm td, got '32'"),
        ({"algorithm": "q", "tuples": 3}, UsageError, "expected no tuples with the algorithm q, got 3"),
    ],
)
def test_mistakes_are_told_in_a_line(changes, error, message):
    usual = {"algorithm": "td", "game": "connect4", "episodes": 100}
    with pytest.raises(error, match=message):
        start_training(TrainingConfig(**{**usual, **changes}))


def test_the_command(tmp_path):
    path = tmp_path / "c4.npz"
    command = ["train", "--game", "connect4", "--algorithm", "td", "--tuples", "5", "--tuple-cells", "4", "-n", "200"]
    ran = run_command(*command, "--judges", "random", "-o", str(path), "--format", "json")
    assert ran.code == 0 and load_training(path).episodes == 200
