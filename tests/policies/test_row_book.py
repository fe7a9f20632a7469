"""Books of rows: the code of every state leads back to its row."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies
from ttt_fast.policies.rows import RowBook
from ttt_fast.tables.levels import ALL

from ttt_fast import Policy, as_policy, table_of

GAMES = ["tic-tac-toe:rows=2,columns=3,length=2", "connect4:columns=3,rows=3,length=3"]


def random_weights(table, seed, most):
    random = np.random.default_rng(seed)
    weights = random.integers(0, most + 1, table.num_edges)
    counts = np.diff(table.edge_start)
    weights[(table.edge_start[:-1] + random.integers(0, np.maximum(counts, 1)))[counts > 0]] += 1
    return Policy.from_weights(table, weights, "weights")


def check_rows(book, policy, codes):
    """Each state's row, from its code, is that of the policy: as fractions where weights are known."""
    table = policy.table
    for state in np.flatnonzero(table.decision_mask).tolist():
        edges = slice(table.edge_start[state], table.edge_start[state + 1])
        actions = table.edge_action[edges]
        row = np.zeros(table.num_actions, np.int64)
        row[actions] = 1
        if codes[state] != ALL:
            row = book.rows[codes[state]]
        assert not np.delete(row, actions).any()
        if book.is_exact and policy.is_exact:
            weights = policy.edge_weights[edges].tolist()
            found, of_row = [Fraction(one, sum(weights)) for one in weights], [int(row[one]) for one in actions]
            assert found == [Fraction(one, sum(of_row)) for one in of_row]
        else:
            assert row[actions] / row.sum() == pytest.approx(policy.edge_probabilities[edges], abs=1e-14)


@given(
    game=strategies.sampled_from(GAMES),
    seeds=strategies.lists(strategies.integers(0, 2**30), min_size=1, max_size=3),
    most=strategies.sampled_from([1, 3, 200]),
)
def test_every_row_is_reproduced(game, seeds, most):
    table, book = table_of(game), RowBook(table_of(game).num_actions)
    policies = [random_weights(table, seed, most) for seed in seeds]
    codes = [book.codes(policy) for policy in policies]
    for policy, found in zip(policies, codes, strict=True):  # later policies change no earlier code
        check_rows(book, policy, found)
        np.testing.assert_array_equal(book.codes(policy), found)
    assert len({row.tobytes() for row in book.rows}) == len(book.rows)


@pytest.mark.parametrize("agent", ["random", "minimax", "minimax:tie=first", "default"])
def test_scripted_agents(agent):
    policy = as_policy(agent, GAMES[1])
    book = RowBook(policy.table.num_actions)
    check_rows(book, policy, book.codes(policy))
    assert book.is_exact


@pytest.mark.parametrize("floats_first", [True, False])
def test_floats_and_weights_share_a_book(floats_first):
    table = table_of(GAMES[1])
    raw = np.random.default_rng(1).random(table.num_edges) + 0.01
    floats = Policy.from_probabilities(table, raw / table.to_edges(table.row_sums(raw)), "floats")
    policies = [random_weights(table, 2, 3), floats]
    book, codes = RowBook(table.num_actions), []
    for policy in policies[::-1] if floats_first else policies:
        codes.append((policy, book.codes(policy)))
    assert not book.is_exact
    for policy, found in codes:
        check_rows(book, policy, found)


def test_common_factors_are_removed():
    table = table_of(GAMES[0])
    weights = np.ones(table.num_edges, np.int64)
    weights[:2] = 2, 3
    book = RowBook(table.num_actions)
    codes = [book.codes(Policy.from_weights(table, factor * weights, "w")) for factor in (1, 7, 60)]
    assert codes[0][0] == codes[1][0] == codes[2][0] == table.num_actions and len(book.rows) == table.num_actions + 1
