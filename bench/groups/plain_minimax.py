"""Bichot's minimax as one would first write it for numba: cells in arrays, grids valued anew, plain recursion.

It answers as `alphabeta:eval=complex,rule=published` does; the benchmark compares the values.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from ttt_fast.games.tic_tac_toe import LINES
from ttt_fast.games.ultimate import UltimateState, board_of

_LINES = np.array(LINES)
_CELL_HALVES = np.array([3, 2, 3, 2, 4, 2, 3, 2, 3])
_QUARTERS, _WIN, _BOARD, _WIDE, _INFINITY = 4, 400, 20, 9, 1 << 40


@numba.njit  # type: ignore[untyped-decorator]
def grid_value(grid: NDArray[np.int8]) -> int:
    """Return the value of nine cells for player 1, in halves."""
    total = 0
    for who, sign in ((1, 1), (2, -1)):
        completes, in_line = np.zeros(9, np.bool_), np.zeros(9, np.bool_)
        for line in _LINES:
            own, gap = 0, -1
            for cell in line:
                own += grid[cell] == who
                if grid[cell] == 0:
                    gap = cell
            if own == 2 and gap >= 0:
                completes[gap] = True
                for cell in line:
                    in_line[cell] = True
        value = 10 * min(2, completes.sum())
        for cell in range(9):
            if grid[cell] == who and not in_line[cell]:
                value += _CELL_HALVES[cell]
        total += sign * value
    return total


@numba.njit  # type: ignore[untyped-decorator]
def has_line(grid: NDArray[np.int8], who: int) -> bool:
    """Return whether a player has three in a row."""
    for line in _LINES:
        if grid[line[0]] == who and grid[line[1]] == who and grid[line[2]] == who:
            return True
    return False


@numba.njit  # type: ignore[untyped-decorator]
def minimax(
    cells: NDArray[np.int8], large: NDArray[np.int8], last: int, player: int, depth: int, pruning: bool,
    alpha: int, beta: int, nodes: NDArray[np.int64],
) -> int:  # fmt: skip
    """Return the value for the player to move, in quarters; `cells` is (9, 9) and `large` (9,) int8, put back."""
    nodes[0] += 1
    closed = np.zeros(9, np.bool_)
    for board in range(9):
        closed[board] = large[board] != 0 or np.all(cells[board] != 0)
    if depth == 0 or has_line(large, 3 - player) or np.all(closed):
        return 0
    first, stop = 0, 9
    if last >= 0 and not closed[last % 9]:
        first, stop = last % 9, last % 9 + 1
    listed = 0
    for board in range(first, stop):
        if not closed[board]:
            free = (cells[board] == 0).sum()
            listed += free if stop - first == 1 or last < 0 else free * free
    next_depth = depth - 1 if listed <= _WIDE else max(0, depth - 2)
    best = -_INFINITY
    for board in range(first, stop):
        for cell in range(9):
            if closed[board] or cells[board, cell] != 0:
                continue
            small_before, large_before = grid_value(cells[board]), grid_value(large)
            large[board] = player
            gain = abs(grid_value(large) - large_before)
            large[board] = 0
            cells[board, cell] = player
            small_gain = abs(grid_value(cells[board]) - small_before)
            takes = has_line(cells[board], player)
            if takes:
                large[board] = player
            reward = _BOARD * gain * _QUARTERS // 2 if takes else small_gain * gain
            if has_line(large, player):
                reward = _WIN * _QUARTERS
            value = reward - minimax(
                cells, large, 9 * board + cell, 3 - player, next_depth, pruning, reward - beta, reward - alpha, nodes
            )
            cells[board, cell] = large[board] = 0
            best, alpha = max(best, value), max(alpha, value)
            if pruning and alpha >= beta:
                return best
    return best


def board_arrays(state: UltimateState) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return the cells, (9, 9) int8, and the boards, (9,), of a state: 0 empty, 1 X, 2 O."""
    cells, large = np.zeros((9, 9), np.int8), np.zeros(9, np.int8)
    players = ((state.player, state.own_low, state.own_high, state.own_boards),
               (3 - state.player, state.other_low, state.other_high, state.other_boards))  # fmt: skip
    for who, low, high, boards in players:
        for board in range(9):
            marks = board_of(low, high, board)
            cells[board][(marks >> np.arange(9) & 1).astype(bool)] = who
            if boards >> board & 1:
                large[board] = who
    return cells, large


def root_value(state: UltimateState, depth: int, pruning: bool, nodes: NDArray[np.int64]) -> int:
    """Return the value of an ongoing state, in quarters; adds to nodes[0]."""
    cells, large = board_arrays(state)
    return minimax(cells, large, state.last, state.player, depth, pruning, -_INFINITY, _INFINITY, nodes)  # type: ignore[no-any-return]
