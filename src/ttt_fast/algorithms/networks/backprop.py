"""The update of a network by a minibatch: forward pass, loss, gradients by backpropagation, and the optimizer's step.

Letters: B samples, I inputs, O outputs, P weights, W numbers of a work array.

A sample trains the output of one action (deep Q-learning) or all outputs.  The loss is the mean over the n trained
outputs, as in PyTorch's `mse_loss` and `smooth_l1_loss` (with beta = delta = 1).  The gradient of an output is
therefore 2 d / n, or d / n clipped to [-1 / n, 1 / n], where d is the output minus its target.

A network with two heads (`POLICY_AND_VALUE`) has an output for each action, and a last one for the value.  Its loss is
the mean over the samples of the cross-entropy of the policy, a softmax over the legal actions, and of the squared error
of the value (D. Silver et al., Science 362, 2018).  The softmax is computed in float64.

The gradient of a weight is the sum over the samples in their order, with one rounding each.  The gradient of a neuron
is the sum of 16 lanes by the tree of `vectors.total`, where a lane is each 16th term.  In the last hidden layer it is
the sum over the trained outputs, in their order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.networks.optimizers import Moments, Optimizer, step
from ttt_fast.core.bits import as_int
from ttt_fast.core.elementary import exp, log
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import zeros_in_lines
from ttt_fast.core.tiles import dots, multiply_transposed
from ttt_fast.core.vectors import (
    LANES,
    Pointer,
    add,
    fill,
    fma,
    load,
    mul,
    pointer,
    shifted,
    store,
    where_less,
)
from ttt_fast.values.layers import (
    LayerPointers,
    Layers,
    fill_hidden,
    fill_outputs,
    last_hidden,
    lists_at,
    num_rows_in,
    num_rows_of,
    output_at,
    padded,
    place_inputs,
    pointers_of,
)
from ttt_fast.values.network import work_size
from ttt_fast.values.sparse import are_sparse, fill_sparse_gradients

LOSSES = {"squared": 0, "huber": 1}
"""Codes of the losses."""
_HUBER = LOSSES["huber"]
POLICY_AND_VALUE = 2
"""Code of the loss of a network with two heads, whose samples train all outputs."""
ILLEGAL_TARGET = np.float32(-1.0)
"""The target of an illegal action in a policy."""
ALL_OUTPUTS = -1
"""Placeholder for the first action: every sample trains all outputs."""


class Samples(NamedTuple):
    """A minibatch.

    Attributes
    ----------
    inputs : (B I,) float32
        Inputs, sample after sample.
    actions : (B,) int64
        The trained output of each sample; with ALL_OUTPUTS in the first place, all outputs of every sample.
    targets : (B,) or (B O,) float32
        The targets of the trained outputs, sample after sample.
    """

    inputs: NDArray[np.float32]
    actions: NDArray[np.int64]
    targets: NDArray[np.float32]


class BackpropScratch(NamedTuple):
    """Scratch buffers of an update.

    Attributes
    ----------
    neurons, deltas : (W,) float32
        Inputs and hidden neurons, layer after layer in panels, and the gradients of their sums.
    gradients : (P,) float32
        The gradients, in the order of the weights.
    outputs : (B O,) float32
        The outputs, and then the derivatives of the loss by them, of a network with two heads.
    """

    neurons: NDArray[np.float32]
    deltas: NDArray[np.float32]
    gradients: NDArray[np.float32]
    outputs: NDArray[np.float32]


def make_scratch(sizes: tuple[int, ...], num_weights: int, batch: int) -> BackpropScratch:
    """Return scratch buffers for updates of a network by up to `batch` samples."""
    numbers = work_size(sizes, batch)
    counts = numbers, numbers, num_weights, batch * sizes[-1]
    return BackpropScratch(*(zeros_in_lines(count, np.float32) for count in counts))


class _Pointers(NamedTuple):
    """Pointers to minibatch and work arrays, for which numba counts no references.

    `capacity` is the size of `neurons`, `rows` the number of samples.
    """

    inputs: Pointer
    actions: NDArray[np.int64]
    targets: Pointer
    neurons: Pointer
    deltas: Pointer
    gradients: Pointer
    outputs: Pointer
    capacity: int
    rows: int


@kernel
def update(
    layers: Layers,
    moments: Moments,
    scratch: BackpropScratch,
    samples: Samples,
    rule: Optimizer,
    loss: int,
    step_size: float,
) -> float:
    """Update a network by a minibatch, and return the loss before the update.

    Parameters
    ----------
    layers
        The network; its weights are updated in place.
    moments
        The optimizer's moments, updated in place.
    scratch
        Scratch buffers for at least as many samples (`make_scratch`).
    samples
        The minibatch, of `samples.actions.size` samples.
    rule
        The optimizer.
    loss
        A code of LOSSES, or POLICY_AND_VALUE.
    step_size
        The step size of this update.
    """
    net, size = pointers_of(layers), layers.weights.size
    at = _Pointers(
        pointer(samples.inputs), pointer(samples.actions), pointer(samples.targets), pointer(scratch.neurons),
        pointer(scratch.deltas), pointer(scratch.gradients), pointer(scratch.outputs), scratch.neurons.size,
        samples.actions.size,
    )  # fmt: skip
    first, second, powers = pointer(moments.first), pointer(moments.second), pointer(moments.powers)
    error = _fill_gradients(net, at, loss)  # no array is used from here on: numba would count references to it
    step(net.weights, at.gradients, first, second, powers, size, rule, step_size)
    return error


@kernel
def _fill_gradients(net: LayerPointers, at: _Pointers, loss: int) -> float:
    stride, rows, sizes = num_rows_of(net, at.capacity) * LANES, at.rows, net.sizes
    place_inputs(at.neurons, stride, at.inputs, as_int(0), rows, sizes[0])
    fill_hidden(net, at.neurons, stride, rows)
    place = last_hidden(net, stride)
    error = _fill_output_gradients(net, at, stride, place, loss)
    slope = np.float32(net.slope)
    for layer in range(net.num_hidden - 1, -1, -1):
        count, panels = num_rows_in(sizes, layer), padded(sizes[layer + 1]) // LANES
        before, w_stride = place - padded(sizes[layer]) // LANES * stride, (count + 1) * LANES
        y, g = shifted(at.deltas, place), shifted(at.gradients, net.starts[layer])
        _rectify(y, shifted(at.neurons, place), stride, rows, panels, slope)
        _fill_bias_gradients(y, stride, shifted(g, count * LANES), w_stride, rows, panels)
        x, lists = shifted(at.neurons, before), shifted(at.neurons, lists_at(net, stride))
        if layer == 0 and are_sparse(lists, rows, count):
            fill_sparse_gradients(x, lists, y, stride, g, rows, panels, count)
        else:
            _fill_weight_gradients(x, y, stride, g, w_stride, rows, panels, count)
        if layer > 0:
            w = shifted(net.weights, net.starts[layer])
            _pass_back(y, w, w_stride, shifted(at.deltas, before), stride, rows, panels, count)
        place = before
    return error


@kernel
def _fill_output_gradients(net: LayerPointers, at: _Pointers, stride: int, place: int, loss: int) -> float:
    """Fill the gradients of the output layer and of the last hidden neurons, at `place`; return the loss."""
    last, zero = net.num_hidden, fill(np.float32(0.0))
    num_outputs, panels, start = net.sizes[last + 1], padded(net.sizes[last]) // LANES, net.starts[last]
    hidden, deltas = shifted(at.neurons, place), shifted(at.deltas, place)
    w, g = shifted(net.weights, start), shifted(at.gradients, start)
    for here in range(0, net.starts[last + 1] - start, LANES):
        store(g, here, zero)
    for panel in range(panels):
        for row in range(at.rows):
            store(deltas, panel * stride + row * LANES, zero)
    moves_all, has_heads = at.actions[0] == ALL_OUTPUTS, loss == POLICY_AND_VALUE
    moved = num_outputs if moves_all else 1
    count, biases, error = at.rows * (1 if has_heads else moved), panels * num_outputs * LANES, 0.0
    share = np.float32(1.0 / count)
    if has_heads:
        fill_outputs(net, hidden, stride, at.rows, at.outputs, as_int(0))
    for row in range(at.rows):
        if has_heads:
            error += _fill_slopes_of_heads(at, row, num_outputs)
        for number in range(moved):
            output = number if moves_all else at.actions[row]
            if has_heads:
                slope = at.outputs[row * moved + number] * share
            else:
                difference = output_at(net, hidden, stride, row, output) - at.targets[row * moved + number]
                error += _loss(difference, loss)
                slope = _loss_slope(difference, loss) * share
            g[biases + output] += slope
            spread = fill(slope)
            for panel in range(panels):
                there, here = (panel * num_outputs + output) * LANES, panel * stride + row * LANES
                store(g, there, fma(spread, load(hidden, here), load(g, there)))
                store(deltas, here, fma(spread, load(w, there), load(deltas, here)))
    return error / count


@inlined_kernel
def _fill_slopes_of_heads(at: _Pointers, row: int, num_outputs: int) -> float:
    """Replace the outputs of a sample by the derivatives of its loss, and return the loss."""
    first, value = row * num_outputs, row * num_outputs + num_outputs - 1
    largest, total, error = -np.inf, 0.0, 0.0
    for place in range(first, value):
        if at.targets[place] != ILLEGAL_TARGET:
            largest = max(largest, float(at.outputs[place]))
    for place in range(first, value):
        if at.targets[place] != ILLEGAL_TARGET:
            total += exp(float(at.outputs[place]) - largest)
    for place in range(first, value):
        target, output = float(at.targets[place]), float(at.outputs[place]) - largest
        slope = 0.0
        if target != ILLEGAL_TARGET:
            slope = exp(output) / total - target
            error -= target * (output - log(total))
        at.outputs[place] = np.float32(slope)
    off = float(at.outputs[value]) - float(at.targets[value])
    at.outputs[value] = np.float32(off + off)
    return error + off * off


@inlined_kernel
def _loss(difference: np.float32, loss: int) -> float:
    """Return the loss of an output that is off by `difference`."""
    off = abs(float(difference))
    if loss == _HUBER:
        return 0.5 * off * off if off < 1.0 else off - 0.5
    return off * off


@inlined_kernel
def _loss_slope(difference: np.float32, loss: int) -> np.float32:
    """Return the derivative of the loss of an output that is off by `difference`."""
    if loss == _HUBER:
        return min(max(difference, np.float32(-1.0)), np.float32(1.0))
    return difference + difference


@kernel
def _rectify(deltas: Pointer, neurons: Pointer, stride: int, rows: int, panels: int, slope: np.float32) -> None:
    """Multiply the gradients of neurons by the slope of the ReLU: 1 above 0, else `slope`."""
    zero, factor = fill(np.float32(0.0)), fill(slope)
    for panel in range(panels):
        for at in range(panel * stride, panel * stride + rows * LANES, LANES):
            delta = load(deltas, at)
            store(deltas, at, where_less(zero, load(neurons, at), delta, mul(delta, factor)))


@inlined_kernel
def _fill_panels(
    panels: int, x: Pointer, y: Pointer, stride: int, g: Pointer, g_stride: int, rows: int, count: int
) -> None:
    """Fill one or two panels of the gradients of weights, in tiles of up to 8 inputs; `panels` is a literal."""
    k = 0
    while k < count:
        x_at, g_at = shifted(x, k // LANES * stride + k % LANES), shifted(g, k * LANES)
        if count - k >= 8:
            multiply_transposed(8, panels, x_at, y, stride, g_at, g_stride, rows)
            k += 8
        elif count - k >= 4:
            multiply_transposed(4, panels, x_at, y, stride, g_at, g_stride, rows)
            k += 4
        else:
            multiply_transposed(1, panels, x_at, y, stride, g_at, g_stride, rows)
            k += 1


@kernel
def _fill_weight_gradients(
    x: Pointer, y: Pointer, stride: int, g: Pointer, g_stride: int, rows: int, panels: int, count: int
) -> None:
    """Fill the gradients of the weights of a hidden layer: x' y."""
    for panel in range(0, panels - 1, 2):
        y_here, g_here = shifted(y, panel * stride), shifted(g, panel * g_stride)
        _fill_panels(2, x, y_here, stride, g_here, g_stride, rows, count)
    if panels % 2:
        y_here, g_here = shifted(y, (panels - 1) * stride), shifted(g, (panels - 1) * g_stride)
        _fill_panels(1, x, y_here, stride, g_here, g_stride, rows, count)


@kernel
def _fill_bias_gradients(y: Pointer, stride: int, g: Pointer, g_stride: int, rows: int, panels: int) -> None:
    """Fill the gradients of the biases of a hidden layer: the sums of y over the rows."""
    for panel in range(panels):
        sums = load(y, panel * stride)
        for row in range(1, rows):
            sums = add(sums, load(y, panel * stride + row * LANES))
        store(g, panel * g_stride, sums)


@kernel
def _pass_back(
    y: Pointer, w: Pointer, w_stride: int, x: Pointer, stride: int, rows: int, panels: int, count: int
) -> None:
    """Fill the gradients x of the neurons before a hidden layer from those behind it: y w'."""
    for k in range(0, count, 8):  # eight rows of w stay in the nearest cache while the rows of y go by
        w_here, x_here = shifted(w, k * LANES), shifted(x, k // LANES * stride + k % LANES)
        for row in range(0, rows - 3, 4):
            y_at, x_at = shifted(y, row * LANES), shifted(x_here, row * LANES)
            dots(4, y_at, stride, w_here, w_stride, x_at, LANES, panels)
            dots(4, y_at, stride, shifted(w_here, 4 * LANES), w_stride, shifted(x_at, 4), LANES, panels)
        for row in range(rows // 4 * 4, rows - 1, 2):
            dots(2, shifted(y, row * LANES), stride, w_here, w_stride, shifted(x_here, row * LANES), LANES, panels)
    if rows % 2 == 1:
        y_at, x_at = shifted(y, (rows - 1) * LANES), shifted(x, (rows - 1) * LANES)
        for panel in range(count // LANES):
            w_here, x_here = shifted(w, panel * LANES * LANES), shifted(x_at, panel * stride)
            dots(1, y_at, stride, w_here, w_stride, x_here, LANES, panels)
