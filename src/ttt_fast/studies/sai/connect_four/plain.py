"""Sai's players of Connect 4 as plain Python, for its clock and as the reference of the fast ones."""

import math
from functools import lru_cache

from ttt_fast.games import api, tic_tac_toe as marks
from ttt_fast.games.connect_four import LENGTH
from ttt_fast.studies.sai.published import DEPTH
from ttt_fast.studies.sai.search import PlainBoard

WIDTH, HEIGHT = 6, 7
"""Columns and cells of a column of the program's board."""


@lru_cache
def lines(width: int, height: int) -> tuple[tuple[int, ...], ...]:
    """Return every four cells in a row; cell r from the top of column c is c * height + r.

    Examples
    --------
    >>> len(lines(7, 6)), len(lines(6, 7))
    (69, 69)
    """
    found = []
    for column in range(width):
        for row in range(height):
            for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
                ends = column + (LENGTH - 1) * right < width, 0 <= row + (LENGTH - 1) * down < height
                if all(ends):
                    found.append(tuple((column + i * right) * height + row + i * down for i in range(LENGTH)))
    return tuple(found)


class FourBoard(PlainBoard):
    """The program's board of Connect 4, with the methods of `PlainBoard`: moves are columns.

    Attributes
    ----------
    marks
        A mark for each cell, column by column from the top.
    turn
        Who moves, 1 or 2.
    """

    def __init__(self, cells: list[int] | None = None, turn: int = api.X) -> None:
        super().__init__(cells or [marks.EMPTY] * (WIDTH * HEIGHT), turn)

    def moves(self) -> list[int]:
        """Return the columns that are not full."""
        return [column for column in range(WIDTH) if self.marks[column * HEIGHT] == marks.EMPTY]

    def push(self, cell: int) -> None:
        """Drop a stone of the player whose turn it is into a column."""
        place = (cell + 1) * HEIGHT - 1
        while self.marks[place] != marks.EMPTY:
            place -= 1
        self.marks[place] = self.turn
        self.turn = 3 - self.turn

    def result(self) -> int | None:
        """Return who has won, 0 for a tie, None while the game goes on."""
        cells = self.marks
        for one, two, three, four in lines(WIDTH, HEIGHT):
            if cells[one] != marks.EMPTY and cells[one] == cells[two] == cells[three] == cells[four]:
                return cells[one]
        return None if marks.EMPTY in cells else 0


class DepthSearcher:
    """Minimax as in appendix 9.1, a few plies deep, with or without alpha-beta pruning; counts its nodes.

    A full board that nobody has won is found at the horizon only: above it the loop over no moves ends at the value
    that it began with.

    Parameters
    ----------
    prune
        Whether with alpha-beta.
    depth
        Plies.
    """

    def __init__(self, prune: bool, depth: int = DEPTH) -> None:
        self.prune, self.depth, self.nodes = prune, depth, 0

    def __call__(self, board: PlainBoard) -> int:
        """Return the first of the best columns, -1 where the program has none."""
        return self.value_and_move(board)[1]

    def value_and_move(self, board: PlainBoard) -> tuple[float, int]:
        """Return the value for X, and the column."""
        alpha, beta = (-math.inf, math.inf) if self.prune else (None, None)
        return self._search(board, self.depth, alpha, beta, board.turn == api.X)

    def _search(
        self, board: PlainBoard, depth: int, alpha: float | None, beta: float | None, maximize: bool
    ) -> tuple[float, int]:
        self.nodes += 1
        result = board.result()
        if result in (api.X, api.O) or depth == 0:
            return (0.0, 1.0, -1.0)[result or 0], -1
        best_move, best = -1, -math.inf if maximize else math.inf
        for move in board.moves():
            after = board.copy()
            after.push(move)
            value = self._search(after, depth - 1, alpha, beta, not maximize)[0]
            if value > best if maximize else value < best:
                best_move, best = move, value
            if alpha is not None and beta is not None:
                alpha, beta = (max(alpha, best), beta) if maximize else (alpha, min(beta, best))
                if alpha >= beta:
                    break
        return best, best_move
