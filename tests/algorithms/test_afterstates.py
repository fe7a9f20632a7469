"""Afterstate learning: several updates at the end of a game, fixed points, and what a run ends with."""

import numpy as np
import pytest
from general_checks import assert_as_reference, board_run
from training_checks import TABLE

from ttt_fast import TrainingConfig, agreement, as_policy, exact_outcome, exploitability, load_policy, train
from ttt_fast.evaluate.exact_q import exact_q

SMALL = TrainingConfig(
    "self", episodes=450, chunk_episodes=180, evaluations=3, seed=5, algorithm="afterstate", step_size="0.1"
)
SAI = SMALL.replace(epsilon="0.3", discount=0.9, tie="last", seed=1, episodes=100_000, chunk_episodes=100_000)
PUBLISHED = (((1.0, -1.0), (0.0, 0.0)), ((0.0, 0.0),), ((-1.0, 1.0),))
"""Sai's program: a win of X is followed by a second update, with the rewards of a draw."""


@pytest.mark.parametrize("passes", [PUBLISHED, (((1, -0.5), (0.25, 0.125), (0, 1)), (), ((-1, 3),))])
def test_several_updates_at_the_end_of_a_game(passes):
    assert_as_reference(SMALL.replace(tie="last", discount=0.9), passes)


def test_fixed_points_of_the_reward_bug():
    """Sai prints its values: the greatest of X's is 0.42632, and X's and O's other extremes are -0.9 and 0.9."""
    config = SAI.replace(episodes=1_000_000, epsilon="cumulative:0.9,1e-6,0.3")
    turn = TABLE.ply % 2
    published, _, _ = board_run(config, PUBLISHED)
    x, o = published[turn == 1], published[turn == 0]
    assert (x.max(), o.min()) == pytest.approx((0.081 / 0.19, -0.081 / 0.19), abs=5e-6)
    assert (x.min(), o.max()) == pytest.approx((-0.9, 0.9), abs=5e-6)
    mended, _, _ = board_run(config)
    assert (mended[turn == 1].max(), mended[turn == 0].min()) == pytest.approx((0.9, -0.9), abs=5e-6)


# --- A full member of the family: training, curves, checkpoints, policies.


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("tie", ["first", "last", "random"])
def test_what_a_run_ends_with(tmp_path, opponent, tie):
    """The table of actions, the exact curve and the saved policy speak of the same player."""
    config = SMALL.replace(opponent=opponent, tie=tie, episodes=20_000, chunk_episodes=1000, step_size="visits")
    path = tmp_path / "q.npz"
    run = train(config, checkpoint=path)
    q_table, held = run.q_table, run.held
    for parents in (np.flatnonzero(TABLE.child == after) for after in range(1, TABLE.num_states, 37)):
        assert len(set(q_table.ravel()[parents].tolist())) == 1  # one value a board, whatever leads to it
    policy = run.policy()
    for state in np.flatnonzero(held)[::5]:
        legal = TABLE.legal_action_mask[state]
        best = np.flatnonzero(legal & (q_table[state] == q_table[state][legal].max()))
        chosen = {"first": best[:1], "last": best[-1:], "random": best}[tie]
        assert np.flatnonzero(policy.probabilities[state]).tolist() == chosen.tolist()
    loaded = load_policy(path, TABLE)
    assert np.array_equal(loaded.probabilities, policy.probabilities)
    assert np.array_equal(loaded.held, policy.held)
    if tie != "random":  # the curve takes the first of equal actions then
        exact = exact_outcome(policy, as_policy("random"))
        np.testing.assert_allclose(run.history[-1, 1:4], [exact.x_wins, exact.draws, exact.o_wins], atol=1e-12)
        counted = TABLE.decision_mask if opponent == "self" else None
        if counted is not None and held[counted].all():
            assert run.curve()["agreement"][-1] == agreement(policy).share


def test_the_error_is_from_gamma_times_the_exact_values():
    config = SMALL.replace(opponent="random", discount=0.5, episodes=180)
    run = train(config)
    target = 0.5 * exact_q(TABLE, as_policy("random"), config.settings.rewards, 0.5, (1,))
    states = np.repeat(np.arange(TABLE.num_states), np.diff(TABLE.edge_start))
    counted = TABLE.player[states] == 1
    errors = (run.q_table[TABLE.legal_action_mask] - target)[counted]
    assert run.curve()["rms_error"][-1] == pytest.approx(np.sqrt(np.mean(errors**2)), abs=1e-12)


def test_without_exploration_at_the_end_nobody_beats_it():
    config = SAI.replace(episodes=1_000_000, epsilon="linear:0.9,0", seed=0)
    assert exploitability(train(config).policy()) == 0.0
