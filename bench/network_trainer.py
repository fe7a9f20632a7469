"""Updates of a network from Python: a trainer checks each minibatch and keeps moments and work arrays."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.algorithms.networks.backprop import ALL_OUTPUTS, LOSSES, Samples, make_scratch, update
from ttt_fast.algorithms.networks.optimizers import Optimizer, no_moments, optimizer
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.values.network import Network


class Trainer:
    """A network with its optimizer.

    Parameters
    ----------
    network
        The network, which updates change in place.
    rule
        The optimizer; default: Adam as in PyTorch.
    loss
        One of LOSSES.

    Attributes
    ----------
    moments
        The optimizer's memory.

    Raises
    ------
    UsageError
        If there is no such loss.

    Examples
    --------
    >>> trainer = Trainer(Network.random((2, 16, 1), seed=1), loss="squared")
    >>> inputs, targets = [[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [1], [1], [0]]
    >>> losses = [trainer.update(inputs, targets, step_size=0.01) for _ in range(500)]
    >>> trainer.network.outputs(inputs).round(2).ravel().tolist()
    [0.0, 1.0, 1.0, 0.0]
    """

    def __init__(self, network: Network, rule: Optimizer | None = None, loss: str = "huber") -> None:
        if loss not in LOSSES:
            raise UsageError(f"expected a loss of {', '.join(LOSSES)}, got {shown(loss)}")
        self.network, self.loss = network, loss
        self.rule = optimizer() if rule is None else rule
        self.moments = no_moments(network.weights.size)
        self._scratch = make_scratch(network.sizes, network.weights.size, 1)
        self._room = 1

    def update(
        self, inputs: ArrayLike, targets: ArrayLike, actions: ArrayLike | None = None, step_size: float = 1e-3
    ) -> float:
        """Move the network by a minibatch, and return the loss before.

        Parameters
        ----------
        inputs : (B, I)
            A row for each sample.
        targets : (B,) or (B, O)
            Where the output of each sample's action moves to, or all outputs without `actions`.
        actions : (B,) integers
            The output of each sample that moves; default: all.
        step_size
            The step size, a positive number.

        Raises
        ------
        UsageError
            If shapes, actions or the step size do not fit the network.
        TttFastError
            If the loss is NaN or infinite.
        """
        samples = self._samples(inputs, targets, actions)
        if not 0.0 < step_size < math.inf:
            raise UsageError(f"expected a positive step size, got {shown(step_size)}")
        if samples.actions.size > self._room:
            self._room = samples.actions.size
            self._scratch = make_scratch(self.network.sizes, self.network.weights.size, self._room)
        error = update(
            self.network.layers,
            self.moments,
            self._scratch,
            samples,
            self.rule,
            np.int64(LOSSES[self.loss]),  # type: ignore[arg-type]
            float(step_size),
        )
        if not math.isfinite(error):
            raise TttFastError(f"expected a finite loss, got {error!r}; a smaller step size may help")
        return error

    def _samples(self, inputs: ArrayLike, targets: ArrayLike, actions: ArrayLike | None) -> Samples:
        """Return a minibatch as kernels take it, or raise UsageError."""
        width, num_outputs = self.network.sizes[0], self.network.sizes[-1]
        rows = np.ascontiguousarray(inputs, np.float32)
        if rows.ndim != 2 or rows.shape[1] != width or not len(rows):
            raise UsageError(f"expected inputs of shape (B, {width}), got {rows.shape}")
        moved = np.ascontiguousarray(targets, np.float32)
        wanted = (len(rows), num_outputs) if actions is None else (len(rows),)
        if moved.shape != wanted:
            raise UsageError(f"expected targets of shape {wanted}, got {moved.shape}")
        return Samples(rows.reshape(-1), self._actions(actions, len(rows)), moved.reshape(-1))

    def _actions(self, actions: ArrayLike | None, count: int) -> NDArray[np.int64]:
        """Return the actions of a minibatch (B,) int64, or raise UsageError."""
        if actions is None:
            return np.full(count, ALL_OUTPUTS, np.int64)
        given, num_outputs = np.asarray(actions), self.network.sizes[-1]
        if given.shape != (count,) or given.dtype.kind not in "iu":
            raise UsageError(f"expected {count} whole actions, got {given.dtype} of shape {given.shape}")
        wrong = given[(given < 0) | (given >= num_outputs)]
        if wrong.size:
            raise UsageError(f"expected actions from 0 to {num_outputs - 1}, got {int(wrong[0])}")
        return given.astype(np.int64)
