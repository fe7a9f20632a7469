"""The board of a position as a grid of cells: its marks, the last move, and the line that ended the game."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ttt_fast.games import api
from ttt_fast.games.game import BOARDS, COLUMNS, FREE, SIDE, Game

Place = tuple[int, int]
"""The row and the column of a cell, from the top left."""


@dataclass(frozen=True)
class Board:
    """A position as a grid.

    Attributes
    ----------
    kind
        `cells`: an action is a cell; `columns`: an action is a column; `boards`: an action is a cell of one of nine
        small boards, which form a square.
    rows
        The rows from the top: 'X', 'O' and '.'.
    last
        The cell that the last move has marked, None without one.
    line
        The cells of the lines that have ended the game; in Ultimate those of the boards in the line.
    winners
        The winners of the nine boards of Ultimate, row by row; empty in other games.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4:columns=4,rows=3")
    >>> board = board_of(game, game.state_after("223"), 2)
    >>> board.rows, board.last
    (('....', '.O..', '.XX.'), (2, 2))
    """

    kind: str
    rows: tuple[str, ...]
    last: Place | None
    line: frozenset[Place]
    winners: str = ""

    def number_of(self, place: Place) -> int:
        """Return the number of a cell: the action that marks it; for `columns`, cells are numbered row by row."""
        row, column = place
        if self.kind != BOARDS:
            return row * len(self.rows[0]) + column
        return 9 * (SIDE * (row // SIDE) + column // SIDE) + SIDE * (row % SIDE) + column % SIDE


def board_of(game: Game, state: api.GameState, last_action: int | None = None) -> Board | None:
    """Return the board of a position; None if the game has no board of cells.

    Parameters
    ----------
    game, state
        The position.
    last_action
        The action that led to it, if there was one.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> sorted(board_of(game, game.state_after("03142")).line)
    [(0, 0), (0, 1), (0, 2)]
    """
    rows = game.board_rows(state)
    if rows is None:
        return None
    kind = game.kind_of(state).board
    winners = _small_boards(state) if kind == BOARDS else []
    last = None if last_action is None else _place_of(kind, rows, last_action)
    return Board(kind, tuple(rows), last, _line(kind, rows, winners, state), "".join(winners))


def _place_of(kind: str, rows: Sequence[str], action: int) -> Place:
    """Return the cell that a move has marked, from the rows after it."""
    if kind == COLUMNS:
        return next(row for row, cells in enumerate(rows) if cells[action] != FREE), action
    if kind == BOARDS:
        board, cell = divmod(action, 9)
        return SIDE * (board // SIDE) + cell // SIDE, SIDE * (board % SIDE) + cell % SIDE
    return divmod(action, len(rows[0]))


def _line(kind: str, rows: Sequence[str], winners: Sequence[str], state: api.GameState) -> frozenset[Place]:
    if api.status(state) not in (api.X_WINS, api.O_WINS):
        return frozenset()
    if kind == BOARDS:
        boards = cells_in_line(winners, SIDE)
        return frozenset((row, column) for row in range(9) for column in range(9) if (row // 3, column // 3) in boards)
    return cells_in_line(rows, int(getattr(state, "length", SIDE)))


def cells_in_line(grid: Sequence[str], length: int) -> frozenset[Place]:
    """Return the cells of all lines of at least `length` equal marks, level, upright and diagonal.

    Examples
    --------
    >>> sorted(cells_in_line(["X.O", ".X.", "..X"], 3))
    [(0, 0), (1, 1), (2, 2)]
    """
    found: set[Place] = set()
    for row, cells in enumerate(grid):
        for column, mark in enumerate(cells):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + step * down, column + step * right) for step in range(length)]
                if mark != FREE and all(
                    0 <= r < len(grid) and 0 <= c < len(cells) and grid[r][c] == mark for r, c in line
                ):
                    found.update(line)
    return frozenset(found)


def _small_boards(state: Any) -> list[str]:
    """Return the winners of the nine boards of Ultimate as rows of marks."""
    x, o = (state.own_boards, state.other_boards)[:: 1 if state.player == api.X else -1]
    marks = "".join("X" if x >> board & 1 else "O" if o >> board & 1 else FREE for board in range(9))
    return [marks[first : first + SIDE] for first in range(0, 9, SIDE)]
