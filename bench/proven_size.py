"""The predicted number of own positions that remain after a move: a sum of weights, fitted to logarithms of counts.

Features of a board after an own move and of its mirror image: the cells of each line of four and of blocks, and for
each pair of columns the empty cells at which a stone would complete four.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proven_board import ONE, ZERO
from ttt_fast.core.bits import as_int, popcount
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.search.connect_four import geometry as at
from ttt_fast.search.connect_four.bits import four_spots

PAIR_BITS = 16
MAX_FEATURES = 512


class SizeModel(NamedTuple):
    """Tuples of cells, (T, 8) with -1 as filling, the first weight of each, and all weights (float32)."""

    tuples: NDArray[np.int16]
    starts: NDArray[np.int64]
    weights: NDArray[np.float32]
    board: NDArray[np.uint64]


def lines(width: int, height: int) -> list[list[int]]:
    """Return the cells of every line of four."""
    found = []
    for column in range(width):
        for row in range(height):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                ends = (column + 3 * right, row + 3 * up)
                if ends[0] < width and 0 <= ends[1] < height:
                    found.append([(column + i * right) * (height + 1) + row + i * up for i in range(4)])
    return found


def blocks(width: int, height: int, wide: int, high: int) -> list[list[int]]:
    """Return the cells of every block of so many columns and rows."""
    return [
        [(column + i) * (height + 1) + row + j for i in range(wide) for j in range(high)]
        for column in range(width - wide + 1)
        for row in range(height - high + 1)
    ]


def make_model(board: NDArray[np.uint64]) -> SizeModel:
    """Return a model whose weights are 0."""
    width, height = int(board[at.WIDTH]), int(board[at.HEIGHT])
    cells = lines(width, height) + blocks(width, height, 4, 2) + blocks(width, height, 2, 4)
    tuples = np.full((len(cells), 8), -1, np.int16)
    starts = np.zeros(len(cells), np.int64)
    total = 1 + int(board[at.CELLS])
    for number, one in enumerate(cells):
        tuples[number, : len(one)] = one
        starts[number] = total
        total += 4 ** len(one)
    pairs = width * (width - 1) // 2
    weights = np.zeros(total + (pairs << PAIR_BITS), np.float32)
    return SizeModel(tuples, starts, weights, board)


@inlined_kernel
def _column_codes(
    own: np.uint64, stones: np.uint64, board: NDArray[np.uint64], codes: NDArray[np.uint64]
) -> None:
    """Write for each column the empty cells that complete four for the player who moved, and for the other."""
    stride = board[at.STRIDE]
    empty = board[at.BOARD] & ~stones
    mine, theirs = four_spots(own, stride) & empty, four_spots(own ^ stones, stride) & empty
    column_mask = (ONE << board[at.HEIGHT]) - ONE
    for column in range(as_int(board[at.WIDTH])):
        shift = np.uint64(column) * stride
        tops = ((stones >> shift) & column_mask) + ONE
        codes[column] = (
            tops
            | (((mine >> shift) & column_mask) << board[at.STRIDE])
            | (((theirs >> shift) & column_mask) << (board[at.STRIDE] + board[at.STRIDE]))
        )


@inlined_kernel
def fill_features(
    own: np.uint64, stones: np.uint64, model: SizeModel, codes: NDArray[np.uint64], found: NDArray[np.int64]
) -> int:
    """Write the places of the weights of a board after a move of `own`, and return their number."""
    tuples, starts, weights, board = model
    width, stride = as_int(board[at.WIDTH]), as_int(board[at.STRIDE])
    playable = (stones + board[at.BOTTOM]) & board[at.BOARD]
    other = own ^ stones
    found[0] = 1 + 0 * popcount(stones)
    count = 0
    found[count] = popcount(stones)
    count += 1
    for number in range(len(tuples)):
        first, second = 0, 0
        for place in range(8):
            cell = tuples[number, place]
            if cell < 0:
                break
            bit = np.uint64(cell)
            image_column = width - 1 - cell // stride
            image = np.uint64(image_column * stride + cell % stride)
            first = 4 * first + as_int(
                (((own | other) >> bit) & ONE) * np.uint64(2) + ((playable | other) >> bit & ONE)
            )
            second = 4 * second + as_int(
                (((own | other) >> image) & ONE) * np.uint64(2) + ((playable | other) >> image & ONE)
            )
        found[count] = starts[number] + first
        found[count + 1] = starts[number] + second
        count += 2
    _column_codes(own, stones, board, codes)
    pairs = width * (width - 1) // 2
    base = len(weights) - (pairs << PAIR_BITS)
    for left in range(width):
        for right in range(left + 1, width):
            # the pair and its mirror image share a table, whose order of columns is that of the smaller pair
            pair = (width - 1 - right) * width + (width - 1 - left)
            one, two, place = left, right, left * width + right
            if pair < place:
                one, two, place = right, left, pair
            a, b = place // width, place % width
            index = a * (2 * width - a - 1) // 2 + b - a - 1
            mixed = (codes[one] * np.uint64(0x9E3779B97F4A7C15)) ^ (codes[two] * np.uint64(0xC2B2AE3D27D4EB4F))
            mixed ^= mixed >> np.uint64(31)
            mixed *= np.uint64(0xBF58476D1CE4E5B9)
            found[count] = base + (index << PAIR_BITS) + as_int(mixed >> np.uint64(64 - PAIR_BITS))
            count += 1
    return count


@inlined_kernel
def predicted(
    own: np.uint64, stones: np.uint64, model: SizeModel, codes: NDArray[np.uint64], found: NDArray[np.int64]
) -> float:
    """Return the predicted logarithm of the number of own positions after a move."""
    count = fill_features(own, stones, model, codes, found)
    total = 0.0
    for place in range(count):
        total += model.weights[found[place]]
    return total


@kernel
def fit(
    own: NDArray[np.uint64], stones: NDArray[np.uint64], targets: NDArray[np.float32], order: NDArray[np.int64],
    step_size: float, model: SizeModel,
) -> float:
    """Move the weights towards the targets, one sample at a time, and return the mean squared error before."""
    codes, found = np.zeros(16, np.uint64), np.zeros(MAX_FEATURES, np.int64)
    weights = model.weights
    squares = 0.0
    for index in order:
        count = fill_features(own[index], stones[index], model, codes, found)
        total = 0.0
        for place in range(count):
            total += weights[found[place]]
        error = targets[index] - total
        squares += error * error
        change = np.float32(step_size * error / count)
        for place in range(count):
            weights[found[place]] += change
    return squares / max(1, len(order))
