"""N-tuples that choose columns as a strategy does, learned from its closed set.

In a position of the set, a column is acceptable if every reply leads into the set again.  The weights are those of a
softmax over the legal columns, fitted to the acceptable ones by stochastic gradients, and then rounded.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proven_board import ONE, ZERO, canonical_key, key_words, playable_cells, slot_of
from proven_set import ClosedSet
from ttt_fast.core.bits import as_int, lowest_bit_index
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.search.connect_four import geometry as at
from ttt_fast.search.connect_four.bits import four_spots


class Tuples(NamedTuple):
    """Tuples and their mirror images, I = 2 T: cells (T, N), first weights (I,), steps (65 * I,), the board."""

    cells: NDArray[np.uint8]
    start: NDArray[np.int32]
    steps: NDArray[np.int32]
    board: NDArray[np.uint64]


def make_tuples(board: NDArray[np.uint64], shapes: list[list[tuple[int, int]]]) -> Tuples:
    """Return all placements of shapes (lists of column and row), one of each pair of mirror images."""
    width, height, stride = (int(board[place]) for place in (at.WIDTH, at.HEIGHT, at.STRIDE))
    found: dict[tuple[int, ...], None] = {}
    for shape in shapes:
        for column in range(width):
            for row in range(height):
                cells = [(column + c, row + r) for c, r in shape]
                if all(0 <= c < width and 0 <= r < height for c, r in cells):
                    bits = tuple(sorted(c * stride + r for c, r in cells))
                    image = tuple(sorted((width - 1 - c) * stride + r for c, r in cells))
                    found.setdefault(min(bits, image))
    cells = np.array(list(found), np.uint8)
    count, size = cells.shape
    steps = np.zeros((65, 2 * count), np.int32)
    for image in range(2 * count):
        for place, cell in enumerate(cells[image % count].tolist()):
            column, row = divmod(cell, stride)
            steps[(width - 1 - column if image >= count else column) * stride + row, image] += 4**place
    return Tuples(cells, np.tile(np.arange(count, dtype=np.int32) * 4**size, 2), steps.reshape(-1), board)


@kernel
def acceptable(slots: NDArray[np.int64], closed: ClosedSet, masks: NDArray[np.uint8]) -> None:
    """Write the acceptable columns of positions that do not win at once, as bits."""
    board = closed.work.board
    for place in range(len(slots)):
        me, stones = key_words(closed.keys[slots[place]], board)
        playable = playable_cells(stones, board)
        theirs = four_spots(me ^ stones, board[at.STRIDE]) & board[at.BOARD]
        masks[place] = 0
        for column in range(as_int(board[at.WIDTH])):
            move = playable & board[at.COLUMNS + column]
            after = stones | move
            replies = playable_cells(after, board)
            if move == ZERO or replies == ZERO or replies & theirs != ZERO:
                continue
            inside = True
            while replies != ZERO and inside:
                reply = replies & (ZERO - replies)
                replies ^= reply
                key = canonical_key(me | move, after | reply, board)
                slot = slot_of(key, closed.keys)
                inside = closed.keys[slot] == key and closed.uses[slot] > 0
            if inside:
                masks[place] |= np.uint8(1 << column)


@inlined_kernel
def fill_places(
    me: np.uint64, stones: np.uint64, tuples: Tuples, places: NDArray[np.int32], after: NDArray[np.int32]
) -> None:
    """Write the place of each image of a board into `places`, and of that after each column into rows of `after`."""
    _, start, steps, board = tuples
    many = len(start)
    playable = playable_cells(stones, board)
    for image in range(many):
        places[image] = start[image]
    for digit in range(1, 4):
        cells = playable
        if digit == 2:
            cells = me
        elif digit == 3:
            cells = me ^ stones
        while cells != ZERO:
            base = as_int(lowest_bit_index(cells)) * many
            for image in range(many):
                places[image] += np.int32(digit) * steps[base + image]
            cells &= cells - ONE
    for column in range(as_int(board[at.WIDTH])):
        cell = playable & board[at.COLUMNS + column]
        if cell != ZERO:
            base = as_int(lowest_bit_index(cell)) * many
            for image in range(many):
                after[column, image] = places[image] + steps[base + image] + steps[base + many + image]


@kernel
def learn(
    keys: NDArray[np.uint64],
    masks: NDArray[np.uint8],
    order: NDArray[np.int64],
    step_size: float,
    tuples: Tuples,
    weights: NDArray[np.float32],
) -> float:
    """Fit the weights to the acceptable columns, one position at a time; return the share of errors before.

    A step size of 0 only counts the errors.
    """
    many, board = len(tuples.start), tuples.board
    width = as_int(board[at.WIDTH])
    places, after = np.empty(many, np.int32), np.empty((width, many), np.int32)
    values = np.empty(width, np.float64)
    errors = 0
    for index in order:
        me, stones = key_words(keys[index], board)
        fill_places(me, stones, tuples, places, after)
        playable = playable_cells(stones, board)
        mask = as_int(np.uint64(masks[index]))
        top, best = -1e30, -1
        for column in range(width):
            values[column] = -1e30
            if playable & board[at.COLUMNS + column] != ZERO:
                total = np.float32(0)
                for image in range(many):
                    total += weights[after[column, image]]
                values[column] = total
                if total > top:
                    top, best = values[column], column
        wrong = (mask >> best) & 1 == 0
        errors += wrong
        if step_size == 0:
            continue
        all_sum, good_sum = 0.0, 0.0
        for column in range(width):
            values[column] = np.exp(values[column] - top) if values[column] > -1e29 else 0.0
            all_sum += values[column]
            if (mask >> column) & 1:
                good_sum += values[column]
        for column in range(width):
            if playable & board[at.COLUMNS + column] == ZERO:
                continue
            share = -values[column] / all_sum
            if (mask >> column) & 1:
                share += values[column] / max(good_sum, 1e-12)
            if abs(share) > 0.01:
                change = np.float32(step_size * share)
                for image in range(many):
                    weights[after[column, image]] += change
    return errors / max(1, len(order))


def rounded(weights: NDArray[np.float32], share: float) -> NDArray[np.int8]:
    """Return weights scaled to 127 at a quantile of their sizes, and rounded; larger ones are clipped."""
    sizes = np.abs(weights[weights != 0])
    largest = float(np.quantile(sizes, share)) if sizes.size else 1.0
    return np.clip(np.rint(weights * (127 / largest)), -127, 127).astype(np.int8)
