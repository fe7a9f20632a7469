"""The first layer of a network with mostly zero inputs, such as the planes of a board: sums over nonzero inputs.

The bits are those of sums over all inputs, since a zero term changes none.  The work array has a list for each row of
inputs: the number of nonzero inputs, then their indices, ascending.
"""

import numpy as np

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.vectors import LANES, Pointer, fill, fma, integers, load, mul, shifted, store, where_less

LEAST_INPUTS = 64
"""Networks with fewer inputs have no lists."""
_LAST_LANE = LANES - 1


@inlined_kernel
def padded(size: int) -> int:
    """Return a size rounded up to whole panels of 16."""
    return (size + _LAST_LANE) & ~_LAST_LANE


@inlined_kernel
def list_length(num_inputs: int) -> int:
    """Return the length of a list, padded; 0 for networks without lists."""
    return padded(num_inputs + 1) if num_inputs >= LEAST_INPUTS else 0


@kernel
def fill_lists(x: Pointer, stride: int, rows: int, num_inputs: int, lists: Pointer) -> bool:
    """Fill the lists of rows of inputs x, which are in panels; return whether most inputs are 0."""
    places, length, total = integers(lists), list_length(num_inputs), 0
    for row in range(rows):
        start, count = row * length, 0
        for column in range(num_inputs):
            places[start + 1 + count] = column
            if x[(column >> 4) * stride + row * LANES + (column & _LAST_LANE)] != 0.0:
                count += 1
        places[start] = count
        total += count
    return 2 * total < rows * num_inputs


@inlined_kernel
def are_sparse(lists: Pointer, rows: int, num_inputs: int) -> bool:
    """Return whether most inputs of some rows are 0, from their lists."""
    places, length, total = integers(lists), list_length(num_inputs), 0
    for row in range(rows if length > 0 else 0):
        total += places[row * length]
    return length > 0 and 2 * total < rows * num_inputs


@kernel
def fill_sparse_layer(
    x: Pointer,
    lists: Pointer,
    w: Pointer,
    y: Pointer,
    stride: int,
    rows: int,
    panels: int,
    num_inputs: int,
    slope: np.float32,
) -> None:
    """Fill the neurons y (rows, panels of 16) of the first layer from the nonzero inputs x."""
    places, length, w_stride = integers(lists), list_length(num_inputs), (num_inputs + 1) * LANES
    zero, below = fill(0.0), fill(slope)
    for row in range(rows):
        start = row * length + 1
        for panel in range(0, panels, 2):
            at, other = panel * w_stride, min(panel + 1, panels - 1) * w_stride
            one, two = load(w, at + num_inputs * LANES), load(w, other + num_inputs * LANES)
            for place in range(start, start + places[start - 1]):
                k = places[place]
                number = fill(x[(k >> 4) * stride + row * LANES + (k & _LAST_LANE)])
                one, two = fma(number, load(w, at + k * LANES), one), fma(number, load(w, other + k * LANES), two)
            here = shifted(y, panel * stride + row * LANES)
            if panel + 1 < panels:
                store(here, stride, where_less(zero, two, two, mul(two, below)))
            store(here, 0, where_less(zero, one, one, mul(one, below)))


@kernel
def fill_sparse_gradients(
    x: Pointer, lists: Pointer, y: Pointer, stride: int, g: Pointer, rows: int, panels: int, num_inputs: int
) -> None:
    """Fill the gradients of the first layer's weights, except its biases, from those of its neurons y."""
    places, length, g_stride, zero = integers(lists), list_length(num_inputs), (num_inputs + 1) * LANES, fill(0.0)
    for panel in range(panels):
        here = shifted(g, panel * g_stride)
        for at in range(0, num_inputs * LANES, LANES):
            store(here, at, zero)
        for row in range(rows):
            start, delta = row * length + 1, load(y, panel * stride + row * LANES)
            for place in range(start, start + places[start - 1]):
                k = places[place]
                number = fill(x[(k >> 4) * stride + row * LANES + (k & _LAST_LANE)])
                store(here, k * LANES, fma(number, delta, load(here, k * LANES)))
