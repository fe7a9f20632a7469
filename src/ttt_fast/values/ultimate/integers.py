"""The network of Ultimate in its files: 16-bit integers with stated scales.

The units are 1/256 for embeddings, 1/512 for weights of the first layer, 1/256 for rows of targets, and 1/1024 for all
further weights.  Sums of the first layer are therefore integers in units of 1/131072; kernels hold them as float32,
which is exact below 2**24.  A sum that is updated incrementally therefore has the bits of a recomputed one.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.values.ultimate import network as net

EMBEDDING_SCALE: Final = 1 << 8
FIRST_SCALE: Final = 1 << 9
TARGET_SCALE: Final = 1 << 8
SCALE: Final = 1 << 10
EXACT: Final = 1 << 24
"""Integers up to this are exact as float32."""


def _scales() -> NDArray[np.float64]:
    """Return the scale of each parameter of an ending's layers."""
    scales = np.full(net.LAYERS_SIZE, float(SCALE))
    scales[: net.TARGET_AT] = FIRST_SCALE
    scales[net.TARGET_AT : net.SECOND_AT] = TARGET_SCALE
    return scales


def quantised(parameters: NDArray[np.float32]) -> dict[str, NDArray[np.int16]]:
    """Return the parameters, (N,) float32, as the arrays of a file.

    Raises
    ------
    UsageError
        If a parameter is not finite or does not fit into 16 bits.

    Examples
    --------
    >>> quantised(np.full(net.NUM_PARAMETERS, 0.5, np.float32))["embedding"][0, 0] == EMBEDDING_SCALE / 2
    np.True_
    """
    embedding = parameters[: net.EMBEDDING_SIZE].astype(np.float64).reshape(net.NUM_PATTERNS, net.EMBEDDING)
    layers = parameters[net.EMBEDDING_SIZE :].astype(np.float64).reshape(net.NUM_ENDINGS, net.LAYERS_SIZE)
    whole = {"embedding": np.rint(embedding * EMBEDDING_SCALE), "layers": np.rint(layers * _scales())}
    for name, array in whole.items():
        if not (np.abs(array) < 1 << 15).all():
            raise UsageError(f"expected parameters that fit into 16 bits, got {name} of {np.abs(array).max()!r}")
    return {name: array.astype(np.int16) for name, array in whole.items()}


def parameters_of(arrays: Mapping[str, NDArray[np.int16]]) -> NDArray[np.float32]:
    """Return the parameters of a file's arrays, (N,) float32, from which `quantised` restores the arrays.

    Examples
    --------
    >>> bool((parameters_of(quantised(np.full(net.NUM_PARAMETERS, 0.5, np.float32))) == 0.5).all())
    True
    """
    parts = arrays["embedding"] / EMBEDDING_SCALE, arrays["layers"] / _scales()
    return np.concatenate([one.ravel() for one in parts]).astype(np.float32)


def network_of(arrays: Mapping[str, NDArray[np.int16]]) -> NDArray[np.float32]:
    """Return the network of a file's arrays for kernels, (N,) float32, in the order of the parameters.

    Embeddings, first layers and rows of targets are integers in units of their scales; the other parameters are
    unscaled.

    Raises
    ------
    ValueError
        If a sum of the first layer could leave the whole numbers that float32 holds exactly.

    Examples
    --------
    >>> network_of(quantised(np.zeros(net.NUM_PARAMETERS, np.float32))).any()
    np.False_
    """
    embedding, layers = arrays["embedding"].astype(np.float64), arrays["layers"].astype(np.float64)
    first = layers[:, : net.TARGET_AT].reshape(net.NUM_ENDINGS, net.NUM_SLOTS, net.EMBEDDING, net.HIDDEN)
    targets = layers[:, net.TARGET_AT : net.SECOND_AT].reshape(net.NUM_ENDINGS, net.NUM_TARGETS, net.HIDDEN)
    targets *= EMBEDDING_SCALE * FIRST_SCALE / TARGET_SCALE
    most = np.abs(embedding).max(axis=0) @ np.abs(first)  # of each ending, slot and unit
    if (most.sum(axis=1) + np.abs(targets).max(axis=1)).max() >= EXACT:
        raise ValueError("a sum of weights is too large for integers")
    layers[:, net.SECOND_AT :] /= SCALE
    return np.concatenate([embedding.ravel(), layers.ravel()]).astype(np.float32)


def sha256_of(arrays: Mapping[str, NDArray[np.int16]]) -> str:
    """Return the hash of a file's arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(arrays[name].astype("<i2").tobytes())
    return digest.hexdigest()
