"""The plain form of a network's update: a matrix for each layer, a loop for each sum, the whole gradient, then Adam.

Two hidden layers, ReLU, Huber loss, one action's output for each sample.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel


class PlainLayers(NamedTuple):
    """Weights (inputs, outputs) and biases (1, outputs) of three layers, float32; also moments and gradients."""

    w1: NDArray[np.float32]
    b1: NDArray[np.float32]
    w2: NDArray[np.float32]
    b2: NDArray[np.float32]
    w3: NDArray[np.float32]
    b3: NDArray[np.float32]


def plain_layers(
    pairs: Sequence[Sequence[NDArray[np.float32]]], make: Callable[..., NDArray[np.float32]]
) -> PlainLayers:
    """Return what `make` makes of the weights and the biases of each layer."""
    return PlainLayers(*(make(part) for weights, biases in pairs for part in (weights, biases[None])))


def neurons_of(sizes: Sequence[int], batch: int) -> tuple[NDArray[np.float32], ...]:
    """Return room for the neurons of `update_plain`."""
    inputs, *others = sizes
    return tuple(np.zeros((batch, width), np.float32) for width in (*others, *others, inputs))


def adam_steps(count: int, step_size: float) -> NDArray[np.float64]:
    """Return Adam's step size and epsilon at each of its first steps, (count, 2) float64."""
    steps = np.arange(1, count + 1)
    roots = np.sqrt(1 - 0.999**steps)
    return np.stack([step_size * roots / (1 - 0.9**steps), 1e-8 * roots], axis=1)


@kernel
def _forward(x: NDArray[np.float32], w: NDArray[np.float32], b: NDArray[np.float32], y: NDArray[np.float32]) -> None:
    for row in range(x.shape[0]):
        for j in range(w.shape[1]):
            y[row, j] = b[0, j]
        for k in range(w.shape[0]):
            number = x[row, k]
            for j in range(w.shape[1]):
                y[row, j] += number * w[k, j]


@kernel
def _backward(
    x: NDArray[np.float32],
    delta: NDArray[np.float32],
    w: NDArray[np.float32],
    gw: NDArray[np.float32],
    gb: NDArray[np.float32],
    below: NDArray[np.float32],
) -> None:
    gw[:] = np.float32(0.0)
    gb[:] = np.float32(0.0)
    for row in range(x.shape[0]):
        for j in range(w.shape[1]):
            gb[0, j] += delta[row, j]
        for k in range(w.shape[0]):
            number, total = x[row, k], np.float32(0.0)
            for j in range(w.shape[1]):
                gw[k, j] += number * delta[row, j]
                total += delta[row, j] * w[k, j]
            below[row, k] = total if number > np.float32(0.0) else np.float32(0.0)


@kernel
def _adam(
    w: NDArray[np.float32],
    g: NDArray[np.float32],
    m: NDArray[np.float32],
    v: NDArray[np.float32],
    rate: np.float32,
    epsilon: np.float32,
) -> None:
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            m[i, j] = np.float32(0.9) * m[i, j] + np.float32(0.1) * g[i, j]
            v[i, j] = np.float32(0.999) * v[i, j] + np.float32(0.001) * g[i, j] * g[i, j]
            w[i, j] -= rate * m[i, j] / (np.sqrt(v[i, j]) + epsilon)


@kernel
def update_plain(
    layers: PlainLayers,
    first: PlainLayers,
    second: PlainLayers,
    gradients: PlainLayers,
    neurons: tuple[NDArray[np.float32], ...],
    inputs: NDArray[np.float32],
    actions: NDArray[np.int64],
    targets: NDArray[np.float32],
    step_sizes: NDArray[np.float64],
) -> None:
    """Do an update for each of U minibatches.

    Parameters
    ----------
    layers, first, second, gradients
        The network, its moments, and room for its gradients.
    neurons
        Room for two hidden layers and the outputs (B, H), (B, H), (B, O), then for their gradients and the inputs'.
    inputs : (U, B, I) float32, actions : (U, B) int64, targets : (U, B) float32
        The minibatches.
    step_sizes : (U, 2) float64
        Adam's step size and epsilon at each update.
    """
    h1, h2, outputs, d1, d2, d3, d0 = neurons
    zero, one = np.float32(0.0), np.float32(1.0)
    for number in range(inputs.shape[0]):
        x = inputs[number]
        _forward(x, layers.w1, layers.b1, h1)
        h1[:] = np.maximum(h1, zero)
        _forward(h1, layers.w2, layers.b2, h2)
        h2[:] = np.maximum(h2, zero)
        _forward(h2, layers.w3, layers.b3, outputs)
        d3[:] = zero
        for row in range(x.shape[0]):
            action = actions[number, row]
            off = outputs[row, action] - targets[number, row]
            d3[row, action] = min(max(off, -one), one) / np.float32(x.shape[0])
        _backward(h2, d3, layers.w3, gradients.w3, gradients.b3, d2)
        _backward(h1, d2, layers.w2, gradients.w2, gradients.b2, d1)
        _backward(x, d1, layers.w1, gradients.w1, gradients.b1, d0)
        rate, epsilon = np.float32(step_sizes[number, 0]), np.float32(step_sizes[number, 1])
        _adam(layers.w1, gradients.w1, first.w1, second.w1, rate, epsilon)
        _adam(layers.b1, gradients.b1, first.b1, second.b1, rate, epsilon)
        _adam(layers.w2, gradients.w2, first.w2, second.w2, rate, epsilon)
        _adam(layers.b2, gradients.b2, first.b2, second.b2, rate, epsilon)
        _adam(layers.w3, gradients.w3, first.w3, second.w3, rate, epsilon)
        _adam(layers.b3, gradients.b3, first.b3, second.b3, rate, epsilon)
