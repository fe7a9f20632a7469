"""Q-learning against a fixed opponent: what it comes to, and how the replies are drawn."""

from fractions import Fraction

import numpy as np
import pytest
from general_reference import GeneralLearner, Rules
from hypothesis import given, strategies as st
from learn_reference import alias_slots
from training_checks import INDEX, TABLE, learn_plainly

from ttt_fast import Policy, TrainingConfig, exact_outcome, train


@pytest.mark.parametrize(
    ("spec", "seat", "episodes", "gap"),
    [("random", 1, 1_000_000, 0.0), ("random", 2, 2_000_000, 2e-3), ("minimax", 1, 500_000, 0.0),
     ("minimax", 2, 500_000, 0.0)],
)  # fmt: skip
def test_a_short_run_comes_to_the_best_response(spec, seat, episodes, gap):
    """191/192 as X against random; as O the best line is rarer, and a short run may still miss a little."""
    run = train(TrainingConfig(spec, seat, episodes))
    pair = (run.policy(), spec) if seat == 1 else (spec, run.policy())
    assert -1e-12 < run.best_value() - exact_outcome(*pair).value_of(seat) <= gap + 1e-12


# --- The opponent's replies.


def shares_of(slots) -> dict[int, Fraction]:
    """The chance of each action: the first of a slot has threshold / 2**32 of it, or all of it."""
    shares: dict[int, Fraction] = {}
    for threshold, first, second in slots:
        own = Fraction(1) if first == second else Fraction(threshold, 2**32)
        shares[first] = shares.get(first, 0) + own / len(slots)
        shares[second] = shares.get(second, 0) + (1 - own) / len(slots)
    return {action: share for action, share in shares.items() if share}


@given(st.lists(st.integers(0, 50) | st.just(0) | st.integers(0, 10**12), min_size=1, max_size=9).filter(any))
def test_alias_slots_have_the_chances_of_the_row(weights):
    """Those of the reference, whose draws the kernels have."""
    row = [weight / sum(weights) for weight in weights]
    shares = shares_of(alias_slots(row))
    assert sum(shares.values()) == 1
    for action, weight in enumerate(weights):
        assert abs(shares.get(action, 0) - Fraction(weight, sum(weights))) < Fraction(1, 2**31)
        assert (action in shares) == (row[action] > 0)


def test_replies_are_those_of_slots_that_are_nearly_full():
    """Chances of one in 10**12 and of nearly a half fill their slots, or take nearly nothing."""
    generator = np.random.default_rng(2)
    weights = generator.choice([1e-12, 1e-9, 1.0, 1.0 + 1e-10], TABLE.child.shape) * TABLE.legal_action_mask
    rival = Policy.from_probabilities(TABLE, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-30), "uneven")
    config = TrainingConfig(rival.signature, episodes=400, chunk_episodes=200, algorithm="sarsa", seed=1)
    slow = GeneralLearner(Rules("sarsa", seat=1), None)
    learn_plainly(slow, config, rivals=[lambda board: rival.probabilities[INDEX[board]].tolist()])
    run = train(config, rival)
    assert run.counts.tolist() == slow.results
    assert {(INDEX[board], action): value for (board, action), value in slow.tables[0].items()} == {
        (int(state), int(action)): run.q_table[state, action] for state, action in np.argwhere(run.updates)
    }
