"""Forward propagation against recursion with fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import reference
from conftest import as_strategy, random_policy
from ttt_fast import Policy, exact_fractions, exact_outcome, table_of
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.play.tabular import join
from ttt_fast.tables.state_table import boards_of

SCRIPTED_PAIRS = [
    ("random", "random"),
    ("minimax", "random"),
    ("random", "minimax:tie=last,prefer=fast"),
    ("buggy", "buggy2"),
    ("heuribot", "default:skill=0.3"),
    ("default", "random:frozen=4"),
    ("mix:0.9*minimax+0.1*random", "buggy:as=coded"),
    ("best-response:random", "heuribot:as=coded"),
]
STARTS = ["X........", "....X....", "XO.......", "XO..X...O", "XXOOOXXO.", "XOXXOOOXX", "XXXOO...."]


def seats(outcome):
    return outcome.x_wins, outcome.draws, outcome.o_wins


@pytest.mark.parametrize("random_opening", [False, True])
@pytest.mark.parametrize("pair", SCRIPTED_PAIRS, ids=" v ".join)
def test_scripted_pairs_from_the_empty_board(agent, pair, random_opening):
    x, o = map(agent, pair)
    expected = reference.match(as_strategy(x), as_strategy(o), random_opening=random_opening)
    assert tuple(exact_fractions(x, o, random_opening=random_opening)) == expected
    outcome = exact_outcome(x, o, random_opening=random_opening)
    assert seats(outcome) == pytest.approx(tuple(map(float, expected)), abs=1e-12)


@pytest.mark.parametrize("random_opening", [False, True])
@pytest.mark.parametrize("start", STARTS)
def test_other_boards(agent, table, start, random_opening):
    x, o, state = agent("buggy2"), agent("default:skill=0.3"), table.state_index(start)
    board = rules.parse_board(start)
    expected = reference.match(as_strategy(x), as_strategy(o), board, random_opening)
    assert tuple(exact_fractions(x, o, start=state, random_opening=random_opening)) == expected
    outcome = exact_outcome(x, o, start=state, random_opening=random_opening)
    assert seats(outcome) == pytest.approx(tuple(map(float, expected)), abs=1e-12)


@pytest.mark.parametrize("random_opening", [False, True])
@pytest.mark.parametrize("start", [".........", "X........", "XO......."])
def test_reach_of_every_state_and_lengths(agent, table, reference_states, start, random_opening):
    x, o = random_policy(11), agent("default:skill=0.3")
    board, state = rules.parse_board(start), table.state_index(start)
    expected = reference.reach(as_strategy(x), as_strategy(o), board, random_opening)
    outcome = exact_outcome(x, o, start=state, random_opening=random_opening)
    dense = [float(expected.get(one, 0)) for one in reference_states]
    np.testing.assert_allclose(outcome.reach, dense, rtol=0, atol=1e-12)
    lengths = np.zeros((3, 10))
    for one, chance in expected.items():
        if reference.is_over(one):
            lengths[{1: 0, 0: 1, 2: 2}[reference.winner(one)], 9 - one.count(0)] += float(chance)
    np.testing.assert_allclose(outcome.lengths, lengths, rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(0, 2**32), st.integers(0, 5477), st.booleans())
def test_stochastic_rows_by_recursion_and_as_distributions(x_seed, o_seed, start, random_opening):
    table = table_of("tic-tac-toe")
    x, o = random_policy(x_seed), random_policy(o_seed)
    board = tuple(boards_of(table)[start].tolist())
    outcome = exact_outcome(x, o, start=start, random_opening=random_opening)
    expected = reference.match(as_strategy(x), as_strategy(o), board, random_opening)
    assert seats(outcome) == pytest.approx(tuple(map(float, expected)), abs=1e-12)
    assert sum(seats(outcome)) == pytest.approx(1, abs=1e-12)
    assert outcome.value == outcome.x_wins - outcome.o_wins
    terminal = table.status != rules.ONGOING
    assert outcome.reach[terminal].sum() == pytest.approx(1, abs=1e-12)
    for row, status in enumerate((rules.X_WINS, rules.DRAW, rules.O_WINS)):
        reached = outcome.reach[table.status == status].sum()
        assert outcome.lengths[row].sum() == pytest.approx(reached, abs=1e-12)
    assert (outcome.reach >= 0).all() and outcome.reach.max() <= 1 + 1e-12


def test_x_can_only_win_at_odd_lengths_and_o_at_even_ones(agent):
    lengths = exact_outcome(agent("random"), agent("random")).lengths
    assert [row.nonzero()[0].tolist() for row in lengths] == [[5, 7, 9], [9], [6, 8]]
    # By hand for five plies: of C(9, 3) C(6, 2) boards with 3 X and 2 O, 8 C(6, 2) have a line of X.
    assert lengths[0, 5] == pytest.approx(8 * 15 / (84 * 15), abs=1e-15)
    row = exact_outcome(agent("random"), agent("random")).row()
    assert [list(row["plies_by_result"][name]) for name in ("x_wins", "draws", "o_wins")] == [[5, 7, 9], [9], [6, 8]]
    assert row["plies_9"] == pytest.approx(lengths[:, 9].sum(), abs=1e-15)


def test_fractions_of_large_weights_do_not_overflow(table):
    weights = table.legal_action_mask * (2**50 + np.arange(9) * 999_983)
    x = Policy.from_weights(table, weights)
    exact = exact_fractions(x, x)
    assert sum(exact) == 1 and exact == reference.match(as_strategy(x), as_strategy(x))
    assert seats(exact_outcome(x, x)) == pytest.approx(tuple(map(float, exact)), abs=1e-12)


@pytest.mark.parametrize("random_opening", [False, True])
def test_a_joint_policy_plays_the_same_match(agent, random_opening):
    x, o = agent("minimax"), agent("buggy")
    both = join(x, o, random_opening=random_opening)
    assert exact_fractions(both, both) == exact_fractions(x, o, random_opening=random_opening)


def test_a_deterministic_pair_reaches_one_game(agent):
    outcome = exact_outcome(agent("minimax:tie=first"), agent("heuribot"))
    assert set(outcome.reach.tolist()) == {0.0, 1.0} and outcome.reach.sum() == 10
    assert exact_fractions(agent("minimax:tie=first"), agent("heuribot")).draws == Fraction(1)
