"""Sai's players in plain Python, timed like the program: seconds, and peaks of memory.

They follow the program in appendix 9 of Sai's report: minimax that searches at every move, a default opponent, and a
table.  The board is copied for every examined move.  They also serve as the reference of the fast players.
"""

import math
import random
import time
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any, Protocol, Self

from ttt_fast.studies.engine.games import lines_of

WIDTH, HEIGHT, DEPTH = 6, 7, 5
"""Columns of the program's Connect 4 board, cells of a column, and the search depth of minimax in plies."""


class PlainBoard:
    """A tic-tac-toe board as in the program: copied and modified for each move, with its result computed at every node.

    Attributes
    ----------
    marks
        The cells: 0 empty, 1 X, 2 O.
    turn
        The player to move, 1 or 2.
    """

    cells: int = 9
    lines: tuple[tuple[int, ...], ...] = lines_of(3, 3, 3)

    def __init__(self, marks: list[int] | None = None, turn: int = 1) -> None:
        self.marks = marks or [0] * self.cells
        self.turn = turn

    def copy(self) -> Self:
        """Return a copy."""
        return type(self)(self.marks.copy(), self.turn)

    def push(self, move: int) -> None:
        """Mark a cell for the player to move."""
        self.marks[move] = self.turn
        self.turn = 3 - self.turn

    def after(self, move: int, player: int = 0) -> Self:
        """Return a copy after a move of the player to move, or of another player."""
        board = self.copy()
        board.turn = player or self.turn
        board.push(move)
        return board

    def moves(self) -> list[int]:
        """Return the empty cells, row by row."""
        return [cell for cell, mark in enumerate(self.marks) if not mark]

    def result(self) -> int | None:
        """Return the winner, 0 for a tie, and None for an ongoing game."""
        marks = self.marks
        for line in self.lines:  # of three or four cells
            mark = marks[line[0]]
            if mark and mark == marks[line[1]] == marks[line[2]] == marks[line[-1]]:
                return mark
        return None if 0 in marks else 0


class FourBoard(PlainBoard):
    """The program's board of Connect 4: a mark for each cell, column by column from the top; moves are columns."""

    cells, lines = WIDTH * HEIGHT, lines_of(WIDTH, HEIGHT, 4)

    def moves(self) -> list[int]:
        """Return the columns that are not full."""
        return [column for column in range(WIDTH) if not self.marks[column * HEIGHT]]

    def push(self, move: int) -> None:
        """Drop a stone of the player to move into a column."""
        place = (move + 1) * HEIGHT - 1
        while self.marks[place]:
            place -= 1
        super().push(place)


class PlainPlayer(Protocol):
    """A player that counts the boards that it examines."""

    looked: int

    def __call__(self, board: PlainBoard) -> int:
        """Return a move."""


class Searcher:
    """Minimax as in appendix 9.1 of Sai's report, with or without alpha-beta, to the end of a game or a fixed depth.

    With a fixed depth, a full board without a winner is recognised as a draw only at the horizon.  Above the horizon,
    such a board has no moves to loop over.  The search then returns the initial value of the loop, and -1 as the move.
    """

    def __init__(self, prune: bool, depth: int | None = None) -> None:
        self.prune, self.depth, self.looked = prune, depth, 0

    def __call__(self, board: PlainBoard) -> int:
        """Return the first of the best moves."""
        return self.value_and_move(board)[1]

    def value_and_move(self, board: PlainBoard) -> tuple[float, int]:
        """Return the value for X, and the move."""
        window = (-math.inf, math.inf) if self.prune else (None, None)
        return self._search(board, self.depth, *window)

    def _search(
        self, board: PlainBoard, depth: int | None, alpha: float | None, beta: float | None
    ) -> tuple[float, int]:
        self.looked += 1
        result = board.result()
        if result or depth == 0 or (result == 0 and depth is None):
            return (0.0, 1.0, -1.0)[result or 0], -1
        maximize, further = board.turn == 1, None if depth is None else depth - 1
        best_move, best = -1, -math.inf if maximize else math.inf
        for move in board.moves():
            value = self._search(board.after(move), further, alpha, beta)[0]
            if value > best if maximize else value < best:
                best_move, best = move, value
            if alpha is not None and beta is not None:
                alpha, beta = (max(alpha, best), beta) if maximize else (alpha, min(beta, best))
                if alpha >= beta:
                    break
        return best, best_move


class PlainDefaultPlayer:
    """The default opponent: a winning move, else a blocking move, each with probability `skill`, else a random move."""

    def __init__(self, skill: float, generator: random.Random) -> None:
        self.skill, self.generator, self.looked = skill, generator, 0

    def __call__(self, board: PlainBoard) -> int:
        """Return a move."""
        for player in (board.turn, 3 - board.turn):
            for move in board.moves():
                self.looked += 1
                if board.after(move, player).result() == player:
                    if self.generator.random() < self.skill:
                        return move
                    break
        return self.generator.choice(board.moves())


class TablePlayer:
    """The learned player of appendix 9.2 of Sai's report: a dictionary from boards as text to values of afterstates."""

    def __init__(self, values: Mapping[str, float], epsilon: float, generator: random.Random) -> None:
        self.values, self.epsilon, self.generator, self.looked = values, epsilon, generator, 0

    def __call__(self, board: PlainBoard) -> int:
        """Return a random move with probability epsilon, else the last of the best moves."""
        moves = board.moves()
        if self.generator.random() <= self.epsilon:
            return self.generator.choice(moves)
        self.looked += len(moves)
        best, chosen = -math.inf, moves[0]
        for move in moves:
            value = self.values.get(str(board.after(move).marks), 0.0)
            if value >= best:
                best, chosen = value, move
        return chosen


SPENT = ("moves", "looked", "seconds", "summed peaks", "greatest peak")
"""Metrics of a player's games: moves, examined boards, seconds, and the sum and maximum of memory peaks in bytes."""


def on_the_clock(x: PlainPlayer, o: PlainPlayer, traced: bool, start: Callable[[], PlainBoard]) -> list[list[float]]:
    """Play one game; return the costs of X and O in the order of SPENT; `traced` adds memory and slows the clock."""
    board, spent = start(), [[0.0] * len(SPENT) for _ in "xo"]
    while board.result() is None:
        own, player = spent[board.turn - 1], (x, o)[board.turn - 1]
        looked = player.looked
        if traced:
            tracemalloc.start()
        started = time.perf_counter()
        move = player(board)
        own[2] += time.perf_counter() - started
        if traced:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            own[3], own[4] = own[3] + peak, max(own[4], peak)
        own[0], own[1] = own[0] + 1, own[1] + player.looked - looked
        board.push(move)
    return spent


def match_on_the_clock(
    first: PlainPlayer, second: PlainPlayer, games: int, start: Callable[[], PlainBoard]
) -> dict[str, Any]:
    """Return the costs of two alternately beginning players in each game, (G, 2, 5), timed, and then traced."""

    def play(game: int, traced: bool) -> list[list[float]]:
        x, o = (first, second) if game % 2 == 0 else (second, first)
        spent = on_the_clock(x, o, traced, start)
        return spent if game % 2 == 0 else spent[::-1]

    kinds = {"timed": False, "traced": True}
    return {name: [play(game, traced) for game in range(games)] for name, traced in kinds.items()}
