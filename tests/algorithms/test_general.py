"""The tabular family: the same tables as the plain references, bit for bit, and what comes of it in training."""

import numpy as np
import pytest
from general_checks import SMALL, assert_as_reference, general_run
from training_checks import TABLE, TABULAR

from pairwise import covering
from ttt_fast import TrainingConfig, exploitability, never_loses, train

SEATS = {"x": {"seat": 1}, "o": {"seat": 2}, "alternating": {"seat": 3}, "self": {"opponent": "self"}}
SETTINGS = [
    {"step_size": "0.1", "epsilon": "0.1"},
    {"step_size": "0.5", "epsilon": "0.3", "discount": 0.9, "initial_q": 0.6, "draw_reward": 0.5, "loss_reward": 0.0},
    {"step_size": "1", "epsilon": "1", "initial_q": -1.0},
    {"step_size": "0.03", "epsilon": "0", "discount": 0.95, "initial_q": 2.0, "win_reward": 3.0, "draw_reward": -0.5},
    {"step_size": "1", "epsilon": "0.5", "win_reward": 0.0, "loss_reward": 0.0},  # every value ties
    {"step_size": "visits", "epsilon": "linear:1,0.1", "discount": 0.0, "initial_q": 1.0, "draw_reward": 1.0},
    {"step_size": "visits:0.7", "epsilon": "exponential:0.9,0.99,0.05", "win_reward": 10.0, "draw_reward": 2.0},
    {"step_size": "geometric:0.8,0.01", "epsilon": "stairs:1,0.1,9,0.5", "discount": 0.999},
]


TIES = ["first", "last", "random"]
OPPONENTS = ["random", "rows-1", "minimax"]


def assert_corner(algorithm, seat, tie, opening, opponent, setting, ahead):
    """A short run; `ahead` is a place among the numbers of steps, and among those of decays."""
    changes = {"opponent": opponent, **SEATS[seat], **SETTINGS[setting]}
    changes |= {"steps": 1 + ahead} if algorithm.startswith("n-step") else {}
    changes |= {"trace_decay": (0.9, 0.5, 1, 0)[ahead]} if algorithm.endswith("lambda") else {}
    short = {"episodes": 150, "chunk_episodes": 60}
    assert_as_reference(SMALL.replace(algorithm=algorithm, tie=tie, random_opening=opening, **short, **changes))


@pytest.mark.parametrize(
    ("algorithm", "seat", "tie", "opening", "opponent", "setting", "ahead"),
    covering(TABULAR, SEATS, TIES, [False, True], OPPONENTS, range(len(SETTINGS)), range(4)),
)
def test_where_any_two_choices_meet_the_tables_are_those_of_the_reference(
    algorithm, seat, tie, opening, opponent, setting, ahead
):
    assert_corner(algorithm, seat, tie, opening, opponent, setting, ahead)


# --- Beside the fast kernels, whose draws have references of their own in test_training.py and test_self_play.py.


@pytest.mark.parametrize(
    "changes",
    [
        {"seat": 3}, {"tie": "random"}, {"tie": "last"}, {"opponent": "self", "tie": "last"},
        {"random_opening": True}, {"step_size": "visits"}, *({"algorithm": name} for name in TABULAR[1:]),
        {"opponent": "self", "random_opening": True}, {"opponent": "self", "step_size": "visits"},
        {"opponent": "self", "algorithm": "sarsa"}, {"seat": 3, "algorithm": "double-q"},
    ],
)  # fmt: skip
def test_runs_for_which_there_is_no_fast_kernel_have_the_bits_of_the_general_one(changes):
    config = SMALL.replace(**changes)
    run = train(config)
    for found, expected in zip((run.tables, run.updates, run.counts), general_run(config), strict=True):
        assert found.tobytes() == expected.tobytes()
    assert run.counts.sum() == run.episodes == config.episodes


@pytest.mark.parametrize(
    ("opponent", "seat", "initial_q"),
    [*covering(["minimax:tie=first", "minimax:tie=last"], [1, 2], [0.0, 1.0, -0.5]),
     *(("self", 3, initial_q) for initial_q in (0.0, 0.5, -1.0))],
)  # fmt: skip
def test_with_ten_actions_both_kernels_learn_the_same_where_nothing_is_drawn(opponent, seat, initial_q):
    """Numbers of actions and of slots stand in four bits."""
    changes = {"game": "connect4:columns=10,rows=1", "epsilon": "0", "step_size": "0.25", "initial_q": initial_q}
    config = SMALL.replace(opponent=opponent, seat=seat, **changes)
    fast, slow = train(config), general_run(config)
    assert fast.tables.tobytes() == slow.tables.tobytes()
    assert np.array_equal(fast.updates > 0, slow.updates > 0)
    assert fast.counts.tolist() == slow.counts.tolist()


# --- What comes of it.


@pytest.mark.parametrize("algorithm", ["q", "double-q"])
def test_self_play_whose_exploration_ends_is_not_exploitable(algorithm):
    config = TrainingConfig(
        "self", episodes=1_000_000, algorithm=algorithm, epsilon="linear:1,0", step_size="geometric:1,0.01"
    )
    run = train(config)
    assert exploitability(run.policy()) == 0.0
    assert never_loses(run.policy(), 1)
    assert never_loses(run.policy(), 2)
    assert run.curve()["exploitability"][-1] == 0.0


@pytest.mark.parametrize("algorithm", ["sarsa", "double-q"])
def test_what_a_run_holds(algorithm):
    """With step sizes by visits, which the general kernel takes: the fast ones only mark what they update."""
    changes = {"algorithm": algorithm, "tie": "random", "epsilon": "0.5", "step_size": "visits"}
    run = train(SMALL.replace(opponent="self", **changes))
    tables = run.tables
    assert tables.shape == (2 if algorithm == "double-q" else 1, *TABLE.child.shape)
    assert np.array_equal(run.q_table, tables.mean(axis=0))
    assert np.array_equal(run.held, (run.updates > 0).any(axis=1))
    assert run.updates[0].sum() == run.episodes  # every ply of every game is an update, in self-play


def test_the_policy_draws_from_equal_values():
    run = train(SMALL.replace(opponent="self", tie="random", episodes=5, chunk_episodes=5))
    policy, first = run.policy("ties"), train(run.config.replace(tie="first")).policy()
    state = int(np.flatnonzero(run.held & (TABLE.ply == 4))[0])
    values = np.where(TABLE.legal_action_mask[state], run.q_table[state], -np.inf)
    best = values == values.max()
    assert best.sum() > 1
    np.testing.assert_allclose(policy.probabilities[state], best / best.sum())
    assert set(np.unique(first.probabilities)) == {0.0, 1.0}
