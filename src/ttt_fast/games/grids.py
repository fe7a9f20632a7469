"""The board of a game as a grid of cells: who is where, where a move went, and the line that ended the game."""

from collections.abc import Sequence
from typing import Any

from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.game import Game
from ttt_fast.games.mnk import MnkState
from ttt_fast.games.tic_tac_toe import TicTacToeState
from ttt_fast.games.ultimate import NUM_CELLS, UltimateState
from ttt_fast.games.ultimate_stay import StayState

SIDE = 3
"""Cells, and small boards, in a row of Ultimate."""
FREE = "."


def grid_of(game: Game, state: Any) -> list[str] | None:
    """Return the rows of a board from the top, 'X', 'O' and '.'; None of a game that has no such board.

    The rows of Ultimate are those of its nine boards beside and below each other, nine by nine.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4:columns=4,rows=3")
    >>> grid_of(game, game.state_after("223"))
    ['....', '.O..', '.XX.']
    """
    if isinstance(state, UltimateState | StayState):
        cells = game.format_position(state)[:NUM_CELLS].upper().replace(" ", FREE)
        return ["".join(cells[ultimate_action(row, column)] for column in range(9)) for row in range(9)]
    if isinstance(state, TicTacToeState | MnkState | ConnectFourState):
        rows = game.format_position(state)
        width = api.observation_shape(state)[2]
        cells = rows.replace("/", "")
        return [cells[first : first + width] for first in range(0, len(cells), width)]
    return None


def place_of(game: Game, state: Any, action: int) -> tuple[int, int] | None:
    """Return the row and the column of the grid that a move has marked, from the state after it.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> place_of(game, game.state_after("44"), 3)
    (4, 3)
    """
    grid = grid_of(game, state)
    if grid is None:
        return None
    if isinstance(state, ConnectFourState):
        return next(row for row, cells in enumerate(grid) if cells[action] != FREE), action
    if isinstance(state, UltimateState | StayState):
        board, cell = divmod(action, 9)
        return SIDE * (board // SIDE) + cell // SIDE, SIDE * (board % SIDE) + cell % SIDE
    return divmod(action, len(grid[0]))


def winning_cells(game: Game, state: Any) -> frozenset[tuple[int, int]]:
    """Return the cells of the lines that have ended a game, row and column; none if it goes on, or is drawn.

    In Ultimate they are the cells of the boards in the line.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> sorted(winning_cells(game, game.state_after("03142")))
    [(0, 0), (0, 1), (0, 2)]
    """
    grid = grid_of(game, state)
    if grid is None or api.status(state) not in (api.X_WINS, api.O_WINS):
        return frozenset()
    if isinstance(state, UltimateState | StayState):
        boards = cells_in_line(small_boards(state), SIDE)
        return frozenset((row, column) for row in range(9) for column in range(9) if (row // 3, column // 3) in boards)
    return cells_in_line(grid, int(getattr(state, "length", SIDE)))


def cells_in_line(grid: Sequence[str], length: int) -> frozenset[tuple[int, int]]:
    """Return the cells of all lines of at least `length` equal marks, level, upright and diagonal.

    Examples
    --------
    >>> sorted(cells_in_line(["X.O", ".X.", "..X"], 3))
    [(0, 0), (1, 1), (2, 2)]
    """
    found: set[tuple[int, int]] = set()
    for row, cells in enumerate(grid):
        for column, mark in enumerate(cells):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + step * down, column + step * right) for step in range(length)]
                if mark != FREE and all(
                    0 <= r < len(grid) and 0 <= c < len(cells) and grid[r][c] == mark for r, c in line
                ):
                    found.update(line)
    return frozenset(found)


def ultimate_action(row: int, column: int) -> int:
    """Return the action of Ultimate that marks a cell of the grid: nine times its board, and its place there.

    Examples
    --------
    >>> ultimate_action(4, 8)
    50
    """
    return 9 * (SIDE * (row // SIDE) + column // SIDE) + SIDE * (row % SIDE) + column % SIDE


def small_boards(state: Any) -> list[str]:
    """Return the winners of the nine boards of Ultimate as rows of marks.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> small_boards(parse_game("ultimate").initial_state)
    ['...', '...', '...']
    """
    x, o = (state.own_boards, state.other_boards)[:: 1 if state.player == api.X else -1]
    marks = "".join("X" if x >> board & 1 else "O" if o >> board & 1 else FREE for board in range(9))
    return [marks[first : first + SIDE] for first in range(0, 9, SIDE)]
