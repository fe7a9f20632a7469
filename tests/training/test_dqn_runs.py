"""Runs of deep Q-learning: the same bits however they are called, the kept network, policies, players and opponents."""

import os
import sys
from contextlib import closing

import numpy as np
import pytest
from training_checks import TABLE, bits, check_resumed, config_of, whole

import ttt_fast
from cli_runner import run_python
from custom_games import AGAIN
from ttt_fast import TrainingConfig, TttFastError, as_player, as_policy, exact_outcome, exploitability, train
from ttt_fast.algorithms.dqn import learner
from ttt_fast.games import api
from ttt_fast.learners import Sweep
from ttt_fast.running.api import ThreadExecutor

CASES = ["dqn x v random", "dqn self-play", "dqn connect4", "dqn o v default"]
WALKED = {"game": "connect4", "opponent": "default:skill=0.9", "judges": "", "seat": 2, "episodes": 60}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("limit", ["EPISODES_A_CALL", "MOST_KNOWN"])
def test_calls_and_known_values_change_no_bit(case, limit, monkeypatch):
    monkeypatch.setattr(learner, limit, 1)
    assert bits(train(config_of(case))) == bits(whole(case))


BITS = """
import sys
from test_dqn_runs import hashes
print(*hashes(int(sys.argv[1]), *sys.argv[2:]))
"""


def hashes(episodes, *others):
    """Of a run with each optimizer, and of other runs."""
    settings = {"episodes": episodes, "input": "planes", "leak": 0.01, "evaluations": 1}
    runs = [train(config_of(**settings, optimizer=one)) for one in ("sgd", "momentum", "rmsprop", "adam")]
    return [run.sha256() for run in (*runs, *map(whole, others))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "words"),
    [({"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": ""}, [60, "alphazero"]), ({"NUMBA_DISABLE_JIT": "1"}, [6])],
    ids=["AVX2", "Python"],
)
def test_networks_have_the_same_bits_on_other_processors_and_as_python(settings, words):
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert run_python("-c", BITS, *words, env=path | settings).text.split() == hashes(*words)


def test_the_kept_network_is_the_best_of_the_curve():
    run, last = whole("dqn x v random"), train(config_of(keep="last"))
    rows = run.curve()["value"]
    for kept, value in ((run, rows.max()), (last, rows[-1])):
        assert exact_outcome(kept.policy(), "random").value == pytest.approx(value, abs=1e-12)
    assert last.history.tobytes() == run.history.tobytes()
    run = whole("dqn self-play")
    assert exploitability(run.policy()) == pytest.approx(run.curve()["exploitability"].min(), abs=1e-12)


def test_threads_of_a_sweep_change_no_bit(tmp_path):
    plain = {name: value for name, value in config_of().as_dict().items() if name not in ("seed", "hidden")}
    sweep = Sweep(plain, {"hidden": ["16", "8,8"]}, [5, 6])
    for threads in (1, 3):
        with closing(ThreadExecutor(threads)) as executor:
            sweep.run(range(4), tmp_path / str(threads), executor)
    one, other = (sweep.merged(tmp_path / folder).collect().drop("seconds") for folder in ("1", "3"))
    assert one.equals(other) and one["sha256"].n_unique() == 4
    assert one["sha256"][0] == whole("dqn x v random").sha256()


@pytest.mark.slow
def test_the_usual_settings_reach_the_optimum():
    both = train(TrainingConfig("self", algorithm="dqn", seed=1))
    assert exploitability(both.policy()) == 0


def test_curves_and_counts():
    assert whole("dqn x v random").columns[:4] == ("episodes", "wins", "draws", "losses")
    assert whole("dqn connect4").columns == ("episodes", "wins_v_random", "draws_v_random", "losses_v_random")
    assert whole("dqn o v default").columns == ("episodes",)
    assert [int(whole(case).counts.sum()) for case in CASES] == [300, 200, 60, 60]


def test_a_network_over_a_table_is_a_policy(tmp_path):
    path, run = tmp_path / "x.npz", whole("dqn x v random")
    run.save(path)
    policy = as_policy(str(path))
    assert np.array_equal(policy.edge_probabilities, run.policy().edge_probabilities)
    q, held = TABLE.dense(run.values.q, -np.inf), run.values.held
    assert np.array_equal(held, TABLE.player == 1)
    assert (policy.greedy_actions()[held] == q[held].argmax(axis=1)).all()
    player = as_player(str(path), "tic-tac-toe")
    player.begin(np.uint64(1))
    assert player.search(TABLE.state(0)).action == policy.greedy_actions()[0]
    for game in ("tic-tac-toe:misere=yes", "connect4:columns=4,rows=4"):
        with pytest.raises(ttt_fast.FileFormatError, match="expected a policy for"):
            as_policy(str(path), game)


@pytest.mark.parametrize("case", ["dqn connect4", "dqn o v default"])
def test_a_network_is_a_player(tmp_path, case):
    path, game, run = tmp_path / "run.npz", ttt_fast.parse_game("connect4"), whole(case)
    run.save(path)
    player = as_player(f"{path}:eps=0.25", game)
    assert player.epsilon == 0.25 and player.memory_bytes == run.values.memory_bytes
    player, network = run.player(), run.values.network
    for moves in ("", "44", "1234567"):
        state = game.state_after(moves)
        outputs = network.outputs(api.observe(state).reshape(1, -1))[0]
        values = player.action_values(state)
        assert values == {action: float(outputs[action]) for action in api.legal_actions(state)}
        assert player.search(state).action == max(values, key=values.get)
    with pytest.raises(ttt_fast.AgentError, match=r"ultimate.*trained on connect4"):
        as_player(str(path), "ultimate")


def test_a_run_that_diverges_is_one_line():
    config = config_of(step_size="1", optimizer="sgd", loss="squared", win_reward=1e6, loss_reward=-1e6)
    with pytest.raises(TttFastError, match=r"expected finite weights, got .* updates: the network has diverged"):
        train(config)


def test_a_buffer_that_does_not_fit_is_refused_before_it_is_made():
    config = config_of(replay=10**9)
    with pytest.raises(TttFastError, match=r"expected the values of tic-tac-toe to fit 1\.00 GB .* need up to 16"):
        train(config, memory_limit=10**9)


def test_any_player_is_an_opponent_without_a_table(tmp_path):
    config = config_of(**WALKED)
    run = train(config)
    assert int(run.counts.sum()) == 60
    assert run.counts[2] > run.counts[0]  # it sees a win that is near, and a random learner does not
    check_resumed(config, tmp_path / "run.npz", whole=run)
    with pytest.raises(ttt_fast.AgentError, match="unknown agent 'nobody'"):
        train(config_of(**{**WALKED, "opponent": "nobody"}))
    punished = train(config_of(**WALKED, illegal="penalty", epsilon="0.1"))
    assert int(punished.counts.sum()) == 60 and punished.sha256() != run.sha256()


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_values_near_the_exact_ones_where_a_player_may_move_twice(opponent):
    ttt_fast.table_from_functions(*AGAIN[:4], player=AGAIN.player, name="again")
    config = config_of(
        opponent=opponent, game="again", seat=3, hidden="64,64", episodes=3000, chunk_episodes=200, epsilon="1",
        minibatch=8, step_size="linear:0.01,0.0001", replay=2000, target_every=50, evaluations=10,
    )  # fmt: skip
    assert config.settings.input == "planes"
    last = train(config).curve().row(-1, named=True)
    assert last["rms_error"] < 0.2
    assert last["exploitability"] == 0 or opponent == "random"
