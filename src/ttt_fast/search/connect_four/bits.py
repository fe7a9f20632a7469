"""Lines of four on a board of bits; `stride` is the number of bits of a column."""

import numpy as np

from ttt_fast.core.jit import inlined_kernel

ONE, TWO = np.uint64(1), np.uint64(2)


@inlined_kernel
def four_spots(stones: np.uint64, stride: np.uint64) -> np.uint64:
    """Return the cells that would complete four of `stones`, occupied cells and spare bits among them.

    In a vertical line, this is only the cell above three stones, because stones fall.
    """
    spots = (stones << ONE) & (stones << TWO) & (stones << np.uint64(3))
    step = stride - ONE
    for _ in range(3):
        twice = step + step
        pair = (stones << step) & (stones << twice)
        spots |= pair & (stones << (twice + step))
        spots |= pair & (stones >> step)
        pair = (stones >> step) & (stones >> twice)
        spots |= pair & (stones << step)
        spots |= pair & (stones >> (twice + step))
        step += ONE
    return spots


@inlined_kernel
def has_four(stones: np.uint64, stride: np.uint64) -> bool:
    """Return whether four of `stones` are in a line."""
    pair = stones & (stones >> ONE)
    found = pair & (pair >> TWO)
    step = stride - ONE
    for _ in range(3):
        pair = stones & (stones >> step)
        found |= pair & (pair >> (step + step))
        step += ONE
    return bool(found != np.uint64(0))


@inlined_kernel
def in_fours(stones: np.uint64, stride: np.uint64) -> np.uint64:
    """Return those of `stones` that are in a line of four."""
    pair = stones & (stones >> ONE)
    start = pair & (pair >> TWO)
    double = start | (start << ONE)
    found = double | (double << TWO)
    step = stride - ONE
    for _ in range(3):
        pair = stones & (stones >> step)
        start = pair & (pair >> (step + step))
        double = start | (start << step)
        found |= double | (double << (step + step))
        step += ONE
    return found
