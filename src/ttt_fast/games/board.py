"""The board of a position as a grid of cells, with the last move, the legal moves, and the winning line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ttt_fast.games import api

BoardKind = Literal["cells", "columns", "boards", "text"]
"""How a position is drawn: actions are cells, columns, or cells of nine boards; or the position is text only."""
Place = tuple[int, int]
"""The row and the column of a cell, from the top left."""
Note = tuple[str, float, bool]
"""A short text for an action, the shade from 0 to 1 of the cell that it marks, and whether the cell has a dashed edge.

For `columns`, the cell is the lowest free one.
"""
SIDE = 3
"""The number of cells in a row of a small board, and of small boards in a row of Ultimate."""
FREE = "."


class SmallBoards(NamedTuple):
    """Properties of the small boards of Ultimate besides their marks.

    Attributes
    ----------
    winners
        The winner of each board, row by row: 'X', 'O' or '.'.
    closed
        The boards without legal moves because they have been won.
    target
        The board in which the next move must be played; None if it may be played in any.
    last
        The action that led to the state; None for the initial state.
    """

    winners: str = ""
    closed: frozenset[int] = frozenset()
    target: int | None = None
    last: int | None = None


NO_SMALL_BOARDS = SmallBoards()


@dataclass(frozen=True)
class Board:
    """A position as a grid.

    Attributes
    ----------
    kind
        `cells`: an action is a cell; `columns`: an action is a column; `boards`: an action is a cell of one of nine
        small boards, which form a square; `text`: the game has no board of cells.
    text
        The position as text of the game.
    rows
        The rows from the top: 'X', 'O' and '.'; empty if the kind is `text`.
    moves
        The text of each action.
    legal
        The legal actions.
    last
        The cell that the last move marked; None if there was no move.
    line
        The cells of the winning lines; in Ultimate those of the boards in the line.
    small
        The small boards of Ultimate.
    """

    kind: BoardKind
    text: str
    rows: tuple[str, ...]
    moves: tuple[str, ...]
    legal: tuple[int, ...] = ()
    last: Place | None = None
    line: frozenset[Place] = frozenset()
    small: SmallBoards = NO_SMALL_BOARDS

    def __str__(self) -> str:
        """Return the rows as lines, or the text of a position that has no cells."""
        return "\n".join(self.rows) or self.text

    @property
    def places(self) -> list[Place]:
        """All cells, row by row."""
        return [(row, column) for row, cells in enumerate(self.rows) for column in range(len(cells))]

    def mark(self, place: Place) -> str:
        """Return the mark of a cell: 'X', 'O' or '.'."""
        return self.rows[place[0]][place[1]]

    def number_of(self, place: Place) -> int:
        """Return the number of a cell: the action that marks it; for `columns`, a row-by-row index."""
        row, column = place
        if self.kind != "boards":
            return row * len(self.rows[0]) + column
        return 9 * (SIDE * (row // SIDE) + column // SIDE) + SIDE * (row % SIDE) + column % SIDE

    def why_illegal(self, action: int) -> str:
        """Return the reason why an action is illegal in an ongoing game.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("ultimate")
        >>> game.board(game.state_after("55 51")).why_illegal(9)
        'the move must be in board 1, where the last one sent you'
        """
        small, board = self.small, action // 9
        if self.kind == "cells":
            return f"cell {action} is taken"
        if self.kind == "columns":
            return f"column {self.moves[action]} is full"
        if self.kind == "text":
            return f"{self.moves[action]} is not legal here"
        if small.target not in (None, board):
            return f"the move must be in board {small.target + 1}, where the last one sent you"
        if board in small.closed:
            return f"board {board + 1} is won by {small.winners[board]}"
        return f"cell {self.moves[action]} is taken"


def make_board(kind: BoardKind, text: Any, state: Any, small: SmallBoards | None, last_action: int | None) -> Board:
    """Return the board of a state; `text` formats positions and actions, as the attribute of a `GameKind`.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> sorted(game.board(game.state_after("03142")).line)
    [(0, 0), (0, 1), (0, 2)]
    """
    position, nine = str(text.format_position(state)), NO_SMALL_BOARDS if small is None else small
    rows = () if kind == "text" else _rows_of(kind, position, state)
    action = nine.last if last_action is None else last_action
    last = None if action is None or not rows else _place_of(kind, rows, action)
    moves = tuple(map(text.format_action, range(api.num_actions(state))))
    legal = tuple(api.legal_actions(state))
    return Board(kind, position, rows, moves, legal, last, _line(kind, rows, nine.winners, state), nine)


def _rows_of(kind: BoardKind, position: str, state: Any) -> tuple[str, ...]:
    """Return the marks of a position as rows, the top row first."""
    cells, width = position.replace("/", ""), SIDE * SIDE
    if kind == "boards":
        marks = cells[: width * width].upper().replace(" ", FREE)
        places = sorted(range(width * width), key=lambda action: _place_of(kind, (), action))
        cells = "".join(marks[place] for place in places)
    else:
        width = api.observation_shape(state)[2]
    return tuple(cells[first : first + width] for first in range(0, len(cells), width))


def _place_of(kind: BoardKind, rows: Sequence[str], action: int) -> Place:
    """Return the cell that a move marked, from the rows after the move."""
    if kind == "columns":
        return next(row for row, cells in enumerate(rows) if cells[action] != FREE), action
    if kind == "boards":
        board, cell = divmod(action, 9)
        return SIDE * (board // SIDE) + cell // SIDE, SIDE * (board % SIDE) + cell % SIDE
    return divmod(action, len(rows[0]))


def _line(kind: BoardKind, rows: Sequence[str], winners: str, state: Any) -> frozenset[Place]:
    if api.status(state) not in (api.X_WINS, api.O_WINS):
        return frozenset()
    if kind == "boards":
        boards = cells_in_line([winners[first : first + SIDE] for first in range(0, 9, SIDE)], SIDE)
        return frozenset((row, column) for row in range(9) for column in range(9) if (row // 3, column // 3) in boards)
    return cells_in_line(rows, int(getattr(state, "length", SIDE)))


def cells_in_line(grid: Sequence[str], length: int) -> frozenset[Place]:
    """Return the cells of all horizontal, vertical and diagonal lines of at least `length` equal marks.

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
