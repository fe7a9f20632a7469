"""Networks against matrices in float64."""

from itertools import pairwise

import numpy as np
import pytest

import network_reference as plain
from ttt_fast import TttFastError, UsageError
from ttt_fast.values.network import Network, packed, unpacked

SIZES = [(9, 32, 32, 9), (1, 1, 1), (3, 17, 2), (27, 5, 40, 33, 7), (99, 64, 81)]


def inputs_of(network, rows, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, network.sizes[0])).astype(np.float32)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("slope", [0.0, 0.01])
def test_outputs(sizes, slope):
    network = Network.random(sizes, seed=1, slope=slope)
    inputs = inputs_of(network, 7)
    wanted = plain.layers_of(plain.as_float64(network.matrices()), slope, inputs)[-1]
    assert np.abs(network.outputs(inputs) - wanted).max() < 1e-6


@pytest.mark.parametrize("sizes", SIZES)
def test_a_row_does_not_depend_on_the_others(sizes):
    network = Network.random(sizes, seed=2)
    inputs = inputs_of(network, 150)
    whole = network.outputs(inputs)
    for rows in (1, 2, 3, 4, 9, 15, 64, 65, 66):
        assert np.array_equal(network.outputs(inputs[:rows]), whole[:rows])


@pytest.mark.parametrize("num_hidden", [16, 40])
@pytest.mark.parametrize("slope", [0.0, 0.01])
def test_inputs_that_are_mostly_zero(num_hidden, slope):
    """The sums skip them; a batch of the same rows and many others without zeros has the same bits."""
    network = Network.random((70, num_hidden, 3), seed=6, slope=slope)
    inputs = inputs_of(network, 9) * (np.random.default_rng(1).random((9, 70)) < 0.2)
    inputs[4] = 0
    outputs = network.outputs(inputs)
    wanted = plain.layers_of(plain.as_float64(network.matrices()), slope, inputs)[-1]
    assert np.abs(outputs - wanted).max() < 1e-6
    mixed = np.concatenate([inputs, inputs_of(network, 40)])
    assert np.array_equal(network.outputs(mixed)[:9], outputs)


@pytest.mark.parametrize("sizes", SIZES)
def test_matrices_come_back(sizes):
    network = Network.random(sizes, seed=3)
    pairs = network.matrices()
    assert [pair[0].shape for pair in pairs] == list(pairwise(sizes))
    assert network.num_parameters == sum(one.size for pair in pairs for one in pair)
    other = Network(sizes)
    other.set_matrices(pairs)
    assert np.array_equal(other.weights, network.weights) and other.sha256() == network.sha256()
    assert np.count_nonzero(network.weights) == network.num_parameters  # padding is 0
    assert np.array_equal(packed(sizes, unpacked(sizes, network.weights)), network.weights)


@pytest.mark.parametrize("sizes", SIZES)
def test_the_weights_are_where_the_page_says(sizes):
    """INTERNALS has the layout of the array in a file, for readers in other languages."""

    def up(number):
        return -(-number // 16) * 16

    network, start, read = Network.random(sizes, seed=3), 0, []
    for layer, (given, made) in enumerate(pairwise(sizes[:-1])):
        rows = (given if layer == 0 else up(given)) + 1
        at = [
            [start + neuron // 16 * rows * 16 + row * 16 + neuron % 16 for neuron in range(made)] for row in range(rows)
        ]
        read.append((network.weights[np.array(at[:given])], network.weights[np.array(at[-1])]))
        start += rows * up(made)
    hidden, outputs = sizes[-2:]
    at = [
        [start + (neuron // 16 * outputs + out) * 16 + neuron % 16 for out in range(outputs)]
        for neuron in range(hidden)
    ]
    start += up(hidden) * outputs
    read.append((network.weights[np.array(at)], network.weights[start : start + outputs]))
    assert start + up(outputs) == network.weights.size
    for mine, theirs in zip(read, network.matrices(), strict=True):
        assert all(map(np.array_equal, mine, theirs))


def test_random_weights_are_uniform_and_belong_to_their_seed():
    network = Network.random((100, 64, 10), seed=4)
    (weights, biases), (others, _) = network.matrices()
    for numbers, bound in ((weights, 0.1), (others, 0.125)):
        assert np.abs(numbers).max() <= bound and abs(numbers.mean()) < 4 * bound / np.sqrt(3 * numbers.size)
        assert abs(numbers.std() / (bound / np.sqrt(3)) - 1) < 0.05
    assert np.abs(biases).max() <= 0.1
    assert network.sha256() == Network.random((100, 64, 10), seed=4).sha256()
    assert network.sha256() != Network.random((100, 64, 10), seed=5).sha256()
    assert np.abs(Network.random((3, 4, 5), bound=0.001).weights).max() <= np.float32(0.001)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Network((9, 9)),
            "expected the sizes of the input, 1 to 62 hidden layers and the output, got (9, 9)",
        ),
        (lambda: Network((9, 0, 9)), "expected layer sizes from 1 to 16384, got 0"),
        (lambda: Network((9, 2.5, 9)), "expected a size to be a whole number, got 2.5"),
        (lambda: Network((9, 8, 9), slope=2.0), "expected a slope from 0 to 1, got 2.0"),
        (lambda: Network((9, 8, 9), slope=float("nan")), "expected a slope from 0 to 1, got nan"),
        (lambda: Network((9, 8, 9), weights=[1.0]), "expected 320 weights for a network of (9, 8, 9), got (1,)"),
        (lambda: Network((9, 8, 9)).set_matrices([]), "expected 2 layers, got 0"),
        (lambda: Network((9, 8, 9)).outputs(np.zeros(9)), "expected inputs of shape (B, 9), got (9,)"),
        (lambda: Network((9, 8, 9)).outputs(np.zeros((2, 8))), "expected inputs of shape (B, 9), got (2, 8)"),
    ],
)
def test_what_is_no_network_gives_one_line(make, message):
    with pytest.raises(UsageError) as caught:
        make()
    assert str(caught.value) == message


def test_weights_of_other_shapes_are_refused():
    network = Network((3, 4, 2))
    pairs = network.matrices()
    pairs[1] = (pairs[1][0].T, pairs[1][1])
    with pytest.raises(UsageError, match=r"expected weights of \(4, 2\), got \(2, 4\) and \(2,\) biases"):
        network.set_matrices(pairs)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(bad):
    weights = Network.random((3, 4, 2)).weights.copy()
    weights[5] = bad
    with pytest.raises(TttFastError, match=rf"expected finite weights, got {bad} in 1 of 112"):
        Network((3, 4, 2), weights=weights)
