"""Greedy policies of values, with each rule for ties and with exploration, against a plain loop over the states."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ttt_fast import Policy, PolicyError, table_of
from ttt_fast.core.plain import frozen

TABLE = table_of("tic-tac-toe")
LEGAL = [np.flatnonzero(row).tolist() for row in TABLE.legal_action_mask]


def naive_greedy(q_table, held, order):
    """The set of best actions of each state, reduced to its first in `order` unless that is None."""
    chosen = []
    for state, actions in enumerate(LEGAL):
        values = {action: q_table[state][action] if held[state] else 0 for action in actions}
        best = [action for action in actions if values[action] == max(values.values())]
        chosen.append(best if order is None else sorted(best, key=order.index)[:1])
    return chosen


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), order=st.none() | st.permutations(list(range(9))))
def test_greedy_takes_a_best_legal_action_first_in_the_order(seed, order):
    rng = np.random.default_rng(seed)
    q_table = rng.integers(-2, 3, TABLE.child.shape)
    q_table[~TABLE.legal_action_mask] = 9
    held = rng.random(TABLE.num_states) < 0.7
    policy = Policy.from_values(TABLE, q_table, "it", held=held, tie="uniform" if order is None else order)
    expected = naive_greedy(q_table.tolist(), held, order)
    assert [np.flatnonzero(row).tolist() for row in policy.weights] == expected
    assert policy.weights.max() == 1
    assert np.array_equal(policy.held, held & TABLE.decision_mask)
    assert policy.name == "it"


def test_values_of_illegal_actions_may_be_anything():
    q_table = np.where(TABLE.legal_action_mask, 1.0, np.nan)
    assert Policy.from_values(TABLE, q_table).is_exact


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_must_be_finite_where_they_count(value):
    q_table = np.zeros(TABLE.child.shape)
    q_table[0, 4] = value
    with pytest.raises(PolicyError, match=r"expected finite values.*action 4 at '\.\.\.\.\.\.\.\.\.'"):
        Policy.from_values(TABLE, q_table)
    held = np.ones(TABLE.num_states, np.bool_)
    held[0] = False
    assert Policy.from_values(TABLE, q_table, held=held).greedy_actions()[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"values": np.zeros((3, 9))},
        {"values": np.zeros(TABLE.child.shape, np.complex128)},
        {"values": np.zeros(TABLE.child.shape), "held": np.ones(3, np.bool_)},
        {"values": np.zeros(TABLE.child.shape), "tie": "best"},
        {"values": np.zeros(TABLE.child.shape), "tie": range(8)},
        {"values": np.zeros(TABLE.child.shape), "tie": [0] * 9},
    ],
)
def test_wrong_arguments_are_told_in_one_line(arguments):
    with pytest.raises(PolicyError, match="expected") as caught:
        Policy.from_values(TABLE, **arguments)
    assert "\n" not in str(caught.value)


def test_tie_orders_by_name():
    zeros = np.zeros(TABLE.num_edges)
    named = Policy.from_values(TABLE, zeros, tie="column-major")
    assert named == Policy.from_values(TABLE, zeros, tie=(0, 3, 6, 1, 4, 7, 2, 5, 8))
    assert named != Policy.from_values(TABLE, zeros, tie="first")
    with pytest.raises(PolicyError, match="uniform, first, last, column-major"):
        Policy.from_values(TABLE, zeros, tie="frist")


@pytest.mark.parametrize("epsilon", [0, 1, 0.1, Fraction(1, 3), 1 / 3, 1e-9, 1e-300])
def test_epsilon_soft_mixes_greedy_and_uniform(epsilon):
    q_table = np.random.default_rng(1).integers(-2, 3, TABLE.child.shape)
    policy = Policy.from_values(TABLE, q_table, "soft", tie="last", epsilon=epsilon)
    uniform = TABLE.legal_action_mask / np.maximum(TABLE.legal_action_mask.sum(axis=1), 1)[:, None]
    greedy = Policy.from_values(TABLE, q_table, tie="last").probabilities
    expected = float(epsilon) * uniform + (1 - float(epsilon)) * greedy
    np.testing.assert_allclose(policy.probabilities, expected, rtol=0, atol=1e-12)
    assert policy.is_exact == (epsilon != 1e-300)
    assert np.array_equal(policy.held, TABLE.decision_mask)


@pytest.mark.parametrize("epsilon", [-0.1, 1.5, float("nan")])
def test_epsilon_is_a_probability(epsilon):
    with pytest.raises(PolicyError, match="expected an epsilon from 0 to 1"):
        Policy.from_values(TABLE, np.zeros(TABLE.child.shape), epsilon=epsilon)


def test_values_that_cannot_be_written_to_are_read():
    """A read-only array of a number for each action, of which some states are not known."""
    table = table_of("tic-tac-toe")
    values, held = frozen(np.arange(table.num_edges, dtype=np.float64)), table.player == 1
    policy = Policy.from_values(table, values, held=held)
    assert policy == Policy.from_values(table, values.copy(), held=held) and not values.flags.writeable
    with pytest.raises(PolicyError, match=r"expected an epsilon from 0 to 1, got '0\.1'"):
        Policy.from_values(table, values, epsilon="0.1")


def test_column_major_is_an_order_of_squares_of_nine_cells_alone():
    for spec in ("connect4:columns=9,rows=1", "tic-tac-toe:rows=1,columns=9"):
        table = table_of(spec)
        with pytest.raises(PolicyError, match="expected one of uniform, first, last, or"):
            Policy.from_values(table, np.zeros(table.num_edges), tie="column-major")
