"""Afterstate learning on Connect 4 as one would write it in Python: a dictionary of boards.

The straightforward candidate of the group `hashed`; it draws the same words and ends with the same values.
"""

from collections.abc import Sequence

from ttt_fast.core.rng import GOLDEN_GAMMA

_WORD, _MASK_24 = (1 << 64) - 1, (1 << 24) - 1
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


class DictionaryLearner:
    """Values of boards for whoever has just moved, of the players that learn.

    Parameters
    ----------
    columns, rows
        Size of the board; four in a row win.
    passes
        For X's win, a draw and O's win the updates at the end of a game, each with the rewards of X and of O.
    learners
        Players whose values are updated: 0 (X), 1 (O).
    discount, last
        Gamma; whether the last of equally good columns is played, and not the first.
    """

    def __init__(
        self,
        columns: int,
        rows: int,
        passes: Sequence[Sequence[tuple[float, float]]],
        learners: Sequence[int],
        discount: float,
        last: bool,
    ) -> None:
        self.columns, self.rows, self.passes, self.learners = columns, rows, passes, learners
        self.discount, self.last = discount, last
        self.values: dict[bytes, float] = {}
        self.results = [0, 0, 0]

    def learn(self, alphas: Sequence[float], explore_below: Sequence[int], stream: int) -> None:
        """Play games, one for each step size and 24-bit exploration threshold, drawing from a stream."""
        for alpha, below in zip(alphas, explore_below, strict=True):
            path, result, stream = self._played(below, stream)
            self.results[result] += 1
            for rewards in self.passes[result]:
                for player in self.learners:
                    target = rewards[player]
                    for board in reversed(path[player::2]):
                        value = self.values.get(board, 0.0)
                        target = value + alpha * (self.discount * target - value)
                        self.values[board] = target

    def _played(self, below: int, stream: int) -> tuple[list[bytes], int, int]:
        """Return the boards of a game, its result (0 X, 1 draw, 2 O), and where the stream goes on."""
        board, heights = bytearray(self.columns * self.rows), [0] * self.columns
        path: list[bytes] = []
        while len(path) < len(board):
            stream = stream + GOLDEN_GAMMA & _WORD
            word, mark = _mixed(stream), len(path) % 2 + 1
            legal = [column for column in range(self.columns) if heights[column] < self.rows]
            if self.last:
                legal.reverse()
            if word & _MASK_24 < below:
                column = legal[(word >> 24) * len(legal) >> 40]
            else:
                column = max(legal, key=lambda one: self._value_after(board, one, heights[one], mark))
            row = heights[column]
            board[column * self.rows + row] = mark
            heights[column] += 1
            path.append(bytes(board))
            if self._has_won(board, column, row, mark):
                return path, 0 if mark == 1 else 2, stream
        return path, 1, stream

    def _value_after(self, board: bytearray, column: int, row: int, mark: int) -> float:
        cell = column * self.rows + row
        board[cell] = mark
        value = self.values.get(bytes(board), 0.0)
        board[cell] = 0
        return value

    def _has_won(self, board: bytearray, column: int, row: int, mark: int) -> bool:
        """Return whether the last stone stands in a row of four."""
        for across, up in _DIRECTIONS:
            length = 1
            for sign in (1, -1):
                x, y = column + sign * across, row + sign * up
                while 0 <= x < self.columns and 0 <= y < self.rows and board[x * self.rows + y] == mark:
                    length += 1
                    x, y = x + sign * across, y + sign * up
            if length >= 4:
                return True
        return False


def _mixed(x: int) -> int:
    """Return the SplitMix64 finalizer of a word."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _WORD
    return x ^ x >> 31
