"""Tables of many states: counts and values that others have published, a solver, and dictionaries with fractions."""

from fractions import Fraction

import numpy as np
import pytest

import reference
from games_reference import TicTacToe
from ttt_fast import Policy, exact_fractions, exact_outcome, exploitability, parse_game, scorecard
from ttt_fast.policies.best_response import best_response
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.solver import solve_positions
from ttt_fast.tables import find_symmetry, solve
from ttt_fast.tables.enumeration import enumerate_game

pytestmark = pytest.mark.slow
PUBLISHED = {(4, 4): (161_029, 0), (4, 5): (1_706_255, 0), (5, 4): (3_945_711, 0)}
"""Connect 4 by columns and rows: the number of states, and who wins (J. Tromp)."""


@pytest.fixture(scope="module")
def boards():
    return {size: enumerate_game(parse_game(f"connect4:columns={size[0]},rows={size[1]}"), 10**7) for size in PUBLISHED}


@pytest.mark.parametrize("size", PUBLISHED)
def test_connect_four_has_the_published_states_and_value(boards, size):
    states, value = PUBLISHED[size]
    assert boards[size].num_states == states
    assert solve(boards[size]).value[0] == value


@pytest.mark.parametrize(("size", "every"), [((4, 4), 1), ((5, 4), 7)])
def test_values_are_the_solvers(boards, size, every):
    table = boards[size]
    states = np.flatnonzero(table.decision_mask)[::every]
    positions = np.array([table.state(state)[:2] for state in states.tolist()], np.uint64)
    found = solve_positions(positions, BoardSize(*size), weak=True, threads=2).scores
    np.testing.assert_array_equal(np.where(table.player[states] == 1, found, -found), solve(table).value[states])


def test_three_rows_of_four_by_dictionaries_with_fractions():
    graph = reference.explore(TicTacToe(3, 4, 3, "yes"))
    table = enumerate_game(parse_game("tic-tac-toe:rows=3,columns=4,length=3,misere=yes"), 10**6)
    uniform = Policy.uniform(table)
    rows = reference.random_rows(graph)
    chances, results = reference.match_of_rows(graph, rows, rows)
    assert tuple(exact_fractions(uniform, uniform)) == results
    np.testing.assert_allclose(exact_outcome(uniform, uniform).reach, np.array(chances, np.float64), rtol=0, atol=1e-12)
    solution = solve(table)
    assert list(zip(solution.value.tolist(), solution.distance.tolist(), strict=True)) == reference.solved(graph)
    for seat in (1, 2):
        best = reference.best_of_rows(graph, rows, seat)
        np.testing.assert_allclose(best_response(uniform, seat).value, np.array(best, np.float64), rtol=0, atol=1e-12)
    minimax = Policy.from_weights(table, solution.optimal, "minimax")
    weighed = reference.minimax_rows(graph, reference.solved(graph))
    assert tuple(exact_fractions(minimax, uniform)) == reference.match_of_rows(graph, weighed, rows)[1]


def test_four_in_a_row_on_sixteen_cells():
    """Eight symmetries, a draw, and fractions that the floats bear out."""
    table = enumerate_game(parse_game("tic-tac-toe:rows=4,columns=4,length=4"), 10**7)
    assert (table.num_states, table.num_edges) == (9_722_011, 51_562_424)
    assert int(table.key.max()).bit_length() <= 32
    uniform, symmetry = Policy.uniform(table), find_symmetry(table)
    assert (symmetry.state_map >= 0).all()
    assert symmetry.num_classes == np.unique(symmetry.state_map.min(axis=0)).size
    result, fractions = exact_outcome(uniform, uniform), exact_fractions(uniform, uniform)
    assert sum(fractions) == 1 and fractions.draws == Fraction(206, 495)
    assert result[:3] == pytest.approx(tuple(map(float, fractions)), rel=0, abs=1e-12)
    for state in (1, 77, 12_345, 5_000_000, 9_722_010):
        assert table.index_of(table.state(state)) == state
    minimax = Policy.from_weights(table, solve(table).optimal, "minimax")
    assert exploitability(minimax) == 0.0
    rows = scorecard(minimax, [uniform])
    assert all(row.never_loses and row.agreement == 1.0 for row in rows)
