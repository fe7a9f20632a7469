"""The four forms in which a policy is stored say the same of every edge."""

import numpy as np
import pytest

import ttt_fast
from ttt_fast import Policy, PolicyError, agreement, exact_fractions, exact_outcome, exploitability, table_of
from ttt_fast.play.tabular import join
from ttt_fast.policies.weights import MAX_WEIGHT

GAMES = ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4:columns=3,rows=3,length=3"]


@pytest.fixture(params=GAMES)
def game(request):
    return table_of(request.param)


def uniform_in_every_form(table):
    ones = np.ones(table.num_edges, np.int64)
    shares = 1 / table.row_sums(ones)[table.edge_state]
    return {
        "uniform": Policy.uniform(table),
        "weights": Policy.from_weights(table, ones),
        "tripled": Policy.from_weights(table, 3 * table.legal_action_mask),
        "probabilities": Policy.from_probabilities(table, shares),
        "rows": Policy.from_probabilities(table, table.dense(shares)),
    }


def last_in_every_form(table):
    is_last = np.zeros(table.num_edges, np.bool_)
    is_last[table.edge_start[1:][table.decision_mask] - 1] = True
    actions = np.zeros(table.num_states, np.int64)
    actions[table.decision_mask] = table.edge_action[is_last]
    return {
        "choice": Policy.from_actions(table, actions),
        "weights": Policy.from_weights(table, is_last),
        "large": Policy.from_weights(table, is_last * np.int64(MAX_WEIGHT)),
        "probabilities": Policy.from_probabilities(table, is_last * 1.0),
    }


@pytest.mark.parametrize("forms", [uniform_in_every_form, last_in_every_form])
def test_all_forms_are_equal_on_every_edge(game, forms):
    policies = forms(game)
    first = next(iter(policies.values()))
    for name, policy in policies.items():
        assert policy.form == {"tripled": "weights", "large": "weights", "rows": "probabilities"}.get(name, name)
        assert policy.edge_probabilities.tobytes() == first.edge_probabilities.tobytes()
        assert policy.probabilities.tobytes() == first.probabilities.tobytes()
        assert policy.signature.partition("#")[2] == first.signature.partition("#")[2]
        np.testing.assert_array_equal(policy.greedy_actions(), first.greedy_actions())
        np.testing.assert_array_equal(policy.held, game.decision_mask)
        assert agreement(policy) == agreement(first) and exploitability(policy) == exploitability(first)
        assert policy.is_exact == (policy.form != "probabilities") == (policy.edge_weights is not None)
        if policy.edge_weights is not None:
            sums = game.row_sums(policy.edge_weights)[game.edge_state]
            np.testing.assert_array_equal(policy.edge_weights / sums, first.edge_probabilities)
            assert policy.edge_weights.dtype == np.int64 and policy.weights.shape == game.child.shape
        for array in (policy.edge_probabilities, policy.probabilities, policy.edge_weights, policy.stored):
            assert array is None or (array.flags.c_contiguous and not array.flags.writeable)


def test_matches_of_all_forms_are_equal(game):
    uniform, last = uniform_in_every_form(game), last_in_every_form(game)
    expected = exact_outcome(uniform["uniform"], last["choice"])
    fractions = exact_fractions(uniform["uniform"], last["choice"])
    for x in uniform.values():
        for o in last.values():
            outcome = exact_outcome(x, o)
            assert outcome.reach.tobytes() == expected.reach.tobytes() and outcome[:3] == expected[:3]
            if x.is_exact and o.is_exact:
                assert exact_fractions(x, o) == fractions
            joint = join(x, o)
            assert joint.is_exact == (x.is_exact and o.is_exact)
            assert exact_outcome(joint, joint)[:3] == expected[:3]


@pytest.mark.parametrize(
    ("largest", "dtype"),
    [(1, np.uint8), (255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.uint32), (2**32 - 1, np.uint32),
     (2**32, np.uint64), (MAX_WEIGHT, np.uint64)],
)  # fmt: skip
@pytest.mark.parametrize("shape", ["edges", "rows"])
def test_weights_are_stored_in_the_smallest_unsigned_type(table, largest, dtype, shape):
    weights = np.ones(table.num_edges, np.int64)
    weights[-1] = largest
    policy = Policy.from_weights(table, weights if shape == "edges" else table.dense(weights))
    assert policy.stored.dtype == dtype and policy.edge_weights.dtype == np.int64
    np.testing.assert_array_equal(policy.edge_weights, weights)
    np.testing.assert_array_equal(policy.weights, table.dense(weights))


def test_the_sum_of_many_weights_fits_into_64_bits():
    table = ttt_fast.table_from_functions(
        (), lambda state: range(20), lambda state, move: (move,), lambda state: 0 if state else None, name="one-move"
    )
    policy = Policy.from_weights(table, np.full(20, (2**63 - 1) // 20))
    assert policy.edge_probabilities.tolist() == [0.05] * 20
    with pytest.raises(PolicyError, match=r"expected weights up to \d+, got 576460752303423488$"):
        Policy.from_weights(table, np.full(20, MAX_WEIGHT))
