"""Runs over a hash table: the same bits however often they are interrupted, files that are checked, and players."""

import importlib
import json
import signal
import subprocess
import sys

import numpy as np
import pytest

import ttt_fast
from conftest import PATIENCE
from ttt_fast.agents.convert import as_player
from ttt_fast.agents.learned import load_player
from ttt_fast.core.archive import read_meta
from ttt_fast.core.errors import AgentError, FileFormatError, UsageError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.learn import training
from ttt_fast.learn.checkpoint import load_training, save_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.history import sampled_row, sampled_strength
from ttt_fast.learn.settings import SAI
from ttt_fast.learn.training import start_training, train
from ttt_fast.search.player import Analyst

SETTINGS = {"episodes": 2000, "chunk_episodes": 150, "step_size": "0.1", "epsilon": "0.3", "evaluations": 3, "seed": 7}
GOLDEN = {
    "afterstate": "59f4a1e29ea555d0894ada964f9fa73196d5ab2915b3fb5394e2047a42555a86",
    "q": "30647bc226363c6753ae59da2a74f43ad07d72da73ec5e32c316821436a8cd88",
}


def config_of(algorithm, **changes):
    return TrainingConfig(game="connect4", **{**SETTINGS, "algorithm": algorithm, **changes})


@pytest.fixture(scope="module", params=["afterstate", "q"])
def whole(request):
    """A run that nobody disturbed."""
    return train(start_training(config_of(request.param)))


def test_golden_tables(whole):
    assert whole.sha256() == GOLDEN[whole.config.algorithm]
    assert whole.complete and whole.episodes == 2000 == int(whole.counts.sum())


def test_an_interrupted_run_goes_on_in_the_same_bits(whole, tmp_path):
    path = tmp_path / "run.npz"
    run = start_training(whole.config)
    stops = 0
    while not run.complete:

        def on_chunk(episodes, latest):
            if episodes // 150 % 4 == 3:
                signal.raise_signal(signal.SIGINT)

        train(run, checkpoint=path, on_chunk=on_chunk, on_interrupt="return")
        run = load_training(path)
        stops += 1
    assert stops == 4
    assert run.sha256() == whole.sha256()
    assert run.counts.tolist() == whole.counts.tolist()
    assert run.history.tobytes() == whole.history.tobytes()
    for one, other in zip(run.hashed.sorted_rows(), whole.hashed.sorted_rows(), strict=True):
        assert one.tobytes() == other.tobytes()


def test_checkpoints_on_the_way(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "MAX_SHARE_OF_SAVING", 1e9)
    path, done, kept = tmp_path / "run.npz", [], []

    def on_chunk(episodes, latest):
        if path.exists():
            done.append(read_meta(path)["chunks_done"])
            if done[-1] in (1, 6, 13):
                kept.append(load_training(path))

    run = start_training(whole.config.replace(judges=""))  # these change no bit of the table, as is tested below
    train(run, checkpoint=path, checkpoint_every=1e-9, on_chunk=on_chunk)
    assert done == list(range(1, 14)) and [run.chunks_done for run in kept] == [1, 6, 13]
    assert train(kept[1]).sha256() == whole.sha256() == load_training(path).sha256()


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf")])
def test_an_interval_of_checkpoints_is_a_number_above_0(whole, seconds):
    with pytest.raises(UsageError, match=r"above 0 between checkpoints, got "):
        train(start_training(whole.config), checkpoint_every=seconds)


def test_the_curve(whole):
    assert whole.curve().columns == [
        "episodes", "states", *(f"{result}_v_{judge}" for judge in ("random", "default")
                                for result in ("wins", "draws", "losses")), "value"
    ]  # fmt: skip
    assert whole.curve()["episodes"].to_list() == [750, 1350, 2000]
    assert whole.history[-1].tobytes() == sampled_row(whole.config, whole.values, 2000).tobytes()
    assert whole.history[-1, 1] == len(whole.hashed)
    assert whole.history[:, 2:5].sum(axis=1) == pytest.approx(1)


def test_judges_and_evaluations_change_no_bit_of_the_table(whole):
    other = train(start_training(config_of(whole.config.algorithm, judges="", evaluations=50)))
    assert other.sha256() == whole.sha256()
    assert other.columns == ("episodes", "states") and other.history.shape == (14, 2)


def test_judges_with_options_of_their_own():
    config = config_of("q", judges="mcts:sims=5,c=1, default:skill=0.5,random")
    assert [spec.text for spec in config.judge_specs] == ["mcts:sims=5,c=1", "default:skill=0.5", "random"]
    with pytest.raises(AgentError, match="nobody"):
        train(start_training(config_of("q", judges="random,nobody")))


def test_settings_that_do_not_fit():
    for changes in ({"algorithm": "reinforce"}, {"credit": "nobody's"}, {"algorithm": "q", "credit": SAI}):
        with pytest.raises(UsageError, match="expected"):
            TrainingConfig(game="connect4", **changes)


# --- Files.


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "run.npz"
    save_training(path, train(start_training(config_of("afterstate", episodes=150, judges=""))))
    return path


def test_the_same_run_gives_the_same_file(stored, tmp_path):
    save_training(tmp_path / "again.npz", load_training(stored))
    assert (tmp_path / "again.npz").read_bytes() == stored.read_bytes()


# --- Players.


def test_the_player_plays_the_highest_value_and_tells_all_that_it_knows(whole):
    player, game = whole.player(), whole.config.played
    assert isinstance(player, Analyst)
    player.begin(np.uint64(5))
    known = 0
    for moves in ("", "4", "44", "1234567", "11111122"):
        state = game.state_after(moves)
        result, values = player.search(state), player.action_values(state)
        known += len(values)
        assert set(values) <= set(api.legal_actions(state))
        scores = {action: values.get(action, 0.0) for action in api.legal_actions(state)}
        assert result.value == max(scores.values())
        assert result.action == min(action for action, score in scores.items() if score == result.value)
    assert known >= 14
    assert player.action_values(game.state_after("7763544621533476")) == {}
    assert player.memory_bytes == whole.hashed.memory_bytes


def test_what_was_learned_is_better_than_nothing(whole):
    nothing = start_training(whole.config)
    before, after = (sampled_strength(run.config, run.player(), "random", 400) for run in (nothing, whole))
    assert after.score_low > before.score_high or after.score > 0.7
    half = sampled_strength(whole.config, whole.player(1), "random", 400)
    assert 0.4 < half.score < 0.6


def test_a_file_plays_its_own_game_only(stored, tmp_path):
    game = parse_game("connect4:columns=7")
    player = as_player(f"{stored}:eps=0.25", game)
    assert (player.name, player.epsilon) == (f"{stored}:eps=0.25", 0.25)
    assert load_player("one", stored, game)._table is load_player("other", stored, game)._table
    for other in ("connect4:columns=6,rows=7", "connect4:length=5", "ultimate"):
        with pytest.raises(AgentError, match=rf"{other}.*trained on connect4"):
            as_player(str(stored), parse_game(other))
    with pytest.raises(AgentError, match=r"expected a player of tic-tac-toe.*trained on connect4"):
        as_player(str(stored), parse_game("tic-tac-toe"))
    with pytest.raises(FileFormatError, match="cannot read"):
        as_player(str(tmp_path / "missing.npz"), game)


SECOND_PROCESS = """
import json, sys
import numpy as np
from ttt_fast.learn import afterstates, general
from ttt_fast.learn.checkpoint import load_training, save_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.values import choice, hashed

settings, path = json.loads(sys.argv[1]), sys.argv[2]
found = {}
for algorithm in ("afterstate", "q"):
    config = TrainingConfig(game="connect4", algorithm=algorithm, **settings)
    save_training(path, train(start_training(config)))
    run = load_training(path)
    player = run.player()
    player.search(config.played.initial_state), player.action_values(config.played.initial_state)
    found[algorithm] = run.sha256()
kernels = [afterstates.learn_boards, general.learn_actions, choice.choose_greedy, hashed._move_rows, hashed._fill_slots]
used = [sum(one.stats.cache_hits.values()) for one in kernels]
missed = [sum(one.stats.cache_misses.values()) for one in kernels]
print(json.dumps([found, used, missed]))
"""


@pytest.mark.slow
def test_a_second_process_finds_the_kernels_and_the_same_bits(tmp_path):
    for other in ("search.mcts.player", "search.rewards.ultimate"):  # entries are the same whatever else is imported
        importlib.import_module(f"ttt_fast.{other}")
    for algorithm in GOLDEN:  # whatever is not compiled yet is now
        run = train(start_training(config_of(algorithm, episodes=150)))
        save_training(tmp_path / "run.npz", run)
        player = load_training(tmp_path / "run.npz").player()
        player.search(run.config.played.initial_state), player.action_values(run.config.played.initial_state)
    words = [json.dumps(SETTINGS), str(tmp_path / "other.npz")]
    done = subprocess.run(
        [sys.executable, "-c", SECOND_PROCESS, *words], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    found, used, missed = json.loads(done.stdout.splitlines()[-1])
    assert found == GOLDEN
    assert min(used) > 0 and sum(missed) == 0


def test_copies_of_a_game_narrow_no_interval_of_a_sample():
    run = ttt_fast.train(game="connect4", episodes=1000, judges="centre-first")
    few, many = (run.samples(games)[0] for games in (2, 100))
    assert (many.games, many.distinct_games) == (100, 2)
    assert (many.score_low, many.score_high) == pytest.approx((few.score_low, few.score_high))
