"""Hensler's study: the run is that of the page's program, and the report says what the numbers say."""

import random

import general_reference
import numpy as np
import pytest

import reference
from study_checks import RESULTS
from ttt_fast import exact_outcome, exploitability, table_of, train
from ttt_fast.kernels import chunk_stream
from ttt_fast.learners import GeneralLearner, start_training
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.hensler import measures
from ttt_fast.studies.hensler.measures import ENDS, PUBLISHED
from ttt_fast.training import loop as training

TABLE = table_of("tic-tac-toe")


@pytest.fixture
def tables():
    return Tables(RESULTS / "hensler", "")


class Agent:
    """The class of the page, with states as tuples."""

    def __init__(self, epsilon=0.9, alpha=0.3, gamma=0.9) -> None:
        self.table, self.epsilon, self.alpha, self.gamma = {}, epsilon, alpha, gamma

    def choose(self, board, generator):
        row = self.table.setdefault(board, dict.fromkeys(reference.legal_actions(board), 0.0))
        if generator.random() < self.epsilon:
            return generator.choice(list(row))
        return generator.choice([action for action, value in row.items() if value == max(row.values())])

    def learn(self, board, action, reward, following, over):
        best = 0 if over or following not in self.table else max(self.table[following].values())
        value = self.table[board][action]
        self.table[board][action] = value + self.alpha * (reward + self.gamma * best - value)


def program(episodes, seed):
    """The training loop of the page; returns both agents and the sizes that it prints, every 1,000 episodes."""
    agents, sizes, generator = {1: Agent(), 2: Agent()}, [], random.Random(seed)
    for i in range(episodes):
        board, last = reference.START, {}
        while not reference.is_over(board):
            player = reference.mover(board)
            action = agents[player].choose(board, generator)
            before, board = board, reference.after(board, action)
            if not reference.is_over(board) and 3 - player in last:
                agents[3 - player].learn(*last[3 - player], 0, board, False)
            last[player] = before, action
        for player, agent in agents.items():
            reward = {player: 10, 0: 2}.get(reference.winner(board), -10)
            agent.learn(*last[player], reward, board, True)
            agent.epsilon = max(0.05, agent.epsilon * 0.99995)
        if i % 1000 == 0:
            sizes.append(len(agents[1].table))
    return agents, sizes


def test_the_settings_are_those_of_the_page():
    config = measures.config_of(PUBLISHED, 0, 100_000)
    settings = config.settings
    assert (settings.step_size.text, settings.discount, settings.tie, settings.initial_q) == ("0.3", 0.9, "random", 0.0)
    assert settings.rewards.tolist() == [10.0, 2.0, -10.0]
    assert config.is_self_play
    epsilons = np.maximum(0.05, 0.9 * 0.99995 ** np.arange(100_000))
    assert np.allclose(config.settings.epsilon.values(0, 100_000, 100_000), epsilons, rtol=1e-10, atol=0)


@pytest.fixture
def by_episode(monkeypatch):
    """`train` with the learner of the study, whose epsilon falls from episode to episode and not by chunks."""
    monkeypatch.setattr(training, "make_learner", GeneralLearner)


def test_a_run_is_training_with_its_settings(by_episode):
    """Its estimates are those of training, and its strength that of the greedy policy with drawn ties."""
    run, trained = measures.self_play(ENDS, 3, 6000), train(start_training(measures.config_of(ENDS, 3, 6000)))
    history = dict(zip(trained.columns[1:], trained.history.T[1:], strict=True))
    columns = dict(zip(run["columns"], np.array(run["curve"]).T, strict=True))
    for name in measures.ESTIMATES:
        assert np.array_equal(columns[name], history[name]), name
    policy = trained.policy()
    assert columns["exploitability"][-1] == exploitability(policy)
    o = exact_outcome("random", policy)
    assert [columns[f"o {one}"][-1] for one in measures.RESULTS] == [o.o_wins, o.draws, o.x_wins]


@pytest.mark.slow
def test_table_sizes_are_those_after_one_more_episode():
    """The program prints after episode i = 0, 10,000, ...: by the plain reference, with the same draws."""
    config = measures.config_of(PUBLISHED, 1, 12_000)
    slow = general_reference.GeneralLearner(
        general_reference.Rules(rewards=(10.0, 2.0, -10.0), gamma=0.9, tie="random"), opponent=None
    )
    sizes = []
    for chunk in range(6):
        first, stream = chunk * measures.CHUNK, int(chunk_stream(1, chunk))
        epsilons = config.settings.epsilon.values(first, measures.CHUNK, 1).tolist()
        if first % measures.PRINTED_EVERY == 0:
            ahead = general_reference.GeneralLearner(slow.rules, None)
            ahead.tables, ahead.updates = [dict(slow.tables[0])], dict(slow.updates)
            ahead.chunk([0.3], epsilons[:1], stream)
            sizes.append(len({board for board, _ in ahead.updates if reference.mover(board) == 1}))
        slow.chunk([0.3] * measures.CHUNK, epsilons, stream)
    assert measures.self_play(PUBLISHED, 1, 12_000)["sizes"] == sizes


@pytest.mark.parametrize("runs", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_the_pages_program_draws_from_our_distribution(by_episode, runs):
    """Table sizes after 1, 1,001 and 2,001 episodes, of runs of the page's program and as many of the kernel."""
    theirs = np.array([program(2001, seed)[1] for seed in range(runs)], float)
    ours = np.empty((runs, 3))
    for seed in range(runs):
        for number, episodes in enumerate((1, 1001, 2001)):
            held = train(start_training(measures.config_of(PUBLISHED, seed, episodes))).held
            ours[seed, number] = np.count_nonzero(held & (TABLE.player == 1))
    error = np.sqrt((theirs.var(axis=0) + ours.var(axis=0)) / runs)
    assert (np.abs(theirs.mean(axis=0) - ours.mean(axis=0)) < 4 * error).all()


def test_runs_are_those_of_the_results(tables):
    run = measures.self_play(PUBLISHED, 20, 100_000)
    committed = [(row["quantity"], row["value"]) for row in tables.where("runs", seed=20, name="the end")]
    found = list(zip(run["marks"], run["values"], strict=True))
    assert [name for name, _ in found] == [name for name, _ in committed]
    assert [value for _, value in found] == pytest.approx([value for _, value in committed], rel=1e-8, abs=1e-12)
