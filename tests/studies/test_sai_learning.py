"""Sai's learner as a run of its study: the variants' settings, and how its values play."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from ttt_fast.learn.training import start_training, train
from ttt_fast.policies.files import load_policy
from ttt_fast.studies.sai import learning
from ttt_fast.tables import table_of
from ttt_fast.tables.boards import boards_of

TABLE = table_of("tic-tac-toe")


@pytest.fixture(scope="module")
def run():
    return learning.train_variant(learning.AS_CODED, 5, 20_000)


def test_the_mended_learner_is_an_ordinary_training_run():
    config = learning.variant_config(learning.REWARDS_MENDED, 5, 20_000)
    ordinary = train(start_training(config))
    study = learning.train_variant(learning.REWARDS_MENDED, 5, 20_000)
    assert np.array_equal(ordinary.q_table[TABLE.legal_action_mask], study.values[TABLE.child][TABLE.legal_action_mask])
    assert ordinary.counts.tolist() == study.counts.tolist()
    assert np.array_equal(ordinary.policy().weights, study.policy().weights)


def test_every_variant_learns_something_else():
    hashes = {learning.train_variant(variant, 0, 5000).sha256() for variant in learning.VARIANTS}
    assert len(hashes) == len(learning.VARIANTS)


def test_a_policy_is_what_the_program_plays_from_its_pickle(tmp_path, run):
    """The bridge to the published files: `{'[1 0 0 ...]': value}` of one seat, ties to the last move."""
    boards = boards_of(TABLE)
    for seat, parity in (("x", 1), ("o", 0)):
        own = [state for state in range(TABLE.num_states) if run.visited[state] and TABLE.ply[state] % 2 == parity]
        names = {f"[{' '.join(map(str, boards[state].tolist()))}]": float(run.values[state]) for state in own}
        path = tmp_path / f"policy-{seat}.pickle"
        path.write_bytes(pickle.dumps(names))
        loaded = load_policy(path, TABLE)
        policy = run.policy(seats=seat)
        assert np.array_equal(loaded.weights, policy.weights)
        assert np.array_equal(loaded.held, policy.held)
        assert policy.seats_held() == seat


def test_the_exploring_policy_is_exact(run):
    policy = run.policy(epsilon=Fraction(9, 10))
    greedy = run.policy().probabilities
    legal = TABLE.legal_action_mask
    uniform = legal / np.maximum(legal.sum(axis=1), 1)[:, None]
    assert policy.is_exact
    assert np.allclose(policy.probabilities, 0.1 * greedy + 0.9 * uniform, rtol=0, atol=1e-15)


def test_an_unknown_seat_plays_the_last_free_cell(run):
    probabilities = run.policy(seats="x").probabilities
    for state in np.flatnonzero(TABLE.player == 2)[::50]:
        assert probabilities[state, np.flatnonzero(TABLE.legal_action_mask[state])[-1]] == 1.0
