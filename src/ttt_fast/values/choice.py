"""The choice among equally good actions that learners and players of `hashed` make."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel, kernel

TIES = {"first": 0, "last": 1, "random": 2}
"""Codes of the tie rules."""
LAST, RANDOM = TIES["last"], TIES["random"]

_40 = np.uint64(40)


@inlined_kernel
def ordered(actions: NDArray[np.uint8], count: int, place: int, tie: int) -> int:
    """Return the action at a place of the order of ties: ascending, or descending for `last`."""
    return int(actions[count - 1 - place if tie == LAST else place])


@inlined_kernel
def drawn_place(x: np.uint64, count: int) -> int:
    """Return a place from 0 to `count` - 1 by the 40-bit fraction `x`."""
    return np.int64((x * np.uint64(count)) >> _40)  # type: ignore[return-value]


@kernel
def best_place(scores: NDArray[np.float64], count: int, tie: int, x: np.uint64) -> int:
    """Return the place of the highest of the first `count` scores: the first of equal ones, or one drawn by `x`."""
    best = -np.inf
    chosen = 0
    equal = 0
    for place in range(count):
        if scores[place] > best:
            best = scores[place]
            chosen = place
            equal = 1
        elif scores[place] == best:
            equal += 1
    if tie == RANDOM and equal > 1:
        skip = drawn_place(x, equal)
        for place in range(count):
            if scores[place] == best:
                if skip == 0:
                    return place
                skip -= 1
    return chosen
