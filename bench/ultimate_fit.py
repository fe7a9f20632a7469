"""Steps of a fit of the network of Ultimate to labelled positions, by minibatches of random positions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.networks.optimizers import Optimizer
from ttt_fast.algorithms.td.ultimate.fit import (
    FitScratch,
    Labels,
    add_sample,
    fill_rows,
    forward,
    transpose_layers,
    update_parameters,
)
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel_without_overlap
from ttt_fast.core.rng import below, next_word


class Sampling(NamedTuple):
    """The sampling of minibatches, and the weights of their targets.

    Attributes
    ----------
    first, last
        Range of the positions.
    minibatch
        Number of samples.
    result_share
        Weight of the game's result in the target; the rest is that of the search's value.
    """

    first: int
    last: int
    minibatch: int
    result_share: float


@kernel_without_overlap
def add_gradients(
    parameters: NDArray[np.float32], labels: Labels, image: NDArray[np.uint16], squares: NDArray[np.uint8],
    sampling: Sampling, stream: np.uint64, scratch: FitScratch,
) -> tuple[float, np.uint64]:  # fmt: skip
    """Add the gradient of the mean squared error of a minibatch to `scratch.gradient`; return the sum of the errors."""
    loss, share = 0.0, sampling.result_share
    transpose_layers(parameters, scratch.first_transposed, scratch.second_transposed)
    for _ in range(sampling.minibatch):
        stream, word = next_word(stream)
        position = sampling.first + below(word, sampling.last - sampling.first)
        symmetry = as_int(word & np.uint64(7))
        goal = share * labels.results[position] + (1.0 - share) * labels.values[position]
        patterns, count = labels.patterns, sampling.minibatch
        loss += add_sample(parameters, patterns, position, symmetry, image, squares, goal, count, scratch)
    return loss, stream


@kernel_without_overlap
def fit_steps(
    parameters: NDArray[np.float32], labels: Labels, image: NDArray[np.uint16], squares: NDArray[np.uint8],
    sampling: Sampling, rule: Optimizer, step_sizes: NDArray[np.float64], stream: np.uint64, scratch: FitScratch,
) -> tuple[float, np.uint64]:  # fmt: skip
    """Take a step for each of `step_sizes`, (M,) float64; return the mean squared error and the stream."""
    loss = 0.0
    for step_size in step_sizes:
        one, stream = add_gradients(parameters, labels, image, squares, sampling, stream, scratch)
        loss += one
        update_parameters(parameters, scratch, rule, step_size)
    return loss / (step_sizes.size * sampling.minibatch), stream


@kernel_without_overlap
def mean_error(
    parameters: NDArray[np.float32], labels: Labels, image: NDArray[np.uint16], squares: NDArray[np.uint8],
    sampling: Sampling, scratch: FitScratch,
) -> tuple[float, float]:  # fmt: skip
    """Return the mean squared errors of positions against the searches' values and against the results."""
    patterns, values, results = labels.patterns, labels.values, labels.results
    of_values, of_results = 0.0, 0.0
    for position in range(sampling.first, sampling.last):
        code = fill_rows(patterns, position, as_int(0), image, squares, scratch.rows)
        z = forward(parameters, code, scratch)
        value = z / np.sqrt(1.0 + z * z)
        of_values += (value - values[position]) ** 2
        of_results += (value - results[position]) ** 2
    count = sampling.last - sampling.first
    return of_values / count, of_results / count
