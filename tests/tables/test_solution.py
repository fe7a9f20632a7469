"""Backward induction against recursion."""

import numpy as np
import pytest

import reference
from ttt_fast import TableSizeError, solution_of, table_of
from ttt_fast.tables import solve
from ttt_fast.tables.state_table import ROOT


def test_values(solution, reference_states):
    assert solution.value.tolist() == [reference.value(board) for board in reference_states]


def test_distances(solution, reference_states):
    assert solution.distance.tolist() == [reference.distance(board) for board in reference_states]


def test_optimal_actions(table, solution, reference_states):
    mask = table.dense(solution.optimal)
    for state, board in enumerate(reference_states):
        assert mask[state].nonzero()[0].tolist() == reference.optimal_actions(board)


def test_the_fastest_actions_are_best_under_the_utility_of_ten_minus_filled_squares(table, solution, reference_states):
    mask = table.dense(solution.fastest)
    for state, board in enumerate(reference_states):
        assert mask[state].nonzero()[0].tolist() == reference.fastest_actions(board)


def test_value_and_distance_make_that_utility(table, solution, reference_states):
    final = table.ply + solution.distance
    assert (solution.value * (10 - final)).tolist() == [reference.utility(b) for b in reference_states]


def test_the_game_is_a_draw_of_nine_plies(solution):
    assert (solution.value[ROOT], solution.distance[ROOT]) == (0, 9)
    assert solution.optimal[:9].all()


@pytest.mark.parametrize("field", ["value", "distance", "optimal", "fastest"])
def test_arrays_are_read_only(solution, field):
    array = getattr(solution, field)
    assert array.flags.c_contiguous and not array.flags.writeable


def test_types_and_shapes(solution):
    assert [array.dtype for array in solution] == [np.int8, np.int16, np.bool_, np.bool_]
    assert [array.shape for array in solution] == [(5478,), (5478,), (16167,), (16167,)]


def test_the_solution_is_made_once_and_equals_a_fresh_one(table):
    assert solution_of(table) is solution_of(table_of("tic-tac-toe"))
    for kept, fresh in zip(solution_of(table), solve(table), strict=True):
        np.testing.assert_array_equal(kept, fresh)


def test_a_game_and_its_name_have_the_solution_of_its_table():
    table = table_of("tic-tac-toe:rows=2,columns=4")
    for game in (table.game, "tic-tac-toe:rows=2,columns=4"):
        assert solution_of(game) is solution_of(table)
    with pytest.raises(TableSizeError, match="connect4"):
        solution_of("connect4")
