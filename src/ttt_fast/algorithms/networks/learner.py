"""What learners of a network share: the arrays of a run, the network that learns, and the network that is kept."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.learner import Learner
from ttt_fast.algorithms.networks.backprop import ALL_OUTPUTS, Samples, make_scratch
from ttt_fast.algorithms.networks.optimizers import Moments
from ttt_fast.core.errors import DivergedError
from ttt_fast.core.plain import zeros_in_lines
from ttt_fast.values.inputs import num_inputs
from ttt_fast.values.learned_network import NetworkValues, Shapes
from ttt_fast.values.network import Network

WORST = -1e9
"""Below the score of every network."""


def random_values(config: LearningTask, as_marks: bool, layers: Sequence[int], slope: float = 0.0) -> NetworkValues:
    """Return the values of a network that is drawn by the seed of a run, without the arrays of the run.

    Parameters
    ----------
    config
        The settings of the run.
    as_marks
        Whether the inputs are marks instead of planes.
    layers
        The neurons of each hidden layer, and the number of outputs.
    slope
        Slope of hidden neurons below 0.
    """
    sizes = num_inputs(config.game.initial_state, as_marks), *layers
    network = Network.random(sizes, config.seed, slope)
    return NetworkValues(config.game, config.has_table, network, as_marks, config.seats)


def common_shapes(num_weights: int) -> Shapes:
    """Return type and shape of the arrays of every run: network, moments, the best score, and progress."""
    return {
        **{name: ("float32", (num_weights,)) for name in ("online", "first", "second")},
        "powers": ("float64", (2,)),
        "best": ("float64", (2,)),
        "progress": ("int64", (3,)),
    }


class NetworkLearner(Learner):
    """The arrays and networks of a learner.

    Parameters
    ----------
    config
        The settings of the run.
    before, counts
        The values so far, and the counts (3,) int64, which are updated in place.
    shapes
        Type and shape of the arrays of the run: those of `common_shapes`, and others.
    minibatch
        Number of samples of an update.
    trains_all
        Whether a sample trains all outputs instead of one.

    Attributes
    ----------
    state
        The arrays of the run, updated in place.
    online
        The network that learns, whose weights are one of them.
    """

    def __init__(
        self, config: LearningTask, before: NetworkValues, counts: NDArray[np.int64], shapes: Shapes,
        minibatch: int, trains_all: bool,
    ) -> None:  # fmt: skip
        self.config, self.counts, self._before = config, counts, before
        # flat arrays are aligned to a cache line
        self.state = {
            name: zeros_in_lines(shape[0], np.dtype(dtype).type) if len(shape) == 1 else np.zeros(shape, dtype)
            for name, (dtype, shape) in shapes.items()
        }
        self.state["online"][:], self.state["powers"][:], self.state["best"][:] = before.network.weights, 1.0, WORST
        for name, array in before.state.items():
            self.state[name][...] = array
        self._is_begun, self._is_done = bool(before.state), False
        self.online, self._kept = self._network("online"), before.network.copy()
        self._moments = Moments(self.state["first"], self.state["second"], self.state["powers"])
        sizes = self.online.sizes
        self._samples = Samples(
            np.zeros(minibatch * sizes[0], np.float32), np.full(minibatch, ALL_OUTPUTS if trains_all else 0),
            np.zeros(minibatch * (sizes[-1] if trains_all else 1), np.float32),
        )  # fmt: skip
        self._scratch = make_scratch(sizes, self.online.weights.size, minibatch)

    def _network(self, name: str) -> Network:
        """Return a network over an array of the run, without a copy."""
        network = self._before.network.copy()
        network.layers = network.layers._replace(weights=self.state[name])
        return network

    @property
    def measured(self) -> Network:
        """The network that is measured, kept and played."""
        return self.online

    def _end_chunks(self, end: int, reached: str, remedies: str) -> None:
        """Note that the chunks before `end` are done; raise DivergedError if the network has diverged."""
        if not np.isfinite(self.online.weights).all():
            raise DivergedError(
                f"expected finite weights, got nan or infinity {reached}: the network has diverged; choose {remedies}"
            )
        self._is_begun, self._is_done = True, end == self.config.num_chunks

    def _keep(self, score: tuple[float, float]) -> None:
        """Keep the network that is measured, whose score is the best so far."""
        self.state["best"][:] = score
        self._kept.weights[...] = self.measured.weights

    def values(self) -> NetworkValues:
        """Return the network with which the run would end now, and the arrays from which learning continues."""
        network = self._kept if self.state["best"][0] > WORST else self.measured
        is_open = self._is_begun and not self._is_done
        state = {name: array.copy() for name, array in self.state.items()} if is_open else {}
        return replace(self._before, network=(network if self._is_begun else self._before.network).copy(), state=state)
