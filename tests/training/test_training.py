"""A run: schedule, exact scores on the way, checkpoints, and the same bits after any interruption."""

import signal
import threading
from itertools import count
from math import inf

import numpy as np
import pytest
from learn_reference import Learner
from training_checks import INDEX, TABLE, bits, epsilon_of, interrupt_after, policies, step_size_of

import ttt_fast
from baselines.one_ply import one_ply_game
from baselines.q_learning import learn_plain
from conftest import random_policy
from pairwise import corners, covering
from ttt_fast import AgentError, TrainingConfig, TrainingRun, TttFastError, UsageError, as_policy, train
from ttt_fast.kernels import chunk_stream
from ttt_fast.learners import start_training
from ttt_fast.training import loop as training_module

SMALL = TrainingConfig(episodes=25_500, chunk_episodes=1000, seed=3)


@pytest.fixture(scope="module")
def whole() -> TrainingRun:
    return train(SMALL)


# --- What is learned.


@pytest.mark.parametrize(
    ("changes", "stages"),
    [
        ({}, [0] * 5),
        ({"seat": 2}, [0] * 5),
        ({"initial_q": 0.5, "epsilon": "linear:0.5,0"}, [0] * 5),
        ({"initial_q": 1.0}, [0] * 5),  # where a target is the initial value, too, actions count as tried
        ({"opponent": "minimax:tie=first", "step_size": 1.0}, [0] * 5),
        ({"seat": 2, "discount": 0.9, "draw_reward": 0.25, "initial_q": -2.0}, [0] * 5),
        ({"win_reward": 0.0, "loss_reward": 0.0}, [0] * 5),
        ({"opponent": "minimax:tie=first@0.3>random@0.6>heuribot"}, [0, 0, 1, 2, 2]),
        ({"opponent": "random@0.25>minimax:tie=last", "seat": 2}, [0, 0, 1, 1, 1]),
        ({"opponent": "random>heuribot"}, [0, 0, 0, 1, 1]),
        ({"opponent": "mix:1/7*random+6/7*heuribot", "step_size": 1.0, "epsilon": 1.0, "initial_q": -1.0}, [0] * 5),
        ({"opponent": "mix:1/3*minimax+2/3*random", "epsilon": 0.0, "step_size": 0.03, "win_reward": 3.0}, [0] * 5),
    ],
)
def test_a_run_is_the_reference_with_the_schedule(changes, stages):
    """Values, results and which actions have been tried; an opponent begins with the first chunk after its fraction."""
    config = SMALL.replace(episodes=1800, chunk_episodes=400, **changes)
    rows = [rival.probabilities.tolist() for rival in policies(config)]
    slow = Learner(config.seat, lambda board: [], config.settings.rewards.tolist(), config.settings.initial_q)
    for chunk, episodes in enumerate((400, 400, 400, 400, 200)):
        slow.opponent = lambda board, rows=rows[stages[chunk]]: rows[INDEX[board]]
        slow.slots.clear()
        numbers = step_size_of(config, chunk), epsilon_of(config, chunk), config.settings.discount
        slow.chunk(episodes, *numbers, int(chunk_stream(config.seed, chunk)))
    q_table = np.where((TABLE.player == config.seat)[:, None] & TABLE.legal_action_mask, config.settings.initial_q, 0.0)
    visited = np.zeros(q_table.shape, bool)
    for (board, action), value in slow.q.items():
        q_table[INDEX[board], action] = value
        visited[INDEX[board], action] = True
    learned = train(config)
    assert np.array_equal(learned.q_table, q_table)
    assert learned.counts.tolist() == slow.counts
    assert np.array_equal(learned.updates > 0, visited)
    assert np.array_equal(learned.held, visited.any(axis=1))
    assert learned.policy().seats_held() == "xo"[config.seat - 1]


@pytest.mark.slow
@pytest.mark.parametrize("seat", [1, 2])
def test_the_plain_kernel_of_the_benchmarks_learns_the_same(seat):
    config, rival = SMALL.replace(opponent="heuribot", seat=seat, initial_q=0.5), as_policy("heuribot")
    plain, counts = np.full(TABLE.child.shape, config.settings.initial_q), np.zeros(3, np.int64)
    for chunk in range(config.num_chunks):
        episodes = config.episodes_after(chunk + 1) - config.episodes_after(chunk)
        numbers = step_size_of(config, chunk), epsilon_of(config, chunk), config.settings.discount
        stream = chunk_stream(config.seed, chunk)
        learn_plain(plain, one_ply_game(rival), seat, config.settings.rewards, episodes, *numbers, stream, counts)
    learned = train(config)
    assert np.array_equal(learned.q_table[learned.updates > 0], plain[learned.updates > 0])
    assert learned.counts.tolist() == counts.tolist()


# --- The schedule.


@pytest.mark.parametrize(
    ("episodes", "chunk"), [(0, 1000), (1, 1000), (999_999, 4000), (5_000_001, 20_001), (10**8, 10**5), (10**12, 10**5)]
)
def test_the_chosen_chunk_is_a_share_within_bounds(episodes, chunk):
    config = TrainingConfig(episodes=episodes)
    assert config.chunk_episodes == chunk
    assert config.episodes_after(config.num_chunks) == episodes
    assert config.episodes_after(max(config.num_chunks - 1, 0)) <= episodes - (episodes > 0)


# --- Exact scores on the way.


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("name", ["random", "rows"])
def test_scores_on_the_way_are_those_of_the_policy_at_that_moment(tmp_path, seat, name):
    """Each row of the history is the exact result of the greedy policy that a run stopped there would have."""
    rival = random_policy(1) if name == "rows" else as_policy(name)
    config = SMALL.replace(opponent=rival.signature if name == "rows" else name, seat=seat)
    whole = train(config, rival)
    assert [row[0] for row in whole.history] == [config.episodes_after(chunk) for chunk in range(1, 27)]
    for chunks in (1, 2, 13, 26):
        part = train(config, rival, on_chunk=interrupt_after(chunks), on_interrupt="return")
        policy = part.policy()
        x, o = (policy, rival) if seat == 1 else (rival, policy)
        exact = ttt_fast.exact_outcome(x, o)
        results = [exact.x_wins, exact.draws, exact.o_wins][:: 1 if seat == 1 else -1]
        np.testing.assert_allclose(whole.history[chunks - 1, 1:4], results, rtol=0, atol=1e-12)


def test_a_hundred_scores_in_a_long_run():
    episodes = train(SMALL.replace(episodes=100_000, chunk_episodes=300)).history[:, 0]
    assert len(episodes) == 100
    assert episodes[-1] == 100_000
    assert (episodes - np.arange(1, 101) * 1000 < 300).all()
    assert (episodes >= np.arange(1, 101) * 1000).all()


def test_progress_comes_with_the_latest_score():
    seen = []
    whole = train(SMALL, on_chunk=lambda episodes, latest: seen.append((episodes, latest)))
    assert [episodes for episodes, _ in seen] == [SMALL.episodes_after(chunk) for chunk in range(1, 27)]
    assert np.array_equal([latest for _, latest in seen], whole.history)


@pytest.mark.parametrize(
    ("changes", "evaluations", "episodes_at_once"),
    covering(
        [
            {},
            {"opponent": "random@0.3>minimax@0.7>random", "seat": 2},
            {"opponent": "self", "epsilon": "linear:1,0.1"},
            {"opponent": "self", "algorithm": "double-q", "tie": "random"},
            {"algorithm": "sarsa"},
        ],
        [0, 1, 7, 100],
        [1, 2500, 10**6],
    ),
)
def test_chunks_that_run_at_once_give_the_same_bits(monkeypatch, changes, evaluations, episodes_at_once):
    monkeypatch.setattr(training_module, "SECONDS_AT_ONCE", inf)
    config = SMALL.replace(evaluations=evaluations, **changes)
    seen = []
    whole = train(config, on_chunk=lambda *now: None)
    joined = train(config, on_chunk=lambda episodes, _: seen.append(episodes), episodes_at_once=episodes_at_once)
    assert bits(joined) == bits(whole)
    assert seen[-1] == config.episodes
    assert max(np.diff([0, *seen])) <= max(episodes_at_once, config.chunk_episodes)
    if episodes_at_once == 10**6:
        assert seen == [config.episodes_after(chunks) for chunks in (1, 9, 26)]
    assert bits(train(config)) == bits(whole)  # joined by default


def test_chunks_are_joined_only_while_they_are_short(monkeypatch):
    monkeypatch.setattr(training_module, "SECONDS_AT_ONCE", 0.0)
    seen = []
    train(SMALL, on_chunk=lambda episodes, _: seen.append(episodes), episodes_at_once=10**6)
    assert len(seen) == SMALL.num_chunks


@pytest.mark.parametrize(
    ("seconds", "joined"), [(0.0, [1, 8, 17]), (0.25, [1, 4, 16, 5]), (0.5, [1, 2, 4, 8, 11]), (2.0, [1] * 26)]
)
def test_as_many_chunks_are_joined_as_fit_a_second(monkeypatch, seconds, joined):
    """By a clock that goes on with each look; at most eight times as many chunks as before."""
    looks, seen = count(), []
    monkeypatch.setattr(training_module, "SECONDS_AT_ONCE", 1.0)
    monkeypatch.setattr(training_module.time, "perf_counter", lambda: seconds * next(looks))
    train(SMALL, on_chunk=lambda episodes, _: seen.append(episodes), episodes_at_once=10**6)
    assert seen == [SMALL.episodes_after(chunks) for chunks in np.cumsum(joined).tolist()]


# --- Interruptions.


@pytest.mark.parametrize(("chunks", "number"), corners([1, 25, 26], [signal.SIGINT, signal.SIGTERM], together=1))
def test_a_signal_ends_a_run_after_the_chunk(tmp_path, whole, chunks, number):
    path, before = tmp_path / "q.npz", signal.getsignal(number)
    part = train(whole.config, checkpoint=path, on_chunk=interrupt_after(chunks, number), on_interrupt="return")
    assert signal.getsignal(number) is before
    assert (part.chunks_done, part.complete) == (chunks, chunks == 26)
    assert part.history.tobytes() == whole.history[:chunks].tobytes()
    loaded = TrainingRun.load(path)
    assert bits(loaded) == bits(part)
    assert bits(train(loaded, as_policy("random"))) == bits(whole)


def test_checkpoints_on_the_way_are_what_a_kill_leaves(tmp_path, whole):
    path, copies = tmp_path / "q.npz", []
    keep = {"on_chunk": lambda *_: copies.append(path.exists() and path.read_bytes())}
    train(whole.config, checkpoint=path, checkpoint_every=1e-9, **keep)
    for copy in copies[1::8]:
        path.write_bytes(copy)
        loaded = TrainingRun.load(path)
        assert not loaded.complete
        assert bits(train(loaded, as_policy("random"))) == bits(whole)


@pytest.mark.parametrize(("seconds", "saves"), [(None, 2), (2.5, 4), (4.5, 2), (9.5, 1), (1000, 1)])
def test_checkpoints_are_as_far_apart_as_is_asked_for(tmp_path, monkeypatch, seconds, saves):
    """By a clock that goes on by a second with each chunk, over ten chunks; the last save is at the end."""
    chunks, saved, save = [], [], TrainingRun.save
    monkeypatch.setattr(training_module.time, "perf_counter", lambda: float(len(chunks)))
    monkeypatch.setattr(TrainingRun, "save", lambda *given: (saved.append(len(chunks)), save(*given)))
    every = {} if seconds is None else {"checkpoint_every": seconds}
    ten = SMALL.replace(episodes=10_000, chunk_episodes=1000)
    train(ten, checkpoint=tmp_path / "q.npz", on_chunk=lambda *now: chunks.append(now), **every)
    assert (len(chunks), len(saved), saved[-1]) == (10, saves, 10)


@pytest.mark.parametrize("seconds", [0, -1, 0.0, float("nan"), float("inf"), True, "5"])
def test_an_interval_of_checkpoints_is_a_number_above_0(seconds):
    with pytest.raises(UsageError, match=r"above 0 between checkpoints, got "):
        train(SMALL, checkpoint_every=seconds)


def test_in_another_thread_nothing_catches_signals(whole):
    results = []
    worker = threading.Thread(target=lambda: results.append(train(whole.config)))
    worker.start()
    worker.join()
    assert bits(results[0]) == bits(whole)


def test_a_finished_run_has_nothing_left_to_do(whole):
    calls = []
    again = train(whole, as_policy("random"), on_chunk=lambda *now: calls.append(now))
    assert bits(again) == bits(whole)
    assert calls == []


# --- Parts of a run.


@pytest.mark.parametrize(("until", "chunks"), [(0, 0), (1, 1), (3000, 3), (3001, 4), (25_500, 26), (10**12, 26)])
def test_a_run_stops_after_the_chunk_with_an_episode_and_goes_on(tmp_path, whole, until, chunks):
    path = tmp_path / "q.npz"
    part = train(whole.config, until=until, checkpoint=path)
    assert (part.chunks_done, part.complete) == (chunks, chunks == 26)
    assert bits(TrainingRun.load(path)) == bits(part) == bits(train(part, until=until))
    assert bits(train(part)) == bits(whole)


@pytest.mark.parametrize("until", [-1, 1.5, True, "many"])
def test_a_part_of_a_run_is_a_number_of_episodes(until):
    with pytest.raises(UsageError, match=r"^expected until (to be|from 0) .*got "):
        train(SMALL, until=until)


# --- Files.


def test_a_checkpoint_is_a_policy_file(tmp_path, whole):
    path = tmp_path / "q.npz"
    whole.save(path)
    loaded = TrainingRun.load(path)
    assert bits(loaded) == bits(whole)
    assert loaded.seconds == whole.seconds
    policy = ttt_fast.load_policy(path, TABLE)
    assert np.array_equal(policy.probabilities, whole.policy().probabilities)
    assert np.array_equal(policy.held, whole.held)
    assert np.array_equal(as_policy(str(path)).probabilities, policy.probabilities)


def test_a_checkpoint_that_cannot_be_written(tmp_path):
    with pytest.raises(TttFastError, match="cannot write"):
        train(SMALL.replace(episodes=1000), checkpoint=tmp_path / "no such folder" / "q.npz")


@pytest.mark.parametrize(
    ("settings", "judge", "seat", "value"),
    [
        ({"opponent": "self"}, "random", 1, 191 / 192),
        ({"opponent": "default", "seat": "o"}, "default", 2, None),
        ({"opponent": "random", "seat": "o", "random_opening": True}, "random", 2, None),
        ({"opponent": "random@0.5>minimax"}, "minimax", 1, 0.0),
    ],
)
def test_the_judge_of_a_curve_and_the_best_value_against_it(settings, judge, seat, value):
    run = ttt_fast.train(episodes=1000, **settings)
    assert [one.name for one in run.opponents] == [stage.text for stage in run.config.opponent.agents]
    assert run.judge().name == judge
    best = ttt_fast.best_response(judge)
    pair = (best, judge) if seat == 1 else (judge, best)
    outcome = ttt_fast.exact_outcome(*pair, random_opening=bool(settings.get("random_opening")))
    assert run.best_value() == pytest.approx(outcome.value_of(seat), abs=1e-12)
    assert value is None or run.best_value() == pytest.approx(value, abs=1e-12)


def test_settings_start_a_run_or_go_on_with_one(tmp_path):
    path, met = tmp_path / "q.npz", []
    policy = as_policy("best-response:random")
    settings = {"opponent": policy, "episodes": 3000, "chunk_episodes": 1000}
    run = train(start_training(settings, on_config=met.append), checkpoint=path)
    assert met == [run.config] and run.config.opponent.text == policy.signature and run.opponents == (policy,)
    assert [row.opponent for row in run.scorecard()] == [policy.name, "random", "minimax", "its best response"]
    again = start_training({"opponent": policy}, resume=path)
    assert again.complete and again.opponents == (policy,) and train(again).sha256() == run.sha256()
    with pytest.raises(UsageError, match=r"the run in '.*q\.npz', where episodes is 3000, got 5$"):
        start_training({"opponent": policy, "episodes": 5}, resume=path)
    with pytest.raises(AgentError, match="as an argument of train"):
        start_training({}, resume=path)
