"""The layers of a network as one flat array of weights, and its forward pass: kernels for networks of any sizes.

Letters: I inputs, O outputs, H neurons of a hidden layer, B rows of a batch, P numbers in the array of weights.

A matrix is stored in panels of 16 columns (`core.tiles`): panel after panel, in each its rows in order, 16 numbers a
row.  A hidden layer is a matrix with a column for each neuron, a row for each number of the layer before, and a last
row of biases.  The output layer is a matrix with a column for each neuron of the last hidden layer and a row for each
output; its biases follow the last panel.  Padded to multiples of 16 are the columns, the rows for neurons (not those
for inputs), and the biases of the output layer.  Padded weights are 0 and stay 0: their neurons are 0 and have no
gradient.

A neuron is its bias plus the products of weights and inputs in the order of the inputs, with one rounding each.  An
output is the sum of 16 lanes by the tree of `vectors.total`, plus its bias; a lane has each 16th product.  The sums do
not depend on the batch.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.tiles import dots, neurons
from ttt_fast.core.vectors import (
    LANES,
    Pointer,
    fill,
    fma,
    load,
    pointer,
    shifted,
    store,
    total,
)
from ttt_fast.values.sparse import LEAST_INPUTS, fill_lists, fill_sparse_layer, list_length, padded as padded


class Layers(NamedTuple):
    """The arrays of a network, for kernels.

    Attributes
    ----------
    weights : (P,) float32
        Layer after layer.
    sizes : (L + 1,) int64
        Inputs, neurons of each hidden layer, outputs.
    starts : (L + 1,) int64
        Offset of each layer in `weights`; the last is P.
    slope
        Slope of the leaky ReLU of hidden neurons below 0; 0: ReLU.
    num_hidden
        Number of hidden layers, which is also the index of the output layer.
    """

    weights: NDArray[np.float32]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    slope: float
    num_hidden: int


class LayerPointers(NamedTuple):
    """`Layers` with pointers in place of arrays, for which numba counts no references.

    A kernel creates it at its top (`pointers_of`) and passes it to the functions here in place of `Layers`.
    """

    weights: Pointer
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    slope: float
    num_hidden: int


@inlined_kernel
def pointers_of(layers: Layers) -> LayerPointers:
    """Return the pointers of a network, whose arrays must outlive them."""
    weights, sizes, starts = pointer(layers.weights), pointer(layers.sizes), pointer(layers.starts)
    return LayerPointers(weights, sizes, starts, layers.slope, layers.num_hidden)


@inlined_kernel
def num_rows_in(sizes: NDArray[np.int64], layer: int) -> int:
    """Return the rows of weights of a hidden layer, without biases: its inputs, padded except in the first layer."""
    return int(sizes[0]) if layer == 0 else padded(sizes[layer])


@inlined_kernel
def _fill_panels(
    panels: int, x: Pointer, w: Pointer, w_stride: int, y: Pointer, stride: int, rows: int, size: int, slope: np.float32
) -> None:
    """Fill one or two panels of neurons, in tiles of up to 8 rows; `panels` is a literal."""
    row = 0
    while row < rows:
        left, x_here, y_here = rows - row, shifted(x, row * LANES), shifted(y, row * LANES)
        if left >= 8:
            neurons(8, panels, x_here, stride, w, w_stride, y_here, stride, size, slope)
            row += 8
        elif left >= 4:
            neurons(4, panels, x_here, stride, w, w_stride, y_here, stride, size, slope)
            row += 4
        elif left >= 2:
            neurons(2, panels, x_here, stride, w, w_stride, y_here, stride, size, slope)
            row += 2
        else:
            neurons(1, panels, x_here, stride, w, w_stride, y_here, stride, size, slope)
            row += 1


@kernel
def _fill_layer(
    x: Pointer, w: Pointer, w_stride: int, y: Pointer, stride: int, rows: int, panels: int, size: int, slope: np.float32
) -> None:
    """Fill the neurons y (rows, panels of 16) of a hidden layer from x (rows, size) and its weights."""
    for panel in range(0, panels - 1, 2):
        w_here, y_here = shifted(w, panel * w_stride), shifted(y, panel * stride)
        _fill_panels(2, x, w_here, w_stride, y_here, stride, rows, size, slope)
    if panels % 2:
        w_here, y_here = shifted(w, (panels - 1) * w_stride), shifted(y, (panels - 1) * stride)
        _fill_panels(1, x, w_here, w_stride, y_here, stride, rows, size, slope)


@kernel
def place_inputs(work: Pointer, stride: int, inputs: NDArray[np.float32], first: int, rows: int, width: int) -> None:
    """Copy rows of `inputs` (B I,), from row `first` on, into panels at the beginning of `work`."""
    end = (first + rows) * width
    for row in range(rows):
        start = (first + row) * width
        for column in range(0, width, LANES):
            at = (column >> 4) * stride + row * LANES
            if start + column + LANES <= end:  # the lanes beyond the width are not used
                store(work, at, load(inputs, start + column))
            else:
                for lane in range(min(LANES, width - column)):
                    work[at + lane] = inputs[start + column + lane]


@kernel
def fill_hidden(layers: Layers | LayerPointers, work: Pointer, stride: int, rows: int) -> None:
    """Fill the neurons of all hidden layers for some rows of inputs, which are at the beginning of `work`.

    Parameters
    ----------
    layers
        The network.
    work
        Inputs and hidden layers one after the other, each in panels.
    stride
        Numbers in a panel of `work`: 16 for each row of its capacity.
    rows
        Rows in use.
    """
    sizes, starts, slope = pointer(layers.sizes), pointer(layers.starts), np.float32(layers.slope)
    weights, x = pointer(layers.weights), shifted(work, 0)
    lists, num_inputs = shifted(work, lists_at(layers, stride)), sizes[0]
    is_sparse = num_inputs >= LEAST_INPUTS and fill_lists(x, stride, rows, num_inputs, lists)
    for layer in range(layers.num_hidden):
        count, panels = num_rows_in(sizes, layer), padded(sizes[layer + 1]) // LANES
        y, w = shifted(x, padded(sizes[layer]) // LANES * stride), shifted(weights, starts[layer])
        if layer == 0 and is_sparse:
            fill_sparse_layer(x, lists, w, y, stride, rows, panels, count, slope)
        else:
            _fill_layer(x, w, (count + 1) * LANES, y, stride, rows, panels, count, slope)
        x = y


@inlined_kernel
def last_hidden(layers: Layers | LayerPointers, stride: int) -> int:
    """Return the offset of the last hidden layer in the work array of `fill_hidden`."""
    return lists_at(layers, stride) - padded(pointer(layers.sizes)[layers.num_hidden]) // LANES * stride


@inlined_kernel
def lists_at(layers: Layers | LayerPointers, stride: int) -> int:
    """Return the offset of the lists of inputs (`values.sparse`) in the work array of `fill_hidden`."""
    sizes, panels = pointer(layers.sizes), 0
    for layer in range(layers.num_hidden + 1):
        panels += padded(sizes[layer]) // LANES
    return panels * stride


@inlined_kernel
def output_at(layers: Layers | LayerPointers, hidden: Pointer, stride: int, row: int, output: int) -> np.float32:
    """Return one output for a row of the last hidden layer."""
    sizes, last = pointer(layers.sizes), layers.num_hidden
    w, num_outputs, panels = pointer(layers.weights), sizes[last + 1], padded(sizes[last]) // LANES
    start, sums = pointer(layers.starts)[last], fill(np.float32(0.0))
    for panel in range(panels):
        at = start + (panel * num_outputs + output) * LANES
        sums = fma(load(hidden, panel * stride + row * LANES), load(w, at), sums)
    bias = w[start + panels * num_outputs * LANES + output]
    return total(sums) + bias  # type: ignore[no-any-return]


@kernel
def fill_outputs(
    layers: Layers | LayerPointers,
    hidden: Pointer,
    stride: int,
    rows: int,
    outputs: NDArray[np.float32],
    first: int,
) -> None:
    """Fill all outputs (B O,) of some rows of the last hidden layer, from row `first` of the batch on."""
    sizes, last = pointer(layers.sizes), layers.num_hidden
    num_outputs, panels, start = sizes[last + 1], padded(sizes[last]) // LANES, pointer(layers.starts)[last]
    w, y = shifted(pointer(layers.weights), start), shifted(pointer(outputs), first * num_outputs)
    biases = panels * num_outputs * LANES
    for row in range(0, rows - 3, 4):
        for output in range(0, num_outputs - 3, 4):
            w_here, y_here = shifted(w, output * LANES), shifted(y, row * num_outputs + output)
            dots(4, shifted(hidden, row * LANES), stride, w_here, num_outputs * LANES, y_here, num_outputs, panels)
            for number in range(LANES):
                y_here[(number >> 2) * num_outputs + (number & 3)] += w[biases + output + (number & 3)]
    for row in range(rows):
        for output in range(num_outputs // 4 * 4 if row < rows // 4 * 4 else 0, num_outputs):
            y[row * num_outputs + output] = output_at(layers, hidden, stride, row, output)


@kernel
def forward(
    layers: Layers, inputs: NDArray[np.float32], rows: int, work: NDArray[np.float32], outputs: NDArray[np.float32]
) -> None:
    """Fill the outputs of a batch.

    Parameters
    ----------
    layers
        The network.
    inputs : (B I,) float32
        Inputs, row after row.
    rows
        Rows of the batch; rows beyond them are not read.
    work : (W,) float32
        Work array of `work_size` numbers, for at least one row.
    outputs : (B O,) float32
        Output, row after row.
    """
    net, capacity = pointers_of(layers), num_rows_of(layers, work.size)
    at_once = max(capacity - 1, 1)  # `capacity` is odd
    stride, place, x, y = capacity * LANES, pointer(work), pointer(inputs), pointer(outputs)
    hidden = shifted(place, last_hidden(net, stride))
    for first in range(0, rows, at_once):
        here = min(at_once, rows - first)
        place_inputs(place, stride, x, first, here, net.sizes[0])
        fill_hidden(net, place, stride, here)
        fill_outputs(net, hidden, stride, here, y, first)


@inlined_kernel
def num_rows_of(layers: Layers | LayerPointers, numbers: int) -> int:
    """Return the number of rows that a work array can hold."""
    return int(numbers // (lists_at(layers, LANES) + list_length(pointer(layers.sizes)[0])))
