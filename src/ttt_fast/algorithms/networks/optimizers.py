"""Updates of weights by their gradients: SGD, momentum, RMSProp and Adam, as in PyTorch.

With gradient g, step size a, and first and second moments m and v, which are 0 at first:

    sgd       w -= a g
    momentum  m = d m + g;                                   w -= a m
    rmsprop   v = s v + (1 - s) g g;                         w -= a g / (sqrt(v) + e)
    adam      m = d m + (1 - d) g;  v = s v + (1 - s) g g;   w -= a' m / (sqrt(v) + e')

Before a step, weights are multiplied by 1 - a c, where c is the weight decay (I. Loshchilov and F. Hutter, "Decoupled
weight decay regularization", 2019; PyTorch's AdamW).

Adam at its t-th step: a' = a r / (1 - d^t) and e' = e r, where r = sqrt(1 - s^t) (D. P. Kingma and J. Ba, "Adam: a
method for stochastic optimization", 2015, end of section 2); powers are products in float64, and 0 below 1e-30.

Quotients are products with `vectors.reciprocal`, whose relative error is below 1e-7.

First moments below 1e-30 and second moments below 1e-36 count as 0.  Otherwise the moments of a weight without
gradients become denormal numbers, which processors handle ten times more slowly.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import zeros_in_lines
from ttt_fast.core.vectors import (
    LANES,
    Pointer,
    Vector,
    add,
    fill,
    fma,
    load,
    magnitude,
    mul,
    reciprocal,
    root,
    store,
    where_less,
)

OPTIMIZERS = {"sgd": 0, "momentum": 1, "rmsprop": 2, "adam": 3}
"""Codes of the optimizers."""
_SGD, _MOMENTUM, _RMSPROP = OPTIMIZERS["sgd"], OPTIMIZERS["momentum"], OPTIMIZERS["rmsprop"]
_EPSILON = 1e-8
_DECAYS = {"sgd": (0.0, 0.0), "momentum": (0.9, 0.0), "rmsprop": (0.0, 0.99), "adam": (0.9, 0.999)}
LEAST_FIRST, LEAST_SECOND, LEAST_POWER = 1e-30, 1e-36, 1e-30


class Optimizer(NamedTuple):
    """An optimizer as plain numbers, for kernels.

    Attributes
    ----------
    kind
        A code of OPTIMIZERS.
    decay
        d: the decay of the first moment, which is PyTorch's `momentum` or the first of its `betas`.
    square_decay
        s: the decay of the second moment, which is PyTorch's `alpha` or the second of its `betas`.
    epsilon
        e: the term added to the root of the second moment.
    clip
        Bound on the absolute value of a gradient, to which larger ones are clipped.  Infinity: no clipping.
    weight_decay
        c: the share of a weight, times the step size, by which it decreases before a step.
    """

    kind: int
    decay: float
    square_decay: float
    epsilon: float
    clip: float
    weight_decay: float


class Moments(NamedTuple):
    """The state of an optimizer.

    Attributes
    ----------
    first, second : (P,) float32
        The first and second moments, in the order of the weights.
    powers : (2,) float64
        d^t and s^t after t steps.
    """

    first: NDArray[np.float32]
    second: NDArray[np.float32]
    powers: NDArray[np.float64]


def optimizer(name: str = "adam", clip: float = np.inf, weight_decay: float = 0.0) -> Optimizer:
    """Return an optimizer by name; its other numbers are the defaults of PyTorch.

    Parameters
    ----------
    name
        One of OPTIMIZERS.
    clip, weight_decay
        As in `Optimizer`.

    Examples
    --------
    >>> optimizer("adam")
    Optimizer(kind=3, decay=0.9, square_decay=0.999, epsilon=1e-08, clip=inf, weight_decay=0.0)
    """
    return Optimizer(OPTIMIZERS[name], *_DECAYS[name], _EPSILON, float(clip), float(weight_decay))


def no_moments(num_weights: int) -> Moments:
    """Return the moments of P weights before the first step."""
    first, second = (zeros_in_lines(num_weights, np.float32) for _ in range(2))
    return Moments(first, second, np.ones(2))


@inlined_kernel
def _without_small(vector: Vector, sizes: Vector, least: Vector) -> Vector:
    """Return a vector with 0 in the lanes whose size is below `least`."""
    return where_less(sizes, least, fill(np.float32(0.0)), vector)


@kernel
def _step_first(w: Pointer, g: Pointer, first: Pointer, size: int, rule: Optimizer, step_size: float) -> None:
    """Do a step of momentum."""
    decay, rate = fill(np.float32(rule.decay)), fill(np.float32(-step_size))
    least = fill(np.float32(LEAST_FIRST))
    for at in range(0, size, LANES):
        m = fma(decay, load(first, at), load(g, at))
        m = _without_small(m, magnitude(m), least)
        store(first, at, m)
        store(w, at, fma(rate, m, load(w, at)))


@kernel
def _step_second(w: Pointer, g: Pointer, second: Pointer, size: int, rule: Optimizer, step_size: float) -> None:
    """Do a step of RMSProp."""
    decay, rest = fill(np.float32(rule.square_decay)), fill(np.float32(1.0 - rule.square_decay))
    rate, epsilon = fill(np.float32(-step_size)), fill(np.float32(rule.epsilon))
    least = fill(np.float32(LEAST_SECOND))
    for at in range(0, size, LANES):
        gradient = load(g, at)
        v = fma(mul(rest, gradient), gradient, mul(decay, load(second, at)))
        v = _without_small(v, v, least)
        store(second, at, v)
        store(w, at, fma(rate, mul(gradient, reciprocal(add(root(v), epsilon))), load(w, at)))


@kernel
def _step_both(
    w: Pointer, g: Pointer, first: Pointer, second: Pointer, size: int, rule: Optimizer, rate: float, epsilon: float
) -> None:
    """Do a step of Adam, with the step size and epsilon corrected for the number of the step."""
    decay, rest = fill(np.float32(rule.decay)), fill(np.float32(1.0 - rule.decay))
    square_decay, square_rest = fill(np.float32(rule.square_decay)), fill(np.float32(1.0 - rule.square_decay))
    negative, little = fill(np.float32(-rate)), fill(np.float32(epsilon))
    least_first, least_second = fill(np.float32(LEAST_FIRST)), fill(np.float32(LEAST_SECOND))
    for at in range(0, size, LANES):
        gradient = load(g, at)
        m = fma(decay, load(first, at), mul(rest, gradient))
        v = fma(mul(square_rest, gradient), gradient, mul(square_decay, load(second, at)))
        m, v = _without_small(m, magnitude(m), least_first), _without_small(v, v, least_second)
        store(first, at, m)
        store(second, at, v)
        store(w, at, fma(negative, mul(m, reciprocal(add(root(v), little))), load(w, at)))


@kernel
def step(
    w: Pointer,
    g: Pointer,
    first: Pointer,
    second: Pointer,
    powers: NDArray[np.float64],
    size: int,
    rule: Optimizer,
    step_size: float,
) -> None:
    """Update weights by their gradients, and update the moments.

    Parameters
    ----------
    w, g, first, second
        Weights, gradients (clipped in place) and moments: pointers to arrays (P,) float32.
    powers
        The powers of `Moments`.
    size
        P, a multiple of 16.
    rule
        The optimizer.
    step_size
        The step size of this step.
    """
    if rule.clip < np.inf:
        high, low = fill(np.float32(rule.clip)), fill(np.float32(-rule.clip))
        for at in range(0, size, LANES):
            gradient = load(g, at)
            gradient = where_less(high, gradient, high, gradient)
            store(g, at, where_less(gradient, low, low, gradient))
    if rule.weight_decay > 0.0:
        factor = fill(np.float32(1.0 - step_size * rule.weight_decay))
        for at in range(0, size, LANES):
            store(w, at, mul(factor, load(w, at)))
    if rule.kind == _SGD:
        negative = fill(np.float32(-step_size))
        for at in range(0, size, LANES):
            store(w, at, fma(negative, load(g, at), load(w, at)))
    elif rule.kind == _MOMENTUM:
        _step_first(w, g, first, size, rule, step_size)
    elif rule.kind == _RMSPROP:
        _step_second(w, g, second, size, rule, step_size)
    else:
        for which in range(2):
            power = powers[which] * (rule.decay if which == 0 else rule.square_decay)
            powers[which] = power if power >= LEAST_POWER else 0.0
        correction = math.sqrt(1.0 - powers[1])
        rate = step_size * correction / (1.0 - powers[0])
        _step_both(w, g, first, second, size, rule, rate, rule.epsilon * correction)
