"""The scripted rule of Connect 4 as X against random, with dictionaries and fractions."""

from fractions import Fraction

Board = tuple[str, ...]
"""The stones of each column from the bottom."""


def _order(columns: int) -> list[int]:
    """Return the columns from the centre outwards, left before right."""
    return sorted(range(columns), key=lambda column: (abs(column - columns // 2), column))


def _wins(board: Board, column: int, stone: str, rows: int) -> bool:
    """Return whether a stone dropped into a column makes four in a row."""
    row = len(board[column])

    def count(across: int, up: int) -> int:
        found, c, r = 0, column + across, row + up
        while 0 <= c < len(board) and 0 <= r < len(board[c]) and board[c][r] == stone:
            found, c, r = found + 1, c + across, r + up
        return found

    return any(count(a, u) + count(-a, -u) >= 3 for a, u in ((0, 1), (1, 0), (1, 1), (1, -1)))


def _drop(board: Board, column: int, stone: str) -> Board:
    return (*board[:column], board[column] + stone, *board[column + 1 :])


def _rule(board: Board, stone: str, rows: int) -> int:
    """Return the column of the rule."""
    other = "O" if stone == "X" else "X"
    free = [column for column in _order(len(board)) if len(board[column]) < rows]
    for mark in (stone, other):
        for column in free:
            if _wins(board, column, mark, rows):
                return column
    for column in free:
        after = _drop(board, column, stone)
        if len(after[column]) == rows or not _wins(after, column, other, rows):
            return column
    return free[0]


def outcome(columns: int, rows: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return the probabilities that X wins, of a draw, and that O wins."""
    totals, level = [Fraction(0)] * 3, {("",) * columns: Fraction(1)}
    for ply in range(columns * rows):
        stone, after = "XO"[ply % 2], dict[Board, Fraction]()
        for board, mass in level.items():
            free = [column for column in range(columns) if len(board[column]) < rows]
            chosen = [_rule(board, stone, rows)] if stone == "X" else free
            for column in chosen:
                if _wins(board, column, stone, rows):
                    totals[0 if stone == "X" else 2] += mass / len(chosen)
                elif ply + 1 == columns * rows:
                    totals[1] += mass / len(chosen)
                else:
                    child = _drop(board, column, stone)
                    after[child] = after.get(child, Fraction(0)) + mass / len(chosen)
        level = after
    return totals[0], totals[1], totals[2]
