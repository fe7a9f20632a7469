"""Connect 4: its texts and sizes."""

from itertools import product

import pytest

import reference
from games_reference import ConnectFour
from ttt_fast.core.errors import BoardError, UsageError
from ttt_fast.games import api, connect_four
from ttt_fast.games.registry import parse_game
from ttt_fast.tables.enumeration import enumerate_game

GAME = parse_game("connect4")
ROW = "......."


def position(*lowest):
    return "/".join([ROW] * (6 - len(lowest)) + list(lowest))


def test_moves_are_column_digits():
    assert GAME.parse_moves("4453") == [3, 3, 4, 2]
    assert GAME.format_position(GAME.state_after("4453")) == position("...O...", "..OXX..")


def test_letters_follow_the_digits():
    wide = parse_game("connect4:columns=16,rows=3")
    assert wide.parse_moves("9aG") == [8, 9, 15]
    assert wide.format_moves([8, 9, 15]) == "9ag"


def test_lines_do_not_run_around_the_edge():
    """Three at the top of a column and one at the foot of the next are no line."""
    top = ["X......", "X......", "X......", "O......", "X.....O", "OX....O"]
    assert api.status(GAME.parse_position("/".join(top))) == api.ONGOING
    upright = ["X......", "X......", "X......", "X......", "O.....O", "OX....O"]
    assert api.status(GAME.parse_position("/".join(upright))) == api.X_WINS


@pytest.mark.parametrize(
    "text",
    [
        "",
        ROW,
        position(".......")[:-1],
        position("...Z..."),
        position("X......", "......."),
        position("X.....X"),
        position("O......"),
        position("XXXX...", "OOOO..."),
    ],
)
def test_wrong_positions_are_shown(text):
    with pytest.raises(BoardError) as caught:
        GAME.parse_position(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("moves", ["8", "0", "x", "44a", "4444444", "12121213"])
def test_wrong_moves_are_shown(moves):
    with pytest.raises(BoardError, match=r"^expected .*got '.'"):
        GAME.parse_moves(moves)


@pytest.mark.parametrize(
    ("columns", "rows", "length"), [(0, 6, 4), (7, 0, 4), (9, 7, 4), (33, 1, 2), (1, 64, 4), (7, 6, 1), (7, 6, 8)]
)
def test_impossible_sizes_are_refused(columns, rows, length):
    with pytest.raises(UsageError, match=r"^expected columns|^expected a length"):
        connect_four.initial_state(columns, rows, length)


def test_tables_of_every_small_board_are_those_of_a_slow_enumeration():
    """Up to eight cells, each length: boards of one column and of one row among them."""
    for columns, rows in product(range(1, 9), repeat=2):
        for length in range(2, max(columns, rows) + 1) if columns * rows <= 8 else ():
            table = enumerate_game(parse_game(f"connect4:columns={columns},rows={rows},length={length}"), 10_000)
            graph = reference.explore(ConnectFour(columns, rows, length))
            assert table.status.tolist() == graph.status
            assert table.edge_child.tolist() == [actions[a] for actions in graph.children for a in sorted(actions)]
