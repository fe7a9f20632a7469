"""The solution of tic-tac-toe; `test_small_games.py` compares its numbers with a recursion."""

import numpy as np
import pytest

from ttt_fast import TableSizeError, solution_of, table_of
from ttt_fast.tables import solve
from ttt_fast.tables.state_table import ROOT


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
    table = table_of("connect4:columns=3,rows=3,length=3")
    for game in (table.game, table.game.spec):
        assert solution_of(game) is solution_of(table)
    with pytest.raises(TableSizeError, match="connect4"):
        solution_of("connect4")
