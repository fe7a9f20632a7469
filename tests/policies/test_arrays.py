"""Arrays as policies: every shape, and those that are none."""

import re

import numpy as np
import pytest

from ttt_fast import Policy, PolicyError
from ttt_fast.policies.arrays import policy_from_array


@pytest.fixture(scope="module")
def states(table):
    """Where O is to move."""
    return np.flatnonzero(table.player == 2).astype(np.int32)


def test_every_shape_says_the_same(table, states):
    first = table.legal_action_mask.argmax(axis=1)
    chances = np.zeros((table.num_states, table.num_actions))
    chances[np.arange(table.num_states), first] = 1
    wanted = Policy.from_actions(table, first)
    for given in (first, first[states], chances, chances[states], chances[table.edge_state, table.edge_action]):
        policy = policy_from_array(given, table, states)
        assert np.array_equal(np.flatnonzero(policy.held), states)
        held = np.isin(table.edge_state, states)
        assert np.array_equal(policy.edge_probabilities[held], wanted.edge_probabilities[held])


@pytest.fixture
def evenly(table):
    """Each legal action with the same chance, (S, A)."""
    legal = table.legal_action_mask
    return np.where(legal, 1 / np.maximum(1, legal.sum(axis=1, keepdims=True)), 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([["a", "b"]], "policy 'p': expected a policy, a function of a state, an array of numbers"),
        ([[1.0], [1.0, 2.0]], "an array of numbers, a file or an agent string, got"),
        (np.zeros((3, 9)), "(2097,) or (5478,) actions"),
        (np.zeros(7), "numbers, got shape (7,) of float64"),
    ],
)
def test_what_is_no_policy_is_one_line(table, states, given, message):
    with pytest.raises(PolicyError, match=re.escape(message)):
        policy_from_array(given, table, states, "p")


def test_mass_on_an_illegal_action_is_named(table, states, evenly):
    illegal = int(np.argmin(table.legal_action_mask[states[1]]))
    evenly[states[1], illegal] = 0.5
    board = table.board(int(states[1]))
    with pytest.raises(PolicyError, match=re.escape(f"got 0.5 for action {illegal} at {board!r}")):
        policy_from_array(evenly, table, states)
