"""Self-play: the fast kernels learn the tables of the plain ones and of the reference, bit for bit."""

import numpy as np
import pytest
import self_play_reference
from training_checks import INDEX, TABLE, epsilon_of, step_size_of

from baselines.chunks import gap_slots
from baselines.self_play import learn_plain, learn_plain_double, plain_game
from pairwise import covering
from ttt_fast import TrainingConfig, train
from ttt_fast.kernels import chunk_stream

PLAIN = plain_game(TABLE)
LEGAL = TABLE.legal_action_mask


def slow(tables, chunks, rewards, initial, seed, **options):
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


@pytest.mark.parametrize("epsilon", [0.0, 0.001, 0.05, 0.3, 1.0])
def test_the_slots_of_the_gaps_have_the_geometric_chances(epsilon):
    """Those of the reference, whose draws the kernels have: within 2**-31 of what they should be."""
    chances = np.zeros(64)
    for threshold, own, other in self_play_reference.gap_table(epsilon):
        share = threshold / 2**32
        chances[own] += share / 64
        chances[other] += (1 - share) / 64
    expected = [epsilon * (1 - epsilon) ** i for i in range(63)] + [(1 - epsilon) ** 63]
    np.testing.assert_allclose(chances, expected, rtol=0, atol=2**-31)


SMALL = TrainingConfig("self", episodes=450, chunk_episodes=180, evaluations=3, seed=17)
CONFIGS = [
    {"step_size": "0.1", "epsilon": "0.1"},
    {"step_size": "geometric:0.8,0.01", "epsilon": "linear:1,0.1", "discount": 0.9, "initial_q": 0.6},
    {"draw_reward": 0.5, "loss_reward": 0.0, "epsilon": "0", "step_size": "1", "initial_q": 2.0},
    {"win_reward": 10.0, "draw_reward": 2.0, "loss_reward": -7.0, "discount": 1},
]


@pytest.mark.parametrize(("algorithm", "tie", "changes"), covering(["q", "double-q"], ["first", "random"], CONFIGS))
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "tie", "changes"),
    covering(
        ["q", "double-q"], ["first", "random"],
        [{"epsilon": "linear:1,0"}, {"epsilon": "0.001", "discount": 0.9}, {"initial_q": 0.5, "draw_reward": 0.25},
         {"win_reward": 10.0, "draw_reward": 2.0, "loss_reward": -10.0}],
    ),
)  # fmt: skip
def test_a_long_run_is_that_of_the_plain_kernels(algorithm, tie, changes):
    config = SMALL.replace(algorithm=algorithm, tie=tie, episodes=240_000, chunk_episodes=40_000, **changes)
    run, counts = train(config), np.zeros(3, np.int64)
    q = np.full((len(run.tables), *LEGAL.shape), config.settings.initial_q)
    rewards = np.array([config.settings.rewards, config.settings.rewards[::-1]])
    for chunk in range(config.num_chunks):
        alpha, epsilon = step_size_of(config, chunk), epsilon_of(config, chunk)
        (learn_plain if algorithm == "q" else learn_plain_double)(
            q, PLAIN, rewards, gap_slots(epsilon), tie == "random", config.chunk_episodes, alpha,
            config.settings.discount, chunk_stream(config.seed, chunk), counts,
        )  # fmt: skip
    assert run.tables[:, LEGAL].tobytes() == q[:, LEGAL].tobytes() and run.counts.tolist() == counts.tolist()
