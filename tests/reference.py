"""The plain version of everything: dictionaries, tuples and recursion, and nothing from the package.

A board is a tuple of nine marks (0 empty, 1 X, 2 O).  Slow, short and obvious on purpose: the tests hold the
kernels against it.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

Board = tuple[int, ...]
START: Board = (0,) * 9
ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
COLUMNS = [(0, 3, 6), (1, 4, 7), (2, 5, 8)]
DIAGONALS = [(0, 4, 8), (2, 4, 6)]
Strategy = Callable[[Board], dict[int, Fraction]]


def winner(board: Board) -> int:
    """1 or 2 if that player has a line, else 0."""
    for line in ROWS + COLUMNS + DIAGONALS:
        if board[line[0]] != 0 and board[line[0]] == board[line[1]] == board[line[2]]:
            return board[line[0]]
    return 0


def is_over(board: Board) -> bool:
    return winner(board) != 0 or 0 not in board


def mover(board: Board) -> int:
    return 1 if board.count(1) == board.count(2) else 2


def legal_actions(board: Board) -> list[int]:
    return [] if is_over(board) else [cell for cell in range(9) if board[cell] == 0]


def after(board: Board, action: int) -> Board:
    return (*board[:action], mover(board), *board[action + 1 :])


def text(board: Board) -> str:
    return "".join(".XO"[mark] for mark in board)


def all_states() -> list[Board]:
    """Every reachable board, breadth first, the children of a board by ascending action."""
    found, order = {START}, [START]
    for board in order:
        for action in legal_actions(board):
            child = after(board, action)
            if child not in found:
                found.add(child)
                order.append(child)
    return order


@lru_cache(maxsize=None)
def value(board: Board) -> int:
    """+1 if X wins under best play, 0, -1."""
    if is_over(board):
        return {0: 0, 1: 1, 2: -1}[winner(board)]
    best = max if mover(board) == 1 else min
    return best(value(after(board, action)) for action in legal_actions(board))


@lru_cache(maxsize=None)
def distance(board: Board) -> int:
    """Plies to the end: the winner hurries, the loser delays."""
    if is_over(board):
        return 0
    keeping = [after(board, a) for a in legal_actions(board) if value(after(board, a)) == value(board)]
    mine = value(board) * (1 if mover(board) == 1 else -1)
    best = min if mine > 0 else max
    return 1 + best(distance(child) for child in keeping)


def optimal_actions(board: Board) -> list[int]:
    return [a for a in legal_actions(board) if value(after(board, a)) == value(board)]


def perft(board: Board, depth: int) -> int:
    """Number of move sequences of exactly this length, or that end there."""
    if depth == 0:
        return 1
    return sum(perft(after(board, action), depth - 1) for action in legal_actions(board))


def symmetric_images(board: Board) -> Iterator[Board]:
    grid = [list(board[0:3]), list(board[3:6]), list(board[6:9])]
    for _ in range(4):
        grid = [list(row) for row in zip(*grid[::-1], strict=True)]  # a quarter turn
        yield tuple(mark for row in grid for mark in row)
        yield tuple(mark for row in grid for mark in reversed(row))


def random_player(board: Board) -> dict[int, Fraction]:
    actions = legal_actions(board)
    return {action: Fraction(1, len(actions)) for action in actions}


def minimax_player(board: Board) -> dict[int, Fraction]:
    actions = optimal_actions(board)
    return {action: Fraction(1, len(actions)) for action in actions}


def match(x: Strategy, o: Strategy, start: Board = START) -> tuple[Fraction, Fraction, Fraction]:
    """Exact probabilities (X wins, draw, O wins), by recursion with memory."""
    known: dict[Board, tuple[Fraction, Fraction, Fraction]] = {}

    def result(board: Board) -> tuple[Fraction, Fraction, Fraction]:
        if board not in known:
            if is_over(board):
                won = winner(board)
                known[board] = (Fraction(won == 1), Fraction(won == 0), Fraction(won == 2))
            else:
                strategy = x if mover(board) == 1 else o
                parts = [(p, result(after(board, a))) for a, p in strategy(board).items() if p]
                known[board] = tuple(sum(p * r[i] for p, r in parts) for i in range(3))
        return known[board]

    return result(start)


def best_score(opponent: Strategy, seat: int) -> Fraction:
    """The most that `seat` can have (wins minus losses) against `opponent`, from the empty board."""
    known: dict[Board, Fraction] = {}

    def score(board: Board) -> Fraction:
        if board not in known:
            if is_over(board):
                won = winner(board)
                known[board] = Fraction(0 if won == 0 else (1 if won == seat else -1))
            elif mover(board) == seat:
                known[board] = max(score(after(board, action)) for action in legal_actions(board))
            else:
                known[board] = sum(
                    (p * score(after(board, a)) for a, p in opponent(board).items() if p), Fraction(0)
                )
        return known[board]

    return score(START)
