"""Q-learning against a fixed opponent: what it comes to, and the slots and states that its kernel reads."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from learn_reference import alias_slots
from training_checks import TABLE

from conftest import random_policy
from ttt_fast import TrainingConfig, as_policy, exact_outcome, train
from ttt_fast.algorithms.dynamics import fill_slots, reachable_states
from ttt_fast.tables.state_table import Edges

OPPONENTS = ["random", "minimax:tie=first", "rows-1", "mix:1/3*minimax+2/3*random"]


def opponent(spec: str):
    return random_policy(int(spec[5:])) if spec.startswith("rows-") else as_policy(spec)


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


def kernel_slots(row):
    """The slots of a single state: (threshold, first place, second place) each."""
    edges = Edges(*(np.array([0, len(row)], kind) for kind in (np.int32, np.int32, np.int8, np.int8)))
    number, slots = np.zeros(1, np.uint8), np.zeros(len(row), np.uint64)
    fill_slots(edges, np.array(row), number, slots)
    return [(slot >> 32, slot & 0xFFFF, slot >> 16 & 0xFFFF) for slot in slots[: number[0]].tolist()]


@given(st.lists(st.integers(0, 50) | st.just(0) | st.integers(0, 10**12), min_size=1, max_size=9).filter(any))
def test_alias_slots_have_the_chances_of_the_row(weights):
    row = [weight / sum(weights) for weight in weights]
    slots = kernel_slots(row)
    assert slots == alias_slots(row)
    shares = shares_of(slots)
    assert sum(shares.values()) == 1
    for action, weight in enumerate(weights):
        assert abs(shares.get(action, 0) - Fraction(weight, sum(weights))) < Fraction(1, 2**31)
        assert (action in shares) == (row[action] > 0)


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("spec", OPPONENTS)
def test_reachable_states_are_those_that_a_random_learner_passes(spec, seat):
    rival, anyone = opponent(spec), as_policy("random")
    reach = exact_outcome(*((anyone, rival) if seat == 1 else (rival, anyone))).reach
    assert np.array_equal(reachable_states(TABLE, rival, seat), (reach > 0) & (TABLE.player == seat))
