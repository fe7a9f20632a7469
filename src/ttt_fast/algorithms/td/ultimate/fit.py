"""Fitting the network of Ultimate to labelled positions: gradients of samples, and steps."""

from enum import IntEnum, unique
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.networks.optimizers import Moments, Optimizer, no_moments, step
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel_without_overlap
from ttt_fast.core.rng import chunk_stream, next_word
from ttt_fast.core.vectors import (
    Pointer,
    Vector,
    add,
    fill,
    fma,
    load,
    load_number,
    mul,
    pointer,
    store,
    store_number,
    where_less,
)  # fmt: skip
from ttt_fast.values.ultimate import network as net
from ttt_fast.values.ultimate.network import (
    EMBEDDING,
    EMBEDDING_SIZE,
    FIRST_AT,
    HIDDEN,
    LAYERS_SIZE,
    NUM_SLOTS,
    NUM_TARGETS,
    SECOND,
    SECOND_AT,
    SECOND_BIAS_AT,
    SLOT_SIZE,
    TARGET_AT,
    TARGET_SLOT,
    THIRD_AT,
    THIRD_BIAS_AT,
    clipped,
    load_sums,
    pattern_features,
    plus_products,
    result_of_second,
    second_sums,
    store_sums,
)  # fmt: skip


@unique
class UltimateKey(IntEnum):
    """First numbers of the keys of the streams of these networks; no member of `StreamKey` has the same value."""

    FIT = 0x75747466
    FIT_GENERATIONS = 0x66697474
    LABELS = 0x6C61626C
    SYMMETRIES = 0x73796D6D


class Labels(NamedTuple):
    """N positions with their labels, both for the player to move.

    Attributes
    ----------
    patterns
        (N * 10,) uint16, as `fill_patterns` writes them.
    values
        (N,) float32: values of a search or of the network, -1 to 1.
    results
        (N,) float32: results of the games, -1, 0 or 1, or other targets.
    """

    patterns: NDArray[np.uint16]
    values: NDArray[np.float32]
    results: NDArray[np.float32]


def make_labels(positions: int) -> Labels:
    """Return empty arrays for the labels of a number of positions.

    Examples
    --------
    >>> make_labels(3).patterns.shape
    (30,)
    """
    return Labels(
        np.zeros(positions * NUM_SLOTS, np.uint16), np.zeros(positions, np.float32), np.zeros(positions, np.float32)
    )


class FitScratch(NamedTuple):
    """The arrays of a fit; N parameters.

    Attributes
    ----------
    gradient
        (N,) float32.
    moments
        Those of the optimizer.
    first_transposed
        (2 * 10 * H * D,) float32: the first layers transposed, with units before embeddings, for the backward pass.
    second_transposed
        (2 * K * H,) float32: the second layers likewise.
    units
        (2 * H + 2 * K,) float32: work array of one sample.
    rows
        (10,) int64: patterns of one sample.
    """

    gradient: NDArray[np.float32]
    moments: Moments
    first_transposed: NDArray[np.float32]
    second_transposed: NDArray[np.float32]
    units: NDArray[np.float32]
    rows: NDArray[np.int64]


def make_fit_scratch() -> FitScratch:
    """Return the arrays of a fit before its first step.

    Examples
    --------
    >>> make_fit_scratch().gradient.size == net.NUM_PARAMETERS
    True
    """
    return FitScratch(
        np.zeros(net.NUM_PARAMETERS, np.float32),
        no_moments(net.NUM_PARAMETERS),
        np.zeros(net.NUM_ENDINGS * NUM_SLOTS * SLOT_SIZE, np.float32),
        np.zeros(net.NUM_ENDINGS * SECOND * HIDDEN, np.float32),
        np.zeros(2 * HIDDEN + 2 * SECOND, np.float32),
        np.zeros(NUM_SLOTS, np.int64),
    )


def initial_parameters(seed: int) -> NDArray[np.float32]:
    """Return the initial parameters of a fit, (N,) float32.

    The layers are drawn by the method of K. He et al. (ICCV 2015).  The embedding of a pattern is the sum of random
    numbers of its marks and threats, so that similar patterns begin with similar embeddings.

    Examples
    --------
    >>> initial_parameters(0).size == net.NUM_PARAMETERS, bool((initial_parameters(0) == initial_parameters(0)).all())
    (True, True)
    """
    random = np.random.Generator(np.random.PCG64(int(chunk_stream(seed, UltimateKey.FIT))))
    seen = pattern_features()
    parameters = np.zeros(net.NUM_PARAMETERS, np.float32)
    embedding = np.zeros((net.NUM_PATTERNS, EMBEDDING))
    for column, numbers in zip(seen.T, random.normal(0, 0.1, (seen.shape[1], EMBEDDING)), strict=True):
        embedding += np.outer(column, numbers)  # one by one: a product of matrices adds in the order of its library
    parameters[:EMBEDDING_SIZE] = embedding.ravel()
    for ending in range(net.NUM_ENDINGS):
        layers = parameters[EMBEDDING_SIZE + ending * LAYERS_SIZE :][:LAYERS_SIZE]
        layers[FIRST_AT:TARGET_AT] = random.normal(0, (2 / (NUM_SLOTS * EMBEDDING)) ** 0.5, TARGET_AT)
        layers[TARGET_AT:SECOND_AT] = random.uniform(0, 0.5, SECOND_AT - TARGET_AT)
        layers[SECOND_AT:SECOND_BIAS_AT] = random.normal(0, (2 / HIDDEN) ** 0.5, HIDDEN * SECOND)
        layers[SECOND_BIAS_AT:THIRD_AT] = 0.2
        layers[THIRD_AT:THIRD_BIAS_AT] = random.normal(0, (2 / SECOND) ** 0.5, SECOND)
    return parameters


@kernel_without_overlap
def transpose_layers(parameters: NDArray[np.float32], first: NDArray[np.float32], second: NDArray[np.float32]) -> None:
    """Write the layers in transposed order."""
    for ending in range(net.NUM_ENDINGS):
        base = EMBEDDING_SIZE + ending * LAYERS_SIZE
        for slot in range(NUM_SLOTS):
            for i in range(EMBEDDING):
                for j in range(HIDDEN):
                    first[((ending * NUM_SLOTS + slot) * HIDDEN + j) * EMBEDDING + i] = parameters[
                        base + (slot * EMBEDDING + i) * HIDDEN + j
                    ]
        for j in range(HIDDEN):
            for k in range(SECOND):
                second[(ending * SECOND + k) * HIDDEN + j] = parameters[base + SECOND_AT + j * SECOND + k]


@kernel_without_overlap
def fill_rows(
    patterns: NDArray[np.uint16], position: int, symmetry: int, image: NDArray[np.uint16],
    squares: NDArray[np.uint8], rows: NDArray[np.int64],
) -> int:  # fmt: skip
    """Write the ten patterns of a position under a symmetry; return its target, 10 higher with tie=boards."""
    at = NUM_SLOTS * position
    for board in range(9):
        rows[squares[symmetry, board]] = image[symmetry, patterns[at + board]]
    code = as_int(patterns[at + TARGET_SLOT])
    ending = code // NUM_TARGETS
    target = code - NUM_TARGETS * ending
    if target == 9:
        rows[TARGET_SLOT] = net.FREE_MOVE
    else:
        target = as_int(squares[symmetry, target])
        rows[TARGET_SLOT] = rows[target]
    return NUM_TARGETS * ending + target


@inlined_kernel
def _add_product(sums: Pointer, at: int, one: Vector, two: Vector) -> None:
    """Add the products of two vectors to the numbers at an offset."""
    store(sums, at, fma(one, two, load(sums, at)))


@inlined_kernel
def _clipped_slopes(x: Vector, slope: Vector) -> Vector:
    """Return the slopes where the numbers are between 0 and 1, otherwise 0."""
    zero = fill(np.float32(0))
    inside: Vector = where_less(zero, x, where_less(x, fill(np.float32(1)), slope, zero), zero)
    return inside


@kernel_without_overlap
def forward(parameters: NDArray[np.float32], code: int, scratch: FitScratch) -> np.float32:
    """Return the result of the network before it is squashed into -1..1, for `scratch.rows` and a target.

    Fills `scratch.units`: the sums of the first layer, from H on its activations, from 2 * H on the sums of the second
    layer, and from 2 * H + K on its activations.
    """
    p, units, rows = pointer(parameters), pointer(scratch.units), scratch.rows
    ending = code // NUM_TARGETS
    base = EMBEDDING_SIZE + ending * LAYERS_SIZE
    at = base + TARGET_AT + (code - NUM_TARGETS * ending) * HIDDEN
    sums = load_sums(p, at)
    for slot in range(NUM_SLOTS):
        sums = plus_products(sums, EMBEDDING, p, rows[slot] * EMBEDDING, p, base + slot * SLOT_SIZE)
    store_sums(units, as_int(0), sums)
    for j in range(0, HIDDEN, 16):
        store(units, HIDDEN + j, clipped(load(units, j)))
    second = second_sums(units, as_int(HIDDEN), p, base)
    store(units, 2 * HIDDEN, second)
    store(units, 2 * HIDDEN + SECOND, clipped(second))
    return result_of_second(clipped(second), p, base)


@kernel_without_overlap
def backward(slope: np.float32, parameters: NDArray[np.float32], code: int, scratch: FitScratch) -> None:
    """Add the gradient of one sample, given the slope of its loss in the result before squashing."""
    p, gradient, units, rows = pointer(parameters), pointer(scratch.gradient), pointer(scratch.units), scratch.rows
    first_transposed, second_transposed = pointer(scratch.first_transposed), pointer(scratch.second_transposed)
    ending = code // NUM_TARGETS
    base = EMBEDDING_SIZE + ending * LAYERS_SIZE
    back = 2 * HIDDEN + SECOND
    store_number(gradient, base + THIRD_BIAS_AT, load_number(gradient, base + THIRD_BIAS_AT) + slope)
    slopes = fill(slope)
    _add_product(gradient, base + THIRD_AT, slopes, load(units, 2 * HIDDEN + SECOND))
    second = _clipped_slopes(load(units, 2 * HIDDEN), mul(slopes, load(p, base + THIRD_AT)))
    store(units, back, second)
    store(gradient, base + SECOND_BIAS_AT, add(load(gradient, base + SECOND_BIAS_AT), second))
    for j in range(HIDDEN):
        _add_product(gradient, base + SECOND_AT + j * SECOND, fill(load_number(units, HIDDEN + j)), second)
    zero = fill(np.float32(0))
    at = ending * SECOND * HIDDEN
    a, b, c, d = plus_products((zero, zero, zero, zero), SECOND, units, as_int(back), second_transposed, at)
    a, b = _clipped_slopes(load(units, 0), a), _clipped_slopes(load(units, 16), b)
    c, d = _clipped_slopes(load(units, 32), c), _clipped_slopes(load(units, 48), d)
    store_sums(units, as_int(0), (a, b, c, d))
    one = fill(np.float32(1))
    at = base + TARGET_AT + (code - NUM_TARGETS * ending) * HIDDEN
    for j in range(0, HIDDEN, 16):
        _add_product(gradient, at + j, one, load(units, j))
    for slot in range(NUM_SLOTS):
        row, at = rows[slot] * EMBEDDING, base + slot * SLOT_SIZE
        for i in range(EMBEDDING):
            x = fill(load_number(p, row + i))
            _add_product(gradient, at, x, a)
            _add_product(gradient, at + 16, x, b)
            _add_product(gradient, at + 32, x, c)
            _add_product(gradient, at + 48, x, d)
            at += HIDDEN
        at, sums = (ending * NUM_SLOTS + slot) * SLOT_SIZE, load(gradient, row)
        for j in range(HIDDEN):
            sums = fma(fill(load_number(units, j)), load(first_transposed, at + j * EMBEDDING), sums)
        store(gradient, row, sums)


@kernel_without_overlap
def add_sample(
    parameters: NDArray[np.float32], patterns: NDArray[np.uint16], position: int, symmetry: int,
    image: NDArray[np.uint16], squares: NDArray[np.uint8], goal: float, minibatch: int, scratch: FitScratch,
) -> float:  # fmt: skip
    """Add the gradient of one of `minibatch` positions, under a symmetry, to `scratch`; return its squared error."""
    code = fill_rows(patterns, position, symmetry, image, squares, scratch.rows)
    z = forward(parameters, code, scratch)
    root = 1.0 / np.sqrt(1.0 + z * z)
    error = z * root - goal
    backward(np.float32(2.0 * error * root * root * root / minibatch), parameters, code, scratch)
    squared: float = error * error
    return squared


@kernel_without_overlap
def update_parameters(parameters: NDArray[np.float32], scratch: FitScratch, rule: Optimizer, step_size: float) -> None:
    """Take a step by the gradient of `scratch`, which becomes 0."""
    first, second, powers = scratch.moments
    weights, gradient = pointer(parameters), pointer(scratch.gradient)
    step(weights, gradient, pointer(first), pointer(second), pointer(powers), parameters.size, rule, step_size)
    scratch.gradient[:] = 0


@kernel_without_overlap
def learn_positions(
    parameters: NDArray[np.float32], labels: Labels, count: int, image: NDArray[np.uint16],
    squares: NDArray[np.uint8], rule: Optimizer, step_size: float, stream: np.uint64, scratch: FitScratch,
) -> float:  # fmt: skip
    """Take a step by the mean gradient of the first `count` positions; return the sum of their squared errors."""
    loss = 0.0
    transpose_layers(parameters, scratch.first_transposed, scratch.second_transposed)
    for position in range(count):
        stream, word = next_word(stream)
        symmetry, goal = as_int(word & np.uint64(7)), np.float64(labels.results[position])
        loss += add_sample(parameters, labels.patterns, position, symmetry, image, squares, goal, count, scratch)
    update_parameters(parameters, scratch, rule, step_size)
    return loss
