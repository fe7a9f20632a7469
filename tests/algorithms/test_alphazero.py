"""AlphaZero on tables: the same bits however a run is made, its exact measures, its agents, games that are refused."""

import os

import numpy as np
import pytest
from training_checks import bits, check_resumed, config_of, whole

from cli_runner import assert_one_line, run
from ttt_fast import (
    TrainingConfig,
    UsageError,
    as_player,
    as_policy,
    exact_outcome,
    exploitability,
    solution_of,
    table_of,
    train,
)
from ttt_fast.studies.alphazero.nim import nim

CASES = ["alphazero", "alphazero connect4"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_no_bit(case, threads, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(threads)))
    assert bits(train(config_of(case))) == bits(whole(case))


@pytest.mark.parametrize("case", CASES)
def test_a_run_that_is_stopped_goes_on_in_the_same_bits(case, tmp_path):
    check_resumed(config_of(case), tmp_path / "run.npz", whole=whole(case))


def test_measures_are_those_of_the_policies():
    run = whole("alphazero")
    last = run.curve().row(-1, named=True)
    network = run.values
    stochastic = run.policy(greedy=False)
    assert (stochastic.name, run.policy().name) == ("alphazero", "alphazero")
    assert last["policy_exploitability"] == pytest.approx(exploitability(stochastic), abs=1e-12)
    value = exact_outcome(stochastic, "random").value - exact_outcome("random", stochastic).value
    assert last["policy_value"] == pytest.approx(value / 2, abs=1e-12)
    assert last["exploitability"] == exploitability(run.policy())
    assert last["x_v_random_wins"] == pytest.approx(exact_outcome(run.policy(), "random").x_wins, abs=1e-12)
    values, played, table = solution_of(network.table).value, run.policy(), network.table
    lost = []
    for seat in (1, 2):
        waiting, seen = [0], set()
        while waiting:
            state = waiting.pop()
            if state in seen or table.status[state]:
                continue
            seen.add(state)
            edges = range(*table.edge_start[state : state + 2])
            if table.player[state] == seat:
                edges = [edge for edge in edges if played.edge_probabilities[edge] > 0]
                lost.append(abs(int(values[state]) - int(values[table.edge_child[edges[0]]])))
            waiting += table.edge_child[list(edges)].tolist()
    assert last["reached_regret"] == pytest.approx(np.mean(lost), abs=1e-12)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A file of a run that nobody can beat."""
    path = tmp_path_factory.mktemp("alphazero") / "good.npz"
    found = train(TrainingConfig(algorithm="alphazero", episodes=6000, evaluations=8))
    found.save(path)
    return path, found


def test_a_short_run_is_unbeatable_and_says_since_when(good):
    path, found = good
    curve = found.curve()
    assert curve["exploitability"][-1] == 0 and curve["policy_exploitability"][-1] < 0.4
    since = curve["unbeaten_since"][-1]
    rows = curve.filter(curve["episodes"] >= since)
    assert (rows["exploitability"] == 0).all() and since == rows["episodes"][0]
    searched = curve["search_exploitability"].drop_nans()
    assert 1 <= len(searched) < len(curve) and searched[-1] == 0
    assert run("score", path).code == 0 and "exploitability 0: no opponent" in run("score", path).text


def test_the_search_plays_as_its_policy(good):
    path, found = good
    table = found.values.table
    for spec in (f"puct:net={path},sims=20", f"puct:net={path},sims=20,c=3"):
        policy, player = as_policy(spec), as_player(spec, table.game)
        player.begin(np.uint64(1))
        for state in np.flatnonzero(table.player)[::97].tolist():
            assert policy.probabilities[state, player.search(table.state(state)).action] == 1
    network = as_policy(f"puct:net={path},sims=0")
    assert np.array_equal(network.edge_probabilities, found.policy(greedy=False).edge_probabilities)


def test_a_run_without_probabilities_refuses_them():
    with pytest.raises(UsageError, match=r"^greedy=False: expected alphazero or fictitious-play, got 'q'$"):
        train(TrainingConfig(episodes=10)).policy(greedy=False)


def test_the_measures_of_the_search_are_those_of_the_agent(good):
    path, found = good
    last, policy = found.curve().row(-1, named=True), as_policy(f"puct:net={path},sims=50")
    value = exact_outcome(policy, "random").value - exact_outcome("random", policy).value
    assert last["search_exploitability"] == pytest.approx(exploitability(policy), abs=1e-12)
    assert last["search_value"] == pytest.approx(value / 2, abs=1e-12)


def test_games_begin_after_random_plies():
    """Each number of plies is as frequent, moves have equal chances, and results are those of the seats."""
    games, table = 500, table_of("tic-tac-toe")
    small = {"algorithm": "alphazero", "chunk_episodes": games, "episodes": 2 * games, "evaluations": 1, "hidden": "4"}
    run = train(TrainingConfig(**small, opening_plies=2, simulations=8, updates=1), until=games)
    arrays = run.values.state
    states = arrays["states"][0][: arrays["counts"][0]]
    ply = np.searchsorted(table.ply_start, states, side="right") - 1
    begins = np.append(0, np.flatnonzero(np.diff(ply) != 1) + 1)
    assert begins.size == games
    for plies in range(3):
        assert abs((ply[begins] == plies).sum() - games / 3) < 4 * (games * 2 / 9) ** 0.5
    first = states[begins[ply[begins] == 1]]
    assert set(first.tolist()) == set(table.edge_child[:9].tolist())
    won = np.where(table.player[states[begins]] == 1, 1, -1) * arrays["values"][0][begins]
    assert run.counts.tolist() == [int((won == value).sum()) for value in (1, 0, -1)] and 0 not in run.counts


def test_the_best_network_is_kept():
    config = TrainingConfig(algorithm="alphazero", episodes=3000, evaluations=15, keep="best", seed=2)
    found = train(config)
    assert exploitability(found.policy()) == found.curve()["exploitability"].min()


@pytest.mark.slow
def test_a_custom_game_is_learned():
    """Nim with three heaps, the network of which Zhou and Riis found hard (arXiv 2205.12787)."""
    table = nim(1, 2, 3)
    found = train(TrainingConfig(algorithm="alphazero", game=table.game.spec, episodes=4000, hidden="32"))
    assert found.curve()["search_exploitability"].drop_nans()[-1] == 0


def test_a_game_without_a_choice():
    config = TrainingConfig(
        algorithm="alphazero", game="connect4:columns=1,rows=4", episodes=40, chunk_episodes=20, minibatch=2, updates=2
    )
    assert train(config).curve()["exploitability"].to_list()[-1] == 0


def test_files_that_do_not_fit(good, tmp_path):
    path, _ = good
    q = tmp_path / "q.npz"
    train(TrainingConfig(episodes=100)).save(q)
    for agent, code, line in (
        ("puct", 2, "expected net=FILE, a network of `train --algorithm alphazero`, got 'puct'"),
        (f"puct:net={q}", 2, "a file of 'edges' values without a policy"),
        (f"puct:net={tmp_path / 'none.npz'}", 1, "cannot read"),
        (f"puct:net={path},sims=-1", 2, "sims"),
    ):
        assert_one_line(run("score", agent), code, line)
    assert_one_line(run("score", f"puct:net={path}", "--game", "tic-tac-toe:misere=yes"), 2, "which was trained on")
    assert_one_line(run("train", "--resume", path, "--simulations", "7"), 2, "simulations")
