"""Prints the hashes of networks after some thousand updates, as JSON; run by tests/algorithms/test_networks.py.

For other processors (NUMBA_CPU_NAME, with an empty NUMBA_CPU_FEATURES) and as Python (NUMBA_DISABLE_JIT=1) they are
the same.
"""

import json
import os
import warnings

import numpy as np

from ttt_fast.algorithms.networks.backprop import LOSSES, Samples, make_scratch, update
from ttt_fast.algorithms.networks.optimizers import OPTIMIZERS, no_moments, optimizer
from ttt_fast.core import jit
from ttt_fast.core.compilation import compiling
from ttt_fast.values.network import Network

UPDATES = int(os.environ.get("NETWORK_UPDATES", "2000"))
CASES = [
    (name, loss, sizes, batch, slope)
    for name in OPTIMIZERS
    for loss, sizes, batch, slope in (("huber", (9, 32, 32, 9), 2, 0.0), ("squared", (21, 20, 40, 3), 13, 0.01))
]


def learned(name: str, loss: str, sizes: tuple[int, ...], batch: int, slope: float) -> str:
    """Return the hash of a network that has learned the signs of sums."""
    words = np.random.PCG64(batch)  # raw words, which no version of numpy changes
    network = Network.random(sizes, seed=batch, slope=slope)
    scratch, moments = make_scratch(sizes, network.weights.size, batch), no_moments(network.weights.size)
    rule = optimizer(name, clip=np.inf if slope == 0 else 0.1)
    for _ in range(UPDATES):
        inputs = (words.random_raw((batch, sizes[0])) % 3).astype(np.float32) - 1
        actions = (words.random_raw(batch) % sizes[-1]).astype(np.int64)
        targets = np.sign(inputs.sum(axis=1) - actions.astype(np.float32))
        samples = Samples(inputs.reshape(-1), actions, targets)
        update(network.layers, moments, scratch, samples, rule, np.int64(LOSSES[loss]), 1e-3)
    network.check_finite()
    return network.sha256()[:16]


def hashes() -> dict[str, str]:
    """Return the hash of every case."""
    return {f"{case[0]}, B = {case[3]}": learned(*case) for case in CASES}


def main() -> None:
    """Learn, and print."""
    warnings.simplefilter("ignore", RuntimeWarning)  # 64-bit words overflow by design
    compiled: list[object] = []
    jit.load()
    with compiling.watched_by(compiled.append):
        found = hashes()
    print(json.dumps({"hashes": found, "compilations": len(compiled)}))


if __name__ == "__main__":
    main()
