"""Networks as objects: created from sizes and a seed or from matrices, evaluated over batches, hashed.

The arithmetic and the order of the weights are those of `values.layers`.
"""

import hashlib
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.core.checks import shown, whole_number
from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import zeros_in_lines
from ttt_fast.core.rng import chunk_stream, next_word
from ttt_fast.core.vectors import LANES
from ttt_fast.values.layers import Layers, forward
from ttt_fast.values.sparse import LEAST_INPUTS

BATCH = 64
"""Rows of a large batch that the forward pass processes at once."""
MAX_NEURONS, MAX_LAYERS = 1 << 14, 64
"""Maximum number of neurons in a layer, and of layers."""
Pair = tuple[NDArray[np.float32], NDArray[np.float32]]
_40 = np.uint64(40)


def checked_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return sizes as plain integers, or raise UsageError.

    Examples
    --------
    >>> checked_sizes([9, 32, 9])
    (9, 32, 9)
    """
    found = tuple(whole_number(size, "a size") for size in sizes)
    if not 3 <= len(found) <= MAX_LAYERS:
        raise UsageError(
            f"expected the sizes of the input, 1 to {MAX_LAYERS - 2} hidden layers and the output, got {shown(found)}"
        )
    for size in found:
        if not 1 <= size <= MAX_NEURONS:
            raise UsageError(f"expected layer sizes from 1 to {MAX_NEURONS}, got {size!r}")
    return found


def work_size(sizes: Sequence[int], rows: int) -> int:
    """Return the size of the work array for a forward pass of `rows` rows at once.

    The array has room for an odd number of rows: panels that are a power of two apart would share a few cache lines.
    """
    lists = _padded(sizes[0] + 1) if sizes[0] >= LEAST_INPUTS else 0
    return (rows | 1) * (sum(_padded(size) for size in sizes[:-1]) + lists)


def _padded(size: int) -> int:
    return -(-size // LANES) * LANES


def _shapes(sizes: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return for each layer its panels, its rows, and the numbers after them (the biases of the output layer)."""
    hidden = [
        (_padded(made) // LANES, (given if layer == 0 else _padded(given)) + 1, 0)
        for layer, (given, made) in enumerate(pairwise(sizes[:-1]))
    ]
    return [*hidden, (_padded(sizes[-2]) // LANES, sizes[-1], _padded(sizes[-1]))]


def layer_starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return the offset of each layer's weights in the flat array, and their number P, (L + 1,) int64."""
    return np.cumsum([0] + [panels * rows * LANES + behind for panels, rows, behind in _shapes(sizes)], dtype=np.int64)


def unpacked(sizes: Sequence[int], flat: NDArray[np.float32]) -> list[Pair]:
    """Convert a flat array in the order of `Layers`, such as weights or gradients, to a pair of arrays for each layer.

    Parameters
    ----------
    sizes
        The sizes of the network.
    flat : (P,) float32
        A number for each weight.

    Returns
    -------
    list
        For each layer, the numbers of its weights (inputs, outputs) and of its biases (outputs,), float32.
    """
    pairs = []
    for layer, (panels, rows, behind) in enumerate(_shapes(sizes)):
        given, made = sizes[layer], sizes[layer + 1]
        block, flat = flat[: panels * rows * LANES], flat[panels * rows * LANES :]
        matrix = block.reshape(panels, rows, LANES).transpose(1, 0, 2).reshape(rows, panels * LANES)
        if behind:
            pairs.append((matrix[:, :given].T.copy(), flat[:made].copy()))
        else:
            pairs.append((matrix[:given, :made].copy(), matrix[-1, :made].copy()))
    return pairs


def packed(sizes: Sequence[int], pairs: Sequence[tuple[ArrayLike, ArrayLike]]) -> NDArray[np.float32]:
    """Return the flat array (P,) float32 for a pair of arrays for each layer: the inverse of `unpacked`.

    Raises
    ------
    UsageError
        If the layers or their shapes do not match the sizes.
    """
    if len(pairs) != len(sizes) - 1:
        raise UsageError(f"expected {len(sizes) - 1} layers, got {len(pairs)}")
    parts = []
    for layer, (panels, rows, behind) in enumerate(_shapes(sizes)):
        given, made = sizes[layer], sizes[layer + 1]
        weights, biases = (np.asarray(one, np.float32) for one in pairs[layer])
        if weights.shape != (given, made) or biases.shape != (made,):
            raise UsageError(f"expected weights of ({given}, {made}), got {weights.shape} and {biases.shape} biases")
        matrix = np.zeros((rows, panels * LANES), np.float32)
        if behind:
            matrix[:, :given] = weights.T
        else:
            matrix[:given, :made], matrix[-1, :made] = weights, biases
        parts.append(matrix.reshape(rows, panels, LANES).transpose(1, 0, 2).reshape(-1))
        parts.append(biases if behind else biases[:0])
        parts.append(np.zeros(behind - made if behind else 0, np.float32))
    return np.concatenate(parts)


@kernel
def _fill_uniform(numbers: NDArray[np.float32], bound: float, stream: np.uint64) -> None:
    """Fill an array (N,) with numbers from -bound to bound, of 24 random bits each."""
    for place in range(numbers.size):
        stream, word = next_word(stream)
        numbers[place] = np.float32(bound * (float(word >> _40) * 2.0**-23 - 1.0))


class Network:
    """A multilayer perceptron with ReLU or leaky ReLU between its layers.

    Parameters
    ----------
    sizes
        Inputs, neurons of each hidden layer, outputs; at least one hidden layer.
    slope
        Slope of hidden neurons below 0, from 0 (default: ReLU) to 1.
    weights : (P,) float32
        Weights in the order of `Layers`; default: zeros.

    Attributes
    ----------
    sizes
        As given.
    layers
        Its arrays for kernels; kernels that learn change the weights in place.

    Raises
    ------
    UsageError
        If the sizes or weights are not those of a valid network.

    Examples
    --------
    >>> network = Network.random((9, 32, 32, 9), seed=1)
    >>> network.num_parameters, network.outputs(np.zeros((2, 9))).shape
    (1673, (2, 9))
    """

    def __init__(self, sizes: Sequence[int], slope: float = 0.0, weights: ArrayLike | None = None) -> None:
        self.sizes = checked_sizes(sizes)
        if not 0.0 <= slope <= 1.0:
            raise UsageError(f"expected a slope from 0 to 1, got {shown(slope)}")
        starts = layer_starts(self.sizes)
        flat = zeros_in_lines(int(starts[-1]), np.float32)
        if weights is not None:
            given = np.asarray(weights, np.float32)
            if given.shape != flat.shape:
                raise UsageError(f"expected {flat.size:,} weights for a network of {self.sizes}, got {given.shape}")
            flat[...] = given
        self.layers = Layers(flat, np.array(self.sizes, np.int64), starts, float(slope), len(self.sizes) - 2)
        self.check_finite()

    @classmethod
    def random(cls, sizes: Sequence[int], seed: int = 0, slope: float = 0.0, bound: float | None = None) -> Self:
        """Return a network of random weights.

        Parameters
        ----------
        sizes
            As in the class.
        seed
            Random seed.
        slope
            As in the class.
        bound
            Weights and biases are uniform from -bound to bound; default: 1 / sqrt(inputs of the layer), as in PyTorch.

        Notes
        -----
        Each layer has its own stream; the weights of one neuron after another, then the biases of all.
        """
        network = cls(sizes, slope)
        pairs: list[tuple[ArrayLike, ArrayLike]] = []
        for layer, (given, made) in enumerate(pairwise(network.sizes)):
            numbers = np.empty((given + 1) * made, np.float32)
            _fill_uniform(numbers, 1 / math.sqrt(given) if bound is None else float(bound), chunk_stream(seed, layer))
            pairs.append((numbers[: given * made].reshape(made, given).T, numbers[given * made :]))
        network.set_matrices(pairs)
        return network

    @property
    def num_parameters(self) -> int:
        """Number of weights and biases, without padding."""
        return sum((given + 1) * made for given, made in pairwise(self.sizes))

    @property
    def weights(self) -> NDArray[np.float32]:
        """The weights, (P,) float32, in the order of `Layers`."""
        return self.layers.weights

    def copy(self) -> Self:
        """Return a network with the same weights, in separate arrays."""
        return type(self)(self.sizes, self.layers.slope, self.weights)

    def matrices(self) -> list[Pair]:
        """Return for each layer its weights (inputs, outputs) and its biases (outputs,), float32, as copies."""
        return unpacked(self.sizes, self.weights)

    def set_matrices(self, pairs: Sequence[tuple[ArrayLike, ArrayLike]]) -> None:
        """Set weights (inputs, outputs) and biases (outputs,) of each layer; raises UsageError for other shapes."""
        self.weights[...] = packed(self.sizes, pairs)
        self.check_finite()

    def check_finite(self) -> None:
        """Raise TttFastError if a weight is NaN or infinite."""
        bad = self.weights[~np.isfinite(self.weights)]
        if bad.size:
            raise TttFastError(
                f"expected finite weights, got {float(bad[0])!r} in {bad.size:,} of {self.weights.size:,}"
            )

    def work(self, rows: int = BATCH) -> NDArray[np.float32]:
        """Return a work array for a forward pass of `rows` rows at once, (W,) float32."""
        return zeros_in_lines(work_size(self.sizes, rows), np.float32)

    def outputs(self, inputs: ArrayLike) -> NDArray[np.float32]:
        """Return the outputs of a batch.

        Parameters
        ----------
        inputs : (B, I)
            A row for each sample.

        Returns
        -------
        (B, O) float32
            The outputs; a row does not depend on the others.

        Raises
        ------
        UsageError
            If rows have another width.
        """
        rows = np.ascontiguousarray(inputs, np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.sizes[0]:
            raise UsageError(f"expected inputs of shape (B, {self.sizes[0]}), got {rows.shape}")
        outputs = np.empty((len(rows), self.sizes[-1]), np.float32)
        forward(self.layers, rows.reshape(-1), len(rows), self.work(), outputs.reshape(-1))
        return outputs

    def sha256(self) -> str:
        """Return the hash of sizes, slope and weights: equal networks, equal hash."""
        digest = hashlib.sha256(repr((self.sizes, self.layers.slope)).encode())
        digest.update(self.weights.astype("<f4").tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        """Return sizes and slope."""
        return f"Network({self.sizes}, slope={self.layers.slope})"
