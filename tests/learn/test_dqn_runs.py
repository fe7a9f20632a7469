"""Runs of deep Q-learning: the same bits however interrupted, the kept network, files, players and bad input."""

import signal
from contextlib import closing

import numpy as np
import pytest

from custom_games import AGAIN
from ttt_fast import exact_outcome, exploitability
from ttt_fast.agents.convert import as_player, as_policy
from ttt_fast.core.errors import AgentError, FileFormatError, TttFastError, UsageError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.learn.checkpoint import load_training, save_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.dqn import learner
from ttt_fast.learn.history import make_measures
from ttt_fast.learn.memory import MemoryLimitError
from ttt_fast.learn.opponents import opponents_of
from ttt_fast.learn.sweep import Sweep, run_units
from ttt_fast.learn.sweep_unit import read_unit
from ttt_fast.learn.training import start_training, train
from ttt_fast.running.executors import ThreadExecutor
from ttt_fast.tables import table_from_functions, table_of

TABLE = table_of("tic-tac-toe")
SMALL = {"hidden": "16", "minibatch": 3, "replay": 200, "warm_up": 10, "seed": 5, "evaluations": 4}
RUNS = {
    "x v random": {"episodes": 300},
    "self-play": {"opponent": "self", "episodes": 200, "hidden": "16,16"},
    "connect4": {"opponent": "self", "game": "connect4", "episodes": 60, "judges": "random", "train_every": 2},
    "o v default": {"opponent": "default", "game": "connect4", "seat": 2, "episodes": 60, "judges": ""},
}
GOLDEN = {
    "x v random": "a7d4156eef7ace63fb42c89956ab91ef2e6946746b214520f879122ef89c83f4",
    "self-play": "6e688f6a7d26d067a3e62a57cd84dd89d21ee89cf58c7aea86572d568173868f",
    "connect4": "cdd51338c93eb6fa68b05dcf2a6a7c6cc949e5c9a81a092a221fc42c68456907",
    "o v default": "ddaf00af946f7740681a421faee743f649baa4c8f27088b56daff8c1591307df",
}


def config_of(case="x v random", **changes):
    return TrainingConfig(**{"algorithm": "dqn", "chunk_episodes": 20, **SMALL, **RUNS[case], **changes})


def bits(run):
    """Everything of a run but its wall time."""
    state = {name: array.tobytes() for name, array in run.values.state.items()}
    return run.sha256(), state, run.counts.tolist(), run.history.tobytes(), run.greedy.tobytes(), run.chunks_done


@pytest.fixture(scope="module")
def whole():
    """Runs that nobody disturbed."""
    return {case: train(start_training(config_of(case))) for case in RUNS}


def test_golden_networks(whole):
    assert {case: run.sha256() for case, run in whole.items()} == GOLDEN


@pytest.mark.parametrize("case", RUNS)
@pytest.mark.parametrize("limit", ["EPISODES_A_CALL", "MOST_KNOWN"])
def test_calls_and_known_values_change_no_bit(whole, case, limit, monkeypatch):
    monkeypatch.setattr(learner, limit, 1)
    assert bits(train(start_training(config_of(case)))) == bits(whole[case])


@pytest.mark.parametrize("case", RUNS)
def test_an_interrupted_run_goes_on_in_the_same_bits(whole, case, tmp_path):
    path, run, stops = tmp_path / "run.npz", start_training(config_of(case)), 0
    while not run.complete:

        def on_chunk(episodes, latest):
            if episodes // 20 % 2 == 1:
                signal.raise_signal(signal.SIGINT)

        train(run, checkpoint=path, on_chunk=on_chunk, on_interrupt="return")
        run = load_training(path)
        assert bool(run.values.state) is not run.complete
        stops += 1
    assert stops > 1
    assert bits(run) == bits(whole[case])
    assert train(run).sha256() == run.sha256()


def test_a_run_in_memory_goes_on_from_where_it_stands_twice(whole):
    def on_chunk(episodes, latest):
        if episodes == 100:
            signal.raise_signal(signal.SIGINT)

    kept = train(start_training(config_of()), on_chunk=on_chunk, on_interrupt="return")
    assert kept.episodes == 100
    assert bits(train(kept)) == bits(train(kept)) == bits(whole["x v random"])


def test_the_kept_network_is_the_best_of_the_curve(whole):
    for case in ("x v random", "self-play"):
        run, rows = whole[case], whole[case].curve()
        measures = make_measures(run.config, opponents_of(run.config))
        row = dict(zip(measures.columns, measures(run.values.q), strict=True))
        if case == "self-play":
            assert row["exploitability"] == rows["exploitability"].min()
        else:
            assert row["wins"] - row["losses"] == (rows["wins"] - rows["losses"]).max()
    last = train(start_training(config_of(keep="last")))
    assert last.history.tobytes() == whole["x v random"].history.tobytes()
    measures = make_measures(last.config, opponents_of(last.config))
    assert measures(last.values.q)[:3].tolist() == last.history[-1, 1:4].tolist()


def test_threads_of_a_sweep_change_no_bit(whole, tmp_path):
    plain = {name: value for name, value in config_of().as_dict().items() if name not in ("seed", "hidden")}
    sweep = Sweep(plain, {"hidden": ["16", "8,8"]}, [5, 6])
    for threads in (1, 3):
        with closing(ThreadExecutor(threads)) as executor:
            run_units(sweep, range(4), tmp_path / str(threads), executor)
    one, other = (
        [read_unit(tmp_path / folder / sweep.unit(index).file_name, sweep.unit(index).name) for index in range(4)]
        for folder in ("1", "3")
    )
    found = [frame["sha256"][0] for frame in one]
    assert found == [frame["sha256"][0] for frame in other] and len(set(found)) == 4
    assert found[0] == whole["x v random"].sha256()


@pytest.mark.slow
def test_the_usual_settings_reach_the_optimum():
    run = train(start_training(TrainingConfig(algorithm="dqn", seed=1)))
    score = exact_outcome(run.policy(), as_policy("random"))
    assert score.x_wins - score.o_wins == pytest.approx(191 / 192, abs=1e-12)
    both = train(start_training(TrainingConfig("self", algorithm="dqn", seed=1)))
    assert exploitability(both.policy()) == 0


def test_curves_and_counts(whole):
    assert whole["x v random"].columns[:4] == ("episodes", "wins", "draws", "losses")
    assert whole["connect4"].columns == ("episodes", "wins_v_random", "draws_v_random", "losses_v_random")
    assert whole["o v default"].columns == ("episodes",)
    assert [int(run.counts.sum()) for run in whole.values()] == [300, 200, 60, 60]


def test_settings_change_what_is_learned(whole):
    changes = [
        {"hidden": "17"}, {"minibatch": 4}, {"optimizer": "rmsprop"}, {"replay": 100}, {"warm_up": 50},
        {"train_every": 2}, {"target_every": 5}, {"polyak": 0.01}, {"target": "expected"}, {"loss": "squared"},
        {"clip": 1e-3}, {"input": "planes"}, {"leak": 0.1}, {"double": True}, {"symmetries": False},
        {"illegal": "penalty"}, {"discount": 0.9}, {"seed": 6},
    ]  # fmt: skip
    found = {train(start_training(config_of(**change, keep="last"))).sha256() for change in [{}, *changes]}
    assert len(found) == len(changes) + 1


# --- Files and players.


@pytest.fixture(scope="module")
def stored(whole, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    for case, run in whole.items():
        save_training(folder / f"{case}.npz", run, opponents_of(run.config))
    return folder


def test_a_network_over_a_table_is_a_policy(stored, whole):
    path, run = str(stored / "x v random.npz"), whole["x v random"]
    policy = as_policy(path)
    assert np.array_equal(policy.edge_probabilities, run.policy().edge_probabilities)
    q, held = TABLE.dense(run.values.q, -np.inf), run.values.held
    assert np.array_equal(held, TABLE.player == 1)
    assert (policy.greedy_actions()[held] == q[held].argmax(axis=1)).all()
    player = as_player(path, parse_game("tic-tac-toe"))
    player.begin(np.uint64(1))
    assert player.search(TABLE.state(0)).action == policy.greedy_actions()[0]


@pytest.mark.parametrize("case", ["connect4", "o v default"])
def test_a_network_is_a_player(stored, whole, case):
    path, game = str(stored / f"{case}.npz"), parse_game("connect4")
    player = as_player(f"{path}:eps=0.25", game)
    assert player.epsilon == 0.25 and player.memory_bytes == whole[case].values.memory_bytes
    player = whole[case].player()
    network = whole[case].values.network
    for moves in ("", "44", "1234567"):
        state = game.state_after(moves)
        outputs = network.outputs(api.observe(state).reshape(1, -1))[0]
        values = player.action_values(state)
        assert values == {action: float(outputs[action]) for action in api.legal_actions(state)}
        assert player.search(state).action == max(values, key=values.get)
    with pytest.raises(AgentError, match=r"ultimate.*trained on connect4"):
        as_player(path, parse_game("ultimate"))


def test_another_game_s_network_is_one_line(stored):
    for game in ("tic-tac-toe:misere=yes", "connect4:columns=4,rows=4"):
        with pytest.raises(FileFormatError, match="expected a policy for"):
            as_policy(str(stored / "x v random.npz"), game)


BAD = {
    "optimizer": {"optimizer": "lion"},
    "hidden": {"hidden": "32,0"},
    "minibatch": {"minibatch": 0},
    "polyak": {"polyak": 0.1, "target_every": 10},
    "target": {"target": "expected", "opponent": "self"},
    "keep": {"keep": "best", "game": "connect4"},
    "step_size": {"step_size": "visits"},
    "tie": {"tie": "last"},
    "initial_q": {"initial_q": 1.0},
    "illegal_reward": {"illegal_reward": -1.0},
    "opening_plies": {"opening_plies": 4},
    "rewards": {"opponent": "self", "draw_reward": 0.5},
    "double": {"double": "yes"},
    "replay": {"replay": 1.5},
}


@pytest.mark.parametrize("name", BAD)
def test_settings_that_make_no_sense_are_one_line(name):
    with pytest.raises(UsageError, match=rf"^expected [^\n]*{name}[^\n]* got [^\n]*$"):
        config_of(**BAD[name])


def test_other_algorithms_have_none_of_these_settings():
    with pytest.raises(UsageError, match="expected no hidden with the algorithm q, got '32,32'"):
        TrainingConfig(hidden="32,32")
    assert not {"hidden", "replay", "double"} & set(TrainingConfig().as_dict())


def test_a_run_that_diverges_is_one_line():
    config = config_of(step_size="1", optimizer="sgd", loss="squared", win_reward=1e6, loss_reward=-1e6)
    with pytest.raises(TttFastError, match=r"expected finite weights, got .* updates: the network has diverged"):
        train(start_training(config))


def test_a_buffer_that_does_not_fit_is_refused_before_it_is_made():
    config = config_of(replay=10**9)
    with pytest.raises(MemoryLimitError, match=r"expected the values of tic-tac-toe to fit 1\.00 GB .* need up to 16"):
        train(start_training(config), memory_limit=10**9)


# --- Opponents that no kernel plays.

WALKED = {"game": "ultimate", "opponent": "default:skill=0.9", "judges": "", "seat": 2, "episodes": 60}


def test_any_player_is_an_opponent_without_a_table(tmp_path):
    config = config_of(**WALKED)
    whole, path, run = train(start_training(config)), tmp_path / "run.npz", start_training(config)
    assert int(whole.counts.sum()) == 60
    assert whole.counts[2] > whole.counts[0]  # it sees a win that is near, and a random learner does not
    while not run.complete:
        train(run, checkpoint=path, on_chunk=lambda *now: signal.raise_signal(signal.SIGINT), on_interrupt="return")
        run = load_training(path)
    assert bits(run) == bits(whole)
    with pytest.raises(AgentError, match="unknown agent 'nobody'"):
        start_training(config_of(**{**WALKED, "opponent": "nobody"}))
    punished = train(start_training(config_of(**WALKED, illegal="penalty", epsilon="0.1")))
    assert int(punished.counts.sum()) == 60 and punished.sha256() != whole.sha256()


# --- Games of others, in which a player may move twice.


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_values_near_the_exact_ones_where_a_player_may_move_twice(opponent):
    table_from_functions(*AGAIN[:4], player=AGAIN.player, name="again")
    config = config_of(
        opponent=opponent, game="again", seat=3, hidden="64,64", episodes=3000, chunk_episodes=200, epsilon="1",
        minibatch=8, step_size="linear:0.01,0.0001", replay=2000, target_every=50, evaluations=10,
    )  # fmt: skip
    assert config.settings.input == "planes"
    last = train(start_training(config)).curve().row(-1, named=True)
    assert last["rms_error"] < 0.2
    assert last["exploitability"] == 0 or opponent == "random"
