"""Tables of many states: counts and values that others have published, a solver, and dictionaries with fractions."""

from fractions import Fraction

import numpy as np
import pytest

from ttt_fast import Policy, exact_fractions, exact_outcome, exploitability, parse_game
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.solver import solve_positions
from ttt_fast.tables import find_symmetry, solve
from ttt_fast.tables.enumeration import enumerate_game

pytestmark = pytest.mark.slow
PUBLISHED = {(4, 4): (161_029, 0), (4, 5): (1_706_255, 0)}
"""Connect 4 by columns and rows: the number of states, and who wins (J. Tromp)."""


@pytest.fixture(scope="module")
def boards():
    return {size: enumerate_game(parse_game(f"connect4:columns={size[0]},rows={size[1]}"), 10**7) for size in PUBLISHED}


@pytest.mark.parametrize("size", PUBLISHED)
def test_connect_four_has_the_published_states_and_value(boards, size):
    states, value = PUBLISHED[size]
    assert boards[size].num_states == states
    assert solve(boards[size]).value[0] == value


@pytest.mark.parametrize(("size", "every"), [((4, 4), 1), ((4, 5), 7)])
def test_values_are_the_solvers(boards, size, every):
    table = boards[size]
    states = np.flatnonzero(table.decision_mask)[::every]
    positions = np.array([table.state(state)[:2] for state in states.tolist()], np.uint64)
    found = solve_positions(positions, BoardSize(*size), weak=True, threads=2).scores
    np.testing.assert_array_equal(np.where(table.player[states] == 1, found, -found), solve(table).value[states])


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
    assert exploitability(Policy.from_weights(table, solve(table).optimal)) == 0.0
