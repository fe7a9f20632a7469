"""M,n,k-games: tic-tac-toe's own table from the wider type, counts of other boards, texts."""

from itertools import product

import numpy as np
import pytest

from ttt_fast import Game, parse_game
from ttt_fast.games import api, mnk
from ttt_fast.games.registry import GAMES
from ttt_fast.tables.enumeration import enumerate_game


def lines_on(rows, columns, length):
    """Every line of a board, as a set of cells: walked cell by cell."""
    for row, column, (down, right) in product(range(rows), range(columns), ((0, 1), (1, 0), (1, 1), (1, -1))):
        cells = [(row + k * down, column + k * right) for k in range(length)]
        if all(0 <= r < rows and 0 <= c < columns for r, c in cells):
            yield sum(1 << r * columns + c for r, c in cells)


SHAPES = [
    (rows, columns, length)
    for rows, columns in product(range(1, 26), repeat=2)
    for length in range(2, max(rows, columns) + 1)
    if rows * columns <= 25
]


@pytest.mark.parametrize("misere", ["no", "yes"])
def test_the_wider_type_at_three_by_three_has_the_table_of_tic_tac_toe(misere):
    usual = parse_game(f"tic-tac-toe:misere={misere}")
    wide = Game(usual.spec, GAMES["tic-tac-toe"], "wide", mnk.initial_state(misere=int(misere == "yes")))
    assert (api.action_map(wide.initial_state) == api.action_map(usual.initial_state)).all()
    one, other = enumerate_game(wide, 10_000), enumerate_game(usual, 10_000)
    for name, array in other.arrays().items():
        np.testing.assert_array_equal(one.arrays()[name], array)
        assert one.arrays()[name].dtype == array.dtype


def test_lines_of_every_shape():
    """Each line alone is one, no line less a cell is, and each random set of marks has one if it holds one."""
    random = np.random.default_rng(0)
    for shape in SHAPES:
        state, lines = mnk.initial_state(*shape), set(lines_on(*shape))
        for line in lines:
            assert mnk.has_line(line, state)
            for cell in range(25):
                if line >> cell & 1:
                    assert not mnk.has_line(line ^ 1 << cell, state)
            lowest = (line & -line).bit_length() - 1
            first = api.winning_action(state._replace(own=line ^ 1 << lowest))
            assert 0 <= first <= lowest and mnk.has_line(line ^ 1 << lowest | 1 << first, state)
        marks_of = random.integers(0, state.board, 20, endpoint=True) | random.integers(0, state.board, 20)
        for marks in map(int, marks_of):
            assert mnk.has_line(marks, state) == any(marks & line == line for line in lines)
            free = state.board & ~marks
            completing = [line & free for line in lines if (line & free).bit_count() == 1]
            first = min(completing, default=0).bit_length() - 1  # -1 is NO_ACTION
            assert api.winning_action(state._replace(own=marks)) == first


def test_a_position_and_a_line_of_play_mean_the_same():
    game = parse_game("tic-tac-toe:rows=3,columns=4")
    assert game.parse_state("0, 11 5") == game.parse_state("X.../.X../...O") == game.state_after("0 11 5")
    assert game.format_moves([0, 11, 5]) == "0 11 5"
