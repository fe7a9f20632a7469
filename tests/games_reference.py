"""The plain version of the games: dictionaries of marks, lines searched cell by cell, nothing from the package.

A position is the tuple of the actions played so far; every answer is worked out from it anew.
"""

from functools import cache
from typing import NamedTuple

import reference

ONGOING, X_WINS, O_WINS, DRAW = 0, 1, 2, 3


def turned(grid):
    """A square a quarter turn against the clock."""
    return [list(column) for column in zip(*grid, strict=True)][::-1]


def square_maps():
    """Where each cell of a square goes: four turns, then four turns of the reflected square."""
    maps, grid = [], [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    for start in (grid, [list(column) for column in zip(*grid, strict=True)]):
        for _ in range(4):
            maps.append([cell for row in start for cell in row])
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
        return tuple(reference.winner(board) for board in self.boards(moves, extra))

    def _open(self, moves):
        return [b for b, board in enumerate(self.boards(moves)) if not reference.is_over(board)]

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
        return [[9 * to[action // 9] + to[action % 9] for action in range(81)] for to in square_maps()]

    def threats(self, moves, who):
        return [a for a in self.legal(moves) if reference.winner(self.large(moves, (a, who))) == who]


class TicTacToe(NamedTuple):
    misere: str = "no"  # a word: else the tuple would equal one of Ultimate, for those who remember by game
    num_actions = 9
    cells = 9

    def marks(self, moves):
        return {cell: 1 + number % 2 for number, cell in enumerate(moves)}

    def planes(self, moves):
        board, me = self.board(moves), 1 + len(moves) % 2
        return [shown(3, 3, lambda row, column, who=who: board[3 * row + column] == who) for who in (me, 3 - me)]

    def maps(self):
        return square_maps()

    def board(self, moves):
        return tuple(1 + moves.index(cell) % 2 if cell in moves else 0 for cell in range(9))

    def status(self, moves):
        line_of = reference.winner(self.board(moves))
        if line_of:
            return 3 - line_of if self.misere == "yes" else line_of
        return DRAW if len(moves) == 9 else ONGOING

    def legal(self, moves):
        return [cell for cell in range(9) if cell not in moves]

    def threats(self, moves, who):
        if self.misere == "yes":
            return []  # a line of his own is the only one that he can complete
        return [a for a in self.legal(moves) if reference.winner(reference.put(self.board(moves), a, who)) == who]


GAMES = {
    "tic-tac-toe": TicTacToe(),
    "tic-tac-toe:misere=yes": TicTacToe("yes"),
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
}


@cache
def count_lines(game, moves, depth):
    """Lines of play of `depth` plies after `moves`."""
    if depth == 0:
        return 1
    if game.status(moves) != ONGOING:
        return 0
    return sum(count_lines(game, (*moves, action), depth - 1) for action in game.legal(moves))
