"""The 8 symmetries and the 765 classes against images of boards as nested lists."""

import numpy as np
import pytest

from games_reference import board_maps
from ttt_fast import symmetry_of, table_of
from ttt_fast.tables import find_symmetry
from ttt_fast.tables.state_table import boards_of


def images_of(board):
    return {tuple(board[cell] for cell in cells) for cells in board_maps()}


@pytest.fixture(scope="module")
def symmetry(table):
    return find_symmetry(table)


def test_the_images_of_every_state_are_those_of_the_reference(table, symmetry, reference_states):
    for state, board in enumerate(reference_states):
        images = {reference_states[image] for image in symmetry.state_map[:, state]}
        assert images == images_of(board)


def test_marks_move_with_their_cells(table, symmetry):
    boards = boards_of(table)
    for cells, states in zip(symmetry.action_map, symmetry.state_map, strict=True):
        np.testing.assert_array_equal(boards[states][:, cells], boards)


def test_classes(symmetry, reference_states):
    first_of_class = {}
    for state, board in enumerate(reference_states):
        first_of_class.setdefault(min(images_of(board)), state)
    representative = [first_of_class[min(images_of(b))] for b in reference_states]
    assert symmetry.representative.tolist() == representative
    assert symmetry.num_classes == len(first_of_class) == 765
    number = {state: index for index, state in enumerate(sorted(first_of_class.values()))}
    assert symmetry.class_index.tolist() == [number[state] for state in representative]


def test_types_and_read_only_arrays(table, symmetry):
    assert [array.dtype for array in symmetry] == [np.uint8, np.int32, np.int32, np.int32]
    assert [array.shape for array in symmetry] == [(8, 9), (8, 5478), (5478,), (5478,)]
    assert not any(array.flags.writeable for array in symmetry)
    assert symmetry_of(table) is symmetry_of(table)


def test_a_game_and_its_name_have_the_symmetries_of_its_table():
    table = table_of("tic-tac-toe:rows=2,columns=4")
    for game in (table.game, "tic-tac-toe:rows=2,columns=4"):
        assert symmetry_of(game) is symmetry_of(table)
