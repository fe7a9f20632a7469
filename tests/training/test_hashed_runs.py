"""Runs over a hash table: checkpoints on the way, curves, files that are checked, and players."""

import numpy as np
import pytest
from training_checks import config_of, whole

import ttt_fast
from ttt_fast import AgentError, FileFormatError, TrainingRun, as_player, parse_game, train
from ttt_fast.agents.learned import load_player
from ttt_fast.core.archive import read_meta
from ttt_fast.games import api
from ttt_fast.learners import start_training
from ttt_fast.search.player import Analyst
from ttt_fast.training import loop as training

NAMES = "hashed afterstate", "hashed q"


@pytest.fixture(scope="module", params=NAMES)
def run(request):
    """A run that nobody disturbed."""
    return whole(request.param)


def test_checkpoints_on_the_way(run, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "MAX_SHARE_OF_SAVING", 1e9)
    path, done, kept = tmp_path / "run.npz", [], []

    def on_chunk(episodes, latest):
        if path.exists():
            done.append(read_meta(path)["chunks_done"])
            if done[-1] in (1, 6, 13):
                kept.append(TrainingRun.load(path))

    new = start_training(run.config.replace(judges=""))  # these change no bit of the table, as is tested below
    train(new, checkpoint=path, checkpoint_every=1e-9, on_chunk=on_chunk)
    assert done == list(range(1, 14)) and [one.chunks_done for one in kept] == [1, 6, 13]
    assert train(kept[1]).sha256() == run.sha256() == TrainingRun.load(path).sha256()


def test_the_curve(run):
    assert run.curve().columns == [
        "episodes", "value", "states",
        *(f"{result}_v_{judge}" for judge in ("random", "default") for result in ("wins", "draws", "losses")),
    ]  # fmt: skip
    assert run.curve()["episodes"].to_list() == [750, 1350, 2000]
    assert run.history[-1, 1] == len(run.hashed)
    shares = [number / 200 for one in run.samples(200) for number in (one.wins, one.draws, one.losses)]
    assert run.history[-1, 2:].tolist() == shares
    assert run.history[:, 2:5].sum(axis=1) == pytest.approx(1)


def test_judges_and_evaluations_change_no_bit_of_the_table(run):
    other = train(run.config.replace(judges="", evaluations=50))
    assert other.sha256() == run.sha256()
    assert other.columns == ("episodes", "states") and other.history.shape == (14, 2)


def test_judges_with_options_of_their_own():
    config = config_of("hashed q", judges="mcts:sims=5,c=1, default:skill=0.5,random")
    assert [spec.text for spec in config.judges.specs] == ["mcts:sims=5,c=1", "default:skill=0.5", "random"]
    with pytest.raises(AgentError, match="nobody"):
        train(config_of("hashed q", judges="random,nobody"))


# --- Files.


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "run.npz"
    train(config_of("hashed afterstate", episodes=150, judges="")).save(path)
    return path


def test_the_same_run_gives_the_same_file(stored, tmp_path):
    TrainingRun.load(stored).save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == stored.read_bytes()


# --- Players.


def test_the_player_plays_the_highest_value_and_tells_all_that_it_knows(run):
    player, game = run.player(), run.config.game
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
    assert player.memory_bytes == run.hashed.memory_bytes


def test_what_was_learned_is_better_than_nothing(run):
    before, after = (one.samples(400)[0] for one in (start_training(run.config), run))
    assert before.games == after.games == 400
    assert after.score_low > before.score_high or after.score > 0.7


def test_a_share_of_random_moves_makes_a_random_player(stored):
    played = ttt_fast.contest(f"{stored}:eps=1", "random", ttt_fast.ContestConfig(400, game="connect4", seats="both"))
    assert 0.4 < played.summary[0]["score"] < 0.6


def test_a_file_plays_its_own_game_only(stored, tmp_path):
    game = parse_game("connect4:columns=7")
    player = as_player(f"{stored}:eps=0.25", game)
    assert (player.name, player.epsilon) == (f"{stored}:eps=0.25", 0.25)
    assert load_player("one", stored, game).learned is load_player("other", stored, game).learned
    for other in ("connect4:columns=6,rows=7", "connect4:length=5", "ultimate"):
        with pytest.raises(AgentError, match=rf"{other}.*trained on connect4"):
            as_player(str(stored), parse_game(other))
    with pytest.raises(AgentError, match=r"expected a player of tic-tac-toe.*trained on connect4"):
        as_player(str(stored), parse_game("tic-tac-toe"))
    with pytest.raises(FileFormatError, match="cannot read"):
        as_player(str(tmp_path / "missing.npz"), game)


def test_copies_of_a_game_narrow_no_interval_of_a_sample():
    run = ttt_fast.train(game="connect4", episodes=1000, judges="centre-first")
    few, many = (run.samples(games)[0] for games in (2, 100))
    assert (many.games, many.distinct_games) == (100, 2)
    assert (many.score_low, many.score_high) == pytest.approx((few.score_low, few.score_high))
