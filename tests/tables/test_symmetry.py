"""The symmetries of tic-tac-toe move marks with their cells; `test_small_games` has their classes."""

import numpy as np

from ttt_fast import symmetry_of, table_of
from ttt_fast.tables.state_table import boards_of


def test_marks_move_with_their_cells(table):
    boards, symmetry = boards_of(table), symmetry_of(table)
    for cells, states in zip(symmetry.action_map, symmetry.state_map, strict=True):
        np.testing.assert_array_equal(boards[states][:, cells], boards)


def test_types_and_read_only_arrays(table):
    symmetry = symmetry_of(table)
    assert [array.dtype for array in symmetry] == [np.uint8, np.int32, np.int32, np.int32]
    assert [array.shape for array in symmetry] == [(8, 9), (8, 5478), (5478,), (5478,)]
    assert not any(array.flags.writeable for array in symmetry)
    assert symmetry_of(table) is symmetry


def test_a_game_and_its_name_have_the_symmetries_of_its_table():
    table = table_of("connect4:columns=3,rows=3,length=3")
    for game in (table.game, table.game.spec):
        assert symmetry_of(game) is symmetry_of(table)
