"""Self-play: the fast kernels learn the tables of the plain ones and of the reference, bit for bit."""

import numpy as np
import pytest
import self_play_reference
from training_checks import INDEX, TABLE, epsilon_of, step_size_of

from baselines.chunks import gap_slots, one_chunk
from baselines.self_play import learn_plain, learn_plain_double, plain_game
from pairwise import corners
from ttt_fast import TrainingConfig, train
from ttt_fast.kernels import chunk_stream
from ttt_fast.learn.self_play.game import self_play_game, self_play_workspace
from ttt_fast.learn.self_play.kernels import learn_chunks, rank_all

GAME, PLAIN = self_play_game(TABLE), plain_game(TABLE)
LEGAL = TABLE.legal_action_mask
NUM_EDGES = GAME.link.size
REWARDS = np.array([[1.0, 0.0, -1.0], [-1.0, 0.0, 1.0]])
HENSLER = np.array([[10.0, 2.0, -10.0], [-10.0, 2.0, 10.0]])
UNEQUAL = np.array([[0.5, -0.25, 0.0], [1.0, 0.125, 3.0]])

# Chunks of (episodes, alpha, epsilon, gamma).
SHORT = [(300, 0.3, 0.4, 0.9), (200, 0.1, 0.05, 1.0), (50, 0.1, 0.0, 1.0), (50, 0.5, 1.0, 1.0), (1, 0.1, 0.001, 1.0),
         (0, 1.0, 0.0, 1.0)]  # fmt: skip
LONG = [*((40_000, 0.1, epsilon, 1.0) for epsilon in (0.0, 0.001, 0.05, 0.2, 0.5, 1.0)), (60_000, 0.01, 0.2, 0.9)]


def fast(tables, chunks, rewards=REWARDS, initial=0.0, **options):
    """Edge values, counts and marks."""
    counts = np.zeros(3, np.int64)
    space = self_play_workspace(GAME, np.full((tables, NUM_EDGES), initial), rewards, **options)
    rank_all(GAME, space)
    for i, (episodes, alpha, epsilon, gamma) in enumerate(chunks):
        chunk = one_chunk(episodes, alpha, epsilon, chunk_stream(0, i))
        learn_chunks(GAME, space._replace(discount=gamma), chunk, counts)
    return space.q[:, :NUM_EDGES], counts, space.visited[:NUM_EDGES]


def plain(tables, chunks, rewards=REWARDS, initial=0.0, random_ties=False):
    """Edge values and counts of the plain kernels."""
    q, counts = np.full((tables, *LEGAL.shape), initial), np.zeros(3, np.int64)
    kernel = learn_plain if tables == 1 else learn_plain_double
    for i, (episodes, alpha, epsilon, gamma) in enumerate(chunks):
        kernel(q, PLAIN, rewards, gap_slots(epsilon), random_ties, episodes, alpha, gamma, chunk_stream(0, i), counts)
    return q[:, LEGAL], counts


def slow(tables, chunks, rewards=REWARDS, initial=0.0, seed=0, **options):
    """Edge values, counts and marks of the reference."""
    learner = self_play_reference.Learner(tables, rewards.tolist(), initial=initial, **options)
    for i, (episodes, alpha, epsilon, gamma) in enumerate(chunks):
        learner.chunk(episodes, alpha, epsilon, gamma, int(chunk_stream(seed, i)))
    q, visited = np.full((tables, *LEGAL.shape), initial), np.zeros(LEGAL.shape, bool)
    for table, values in zip(q, learner.q, strict=True):
        for (board, action), value in values.items():
            table[INDEX[board], action] = value
            visited[INDEX[board], action] = True
    return q[:, LEGAL], np.array(learner.counts), visited[LEGAL]


@pytest.mark.slow
@pytest.mark.parametrize(("rewards", "initial"), [(REWARDS, 0.0), (HENSLER, 0.0), (UNEQUAL, 0.5), (REWARDS, 1.0)])
@pytest.mark.parametrize("tables", [1, 2])
@pytest.mark.parametrize("random_ties", [False, True])
def test_runs_are_those_of_the_reference_and_of_the_plain_kernels(tables, random_ties, rewards, initial):
    for chunks in (SHORT, LONG):
        given = tables, chunks, rewards, initial
        one, other = fast(*given, random_ties=random_ties), plain(*given, random_ties=random_ties)
        assert one[0].tobytes() == other[0].tobytes() and one[1].tolist() == other[1].tolist()
        assert one[1].sum() == sum(chunk[0] for chunk in chunks)
        if chunks is SHORT:
            third = slow(*given, random_ties=random_ties)
            assert one[0].tobytes() == third[0].tobytes() and one[1].tolist() == third[1].tolist()
            assert np.array_equal(one[2], third[2])


@pytest.mark.parametrize("epsilon", [0.0, 0.001, 0.05, 0.3, 1.0])
def test_the_slots_of_the_gaps_have_the_geometric_chances(epsilon):
    """The chance of every outcome, read off the table: within 2**-31 of what it should be."""
    chances = np.zeros(64)
    for word in gap_slots(epsilon).tolist():
        share = (word >> 12) / 2**32
        chances[word & 63] += share / 64
        chances[word >> 6 & 63] += (1 - share) / 64
    expected = [epsilon * (1 - epsilon) ** i for i in range(63)] + [(1 - epsilon) ** 63]
    np.testing.assert_allclose(chances, expected, rtol=0, atol=2**-31)


SMALL = TrainingConfig("self", episodes=450, chunk_episodes=180, evaluations=3, seed=17)
CONFIGS = [
    {"step_size": "0.1", "epsilon": "0.1"},
    {"step_size": "geometric:0.8,0.01", "epsilon": "linear:1,0.1", "discount": 0.9, "initial_q": 0.6},
    {"draw_reward": 0.5, "loss_reward": 0.0, "epsilon": "0", "step_size": "1", "initial_q": 2.0},
    {"win_reward": 10.0, "draw_reward": 2.0, "loss_reward": -7.0, "discount": 1},
]


@pytest.mark.parametrize(("algorithm", "tie", "changes"), corners(["q", "double-q"], ["first", "random"], CONFIGS))
def test_training_is_the_reference_with_the_schedules_of_the_chunks(algorithm, tie, changes):
    config = SMALL.replace(algorithm=algorithm, tie=tie, **changes)
    run = train(config)
    chunks = [
        (episodes, step_size_of(config, chunk), epsilon_of(config, chunk), config.settings.discount)
        for chunk, episodes in enumerate((180, 180, 90))
    ]
    rewards = np.array([config.settings.rewards, config.settings.rewards[::-1]])
    q, counts, visited = slow(
        len(run.tables), chunks, rewards, config.settings.initial_q, config.seed, random_ties=tie == "random"
    )
    assert run.tables[:, LEGAL].tobytes() == q.tobytes()
    assert not run.tables[:, ~LEGAL].any()
    assert run.counts.tolist() == counts.tolist()
    assert np.array_equal(run.updates[LEGAL], visited.astype(np.int64))
    assert not run.updates[~LEGAL].any()
