"""Measure one cell of the study `scaling` with a plain learner: Q-learning in self-play on tic-tac-toe.

Nothing of the package is imported.  Writes results/scaling/control.csv: of each seed, the first checkpoint at which
nobody can beat the learner.

    python bench/plain_scaling.py
"""

import csv
import random
import sys
from math import ceil
from pathlib import Path

RUNS, FIRST, LAST, CHECKPOINTS = 20, 100, 2_000_000, 40
POWER, EPSILON = 0.7, 0.3
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
RESULTS = Path(__file__).parent.parent / "results" / "scaling" / "control.csv"


def winner(board):
    """Return X or O, a space for a draw, or None if the game goes on."""
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".":
            return board[a]
    return None if "." in board else " "


def after(board, cell):
    """Return the board after a move of the player whose turn it is."""
    mark = "X" if board.count(".") % 2 else "O"
    return board[:cell] + mark + board[cell + 1 :]


class Learner:
    """Values and numbers of updates of the actions of each board, for the player to move."""

    def __init__(self, seed):
        self.random, self.values, self.updates = random.Random(seed), {}, {}

    def of(self, board):
        """Return the values of the legal actions of a board, by cell in ascending order."""
        if board not in self.values:
            self.values[board] = {cell: 0.0 for cell in range(9) if board[cell] == "."}
        return self.values[board]

    def greedy(self, board):
        """Return the first of the best actions."""
        values = self.of(board)
        return max(values, key=values.get)

    def update(self, board, cell, target):
        """Move a value towards its target, by 1 / n ** POWER at its n-th update."""
        number = self.updates[board, cell] = self.updates.get((board, cell), 0) + 1
        values = self.of(board)
        values[cell] += (target - values[cell]) * number**-POWER

    def play(self):
        """Play a game against itself; each player learns when it is to move again, and at the end."""
        board, last = "." * 9, {}
        while (result := winner(board)) is None:
            mark = "X" if board.count(".") % 2 else "O"
            if mark in last:
                self.update(*last[mark], max(self.of(board).values()))
            cells = list(self.of(board))
            cell = self.random.choice(cells) if self.random.random() < EPSILON else self.greedy(board)
            last[mark] = board, cell
            board = after(board, cell)
        for mark, move in last.items():
            self.update(*move, 0.0 if result == " " else 1.0 if result == mark else -1.0)

    def loses(self, board, mark, known):
        """Return whether the other player can win against the greedy player of a mark from a board."""
        if board not in known:
            result = winner(board)
            if result is not None:
                known[board] = result not in (" ", mark)
            elif mark == ("X" if board.count(".") % 2 else "O"):
                known[board] = self.loses(after(board, self.greedy(board)), mark, known)
            else:
                cells = [cell for cell in range(9) if board[cell] == "."]
                known[board] = any(self.loses(after(board, cell), mark, known) for cell in cells)
        return known[board]


def checkpoints():
    """Return the checkpoints of the study: whole hundreds, spaced by factors."""
    factor = (LAST / FIRST) ** (1 / (CHECKPOINTS - 1))
    return sorted({100 * ceil(round(FIRST * factor**k, 6) / 100) for k in range(CHECKPOINTS)})


def first_unbeatable(seed):
    """Return the first checkpoint at which the greedy player loses in neither seat; None if there is none."""
    learner, played = Learner(seed), 0
    for mark in checkpoints():
        while played < mark:
            learner.play()
            played += 1
        if not any(learner.loses("." * 9, seat, {}) for seat in "XO"):
            return played
    return None


if __name__ == "__main__":
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["seed", "unbeatable"])
        for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS):
            rows.writerow([seed, first_unbeatable(seed)])
