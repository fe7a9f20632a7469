"""The head of a node, which is all that a greedy ply needs of it in one word, and the row functions of both learners.

Bits 0-15: node after the greedy action.  16: set if several actions are greatest (with random ties only).
20-23: number of actions.  24-43: first edge.  44-63: greedy edge.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel

LOWEST = -1.7e308
"""Less than any value: the value of no action."""

MASK_4, MASK_16, MASK_20 = (np.uint64((1 << bits) - 1) for bits in (4, 16, 20))
TIED = np.uint64(1 << 16)
STATIC = np.uint64(((1 << 24) - 1) << 20)
"""The part of a head that does not change."""

_0, _1, _20, _24, _32, _44 = (np.uint64(n) for n in (0, 1, 20, 24, 32, 44))


@kernel
def static_heads(edge_start: NDArray[np.uint64], head: NDArray[np.uint64]) -> None:
    """Write number of actions and first edge into the heads of all decision nodes."""
    for node in range(edge_start.size - 1):
        head[node] = edge_start[node] << _24 | (edge_start[node + 1] - edge_start[node]) << _20


@kernel
def above(value: float, applies: bool) -> float:
    """Return the next float above a value, or one a little above that; without a branch the value if not `applies`."""
    return value + (abs(value) * 2.0**-52 + 1e-300) * (1.0 if applies else 0.0)


@kernel
def pick_tied(word: np.uint64, row: np.uint64, offset: np.uint64, q: NDArray[np.float64]) -> np.uint64:
    """Return one of the equally great edges of a row (its head), by the high half of a random word.

    With an `offset` other than 0 the values are sums of two tables at this distance.
    """
    first = (row >> _24) & MASK_20
    last = first + ((row >> _20) & MASK_4)
    greedy = row >> _44
    value = q[greedy] + (q[greedy + offset] if offset != _0 else 0.0)
    count = _0
    for edge in range(first, last):
        count += np.uint64(q[edge] + (q[edge + offset] if offset != _0 else 0.0) == value)
    left = ((word >> _32) * count) >> _32
    for edge in range(first, last):
        if q[edge] + (q[edge + offset] if offset != _0 else 0.0) == value:
            if left == _0:
                return np.uint64(edge)
            left -= _1
    return greedy
