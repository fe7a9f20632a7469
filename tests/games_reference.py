"""The plain version of the games: dictionaries of marks, lines searched cell by cell, nothing from the package.

A position is the tuple of the actions played so far; every answer is worked out from it anew.
"""

from functools import cache
from typing import NamedTuple

import pytest

import reference

ONGOING, X_WINS, O_WINS, DRAW = 0, 1, 2, 3


def turned(grid):
    """A square a quarter turn against the clock."""
    return [list(column) for column in zip(*grid, strict=True)][::-1]


def board_maps(rows=3, columns=3):
    """Where each cell goes: four turns, then four turns of the reflected board; those that keep its shape, once."""
    maps, grid = [], [[columns * row + column for column in range(columns)] for row in range(rows)]
    for start in (grid, [list(column) for column in zip(*grid, strict=True)]):
        for _ in range(4):
            cells = [cell for row in start for cell in row]
            if len(start) == rows and cells not in maps:
                maps.append(cells)
            start = turned(start)
    return maps


def shown(rows, columns, is_marked):
    """A plane: 1 where a cell is marked, the top row first."""
    return [[int(is_marked(row, column)) for column in range(columns)] for row in range(rows)]


class ConnectFour(NamedTuple):
    columns: int = 7
    rows: int = 6
    length: int = 4

    @property
    def num_actions(self):
        return self.columns

    @property
    def cells(self):
        return self.columns * self.rows

    def marks(self, moves):
        heights, marks = [0] * self.columns, {}
        for number, column in enumerate(moves):
            marks[column, heights[column]] = 1 + number % 2
            heights[column] += 1
        return marks

    def has_line(self, marks, who):
        return any(
            all(marks.get((x + k * dx, y + k * dy)) == who for k in range(self.length))
            for x, y in marks
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    def status(self, moves):
        marks = self.marks(moves)
        for who in (1, 2):
            if self.has_line(marks, who):
                return who
        return DRAW if len(moves) == self.columns * self.rows else ONGOING

    def planes(self, moves):
        marks, me = self.marks(moves), 1 + len(moves) % 2
        return [
            shown(self.rows, self.columns, lambda row, column, who=who: marks.get((column, self.rows - 1 - row)) == who)
            for who in (me, 3 - me)
        ]

    def maps(self):
        mirrored = list(range(self.columns))[::-1]
        return [mirrored[::-1]] if self.columns == 1 else [mirrored[::-1], mirrored]

    def legal(self, moves):
        return [column for column in range(self.columns) if moves.count(column) < self.rows]

    def threats(self, moves, who):
        marks = self.marks(moves)
        tops = {column: (column, moves.count(column)) for column in self.legal(moves)}
        return [column for column, cell in tops.items() if self.has_line({**marks, cell: who}, who)]


class Ultimate(NamedTuple):
    most_boards_win: bool = False
    stay: bool = False
    num_actions = 81
    cells = 81

    def boards(self, moves, extra=None):
        boards = [(0,) * 9] * 9
        for number, action in enumerate(moves):
            boards[action // 9] = reference.put(boards[action // 9], action % 9, 1 + number % 2)
        if extra is not None:
            action, who = extra
            boards[action // 9] = reference.put(boards[action // 9], action % 9, who)
        return boards

    def large(self, moves, extra=None):
        """Who was the first with a line in each board."""
        winners, boards = [0] * 9, [(0,) * 9] * 9
        played = [(action, 1 + number % 2) for number, action in enumerate(moves)]
        for action, who in played + ([] if extra is None else [extra]):
            boards[action // 9] = reference.put(boards[action // 9], action % 9, who)
            winners[action // 9] = winners[action // 9] or reference.winner(boards[action // 9])
        return tuple(winners)

    def _open(self, moves):
        is_closed = (lambda board: 0 not in board) if self.stay else reference.is_over
        return [b for b, board in enumerate(self.boards(moves)) if not is_closed(board)]

    def status(self, moves):
        large = self.large(moves)
        if reference.winner(large):
            return reference.winner(large)
        if self._open(moves):
            return ONGOING
        lead = large.count(1) - large.count(2)
        return DRAW if lead == 0 or not self.most_boards_win else X_WINS if lead > 0 else O_WINS

    def legal(self, moves):
        boards, allowed = self.boards(moves), self._open(moves)
        if moves and moves[-1] % 9 in allowed:
            allowed = [moves[-1] % 9]
        return [9 * board + cell for board in allowed for cell in range(9) if boards[board][cell] == 0]

    def planes(self, moves):
        boards, large, me = self.boards(moves), self.large(moves), 1 + len(moves) % 2
        legal = self.legal(moves) if self.status(moves) == ONGOING else []
        tests = [
            lambda board, cell: boards[board][cell] == me,
            lambda board, cell: boards[board][cell] == 3 - me,
            lambda board, cell: large[board] == me,
            lambda board, cell: large[board] == 3 - me,
            lambda board, cell: 9 * board + cell in legal,
        ]
        return [
            shown(9, 9, lambda row, column, test=test: test(row // 3 * 3 + column // 3, row % 3 * 3 + column % 3))
            for test in tests
        ]

    def maps(self):
        return [[9 * to[action // 9] + to[action % 9] for action in range(81)] for to in board_maps()]

    def threats(self, moves, who):
        return [a for a in self.legal(moves) if reference.winner(self.large(moves, (a, who))) == who]


class TicTacToe(NamedTuple):
    rows: int = 3
    columns: int = 3
    length: int = 3
    misere: str = "no"

    @property
    def num_actions(self):
        return self.rows * self.columns

    @property
    def cells(self):
        return self.rows * self.columns

    def marks(self, moves):
        return {divmod(cell, self.columns): 1 + number % 2 for number, cell in enumerate(moves)}

    def has_line(self, marks, who):
        return any(
            all(marks.get((row + k * down, column + k * right)) == who for k in range(self.length))
            for row, column in marks
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        )

    def planes(self, moves):
        marks, me = self.marks(moves), 1 + len(moves) % 2
        return [
            shown(self.rows, self.columns, lambda row, column, who=who: marks.get((row, column)) == who)
            for who in (me, 3 - me)
        ]

    def maps(self):
        return board_maps(self.rows, self.columns)

    def status(self, moves):
        for who in (1, 2):
            if self.has_line(self.marks(moves), who):
                return 3 - who if self.misere == "yes" else who
        return DRAW if len(moves) == self.cells else ONGOING

    def legal(self, moves):
        return [cell for cell in range(self.cells) if cell not in moves]

    def threats(self, moves, who):
        if self.misere == "yes":
            return []  # a line of his own is the only one that he can complete
        marks = self.marks(moves)
        return [cell for cell in self.legal(moves) if self.has_line({**marks, divmod(cell, self.columns): who}, who)]


GAMES = {
    "tic-tac-toe": TicTacToe(),
    "tic-tac-toe:misere=yes": TicTacToe(misere="yes"),
    "tic-tac-toe:rows=2,columns=4,length=2,misere=yes": TicTacToe(2, 4, 2, "yes"),
    "tic-tac-toe:rows=2,columns=5": TicTacToe(2, 5),
    "tic-tac-toe:rows=4,columns=3": TicTacToe(4, 3),
    "tic-tac-toe:rows=4,columns=4,length=4": TicTacToe(4, 4, 4),
    "tic-tac-toe:rows=5,columns=5,length=4,misere=yes": TicTacToe(5, 5, 4, "yes"),
    "tic-tac-toe:rows=1,columns=25,length=5": TicTacToe(1, 25, 5),
    "tic-tac-toe:rows=3,columns=8,length=7": TicTacToe(3, 8, 7),
    "connect4": ConnectFour(),
    "connect4:columns=6,rows=7": ConnectFour(6, 7),
    "connect4:columns=8,rows=7": ConnectFour(8, 7),  # all 64 bits
    "connect4:columns=4,rows=4,length=3": ConnectFour(4, 4, 3),
    "connect4:columns=3,rows=3,length=3": ConnectFour(3, 3, 3),
    "connect4:columns=5,rows=9,length=5": ConnectFour(5, 9, 5),
    "connect4:columns=32,rows=1,length=2": ConnectFour(32, 1, 2),
    "connect4:columns=1,rows=63,length=63": ConnectFour(1, 63, 63),
    "ultimate": Ultimate(),
    "ultimate:tie=boards": Ultimate(True),
    "ultimate:closed=stay": Ultimate(False, True),
    "ultimate:closed=stay,tie=boards": Ultimate(True, True),
}
GAME_CASES = [
    pytest.param(spec, marks=pytest.mark.slow) if "tic-tac-toe:rows" in spec or "closed=stay" in spec else spec
    for spec in GAMES
]
"""The games as parameters of tests; m-n-k boards and Ultimate with boards that stay open are further types."""


@cache
def count_lines(game, moves, depth):
    """Lines of play of `depth` plies after `moves`."""
    if depth == 0:
        return 1
    if game.status(moves) != ONGOING:
        return 0
    return sum(count_lines(game, (*moves, action), depth - 1) for action in game.legal(moves))
