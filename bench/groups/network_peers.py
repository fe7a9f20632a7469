"""Updates of a network by JAX and PyTorch on one thread, as candidates for the benchmark."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groups.peers import one_thread_jax
from ttt_fast.running.timing import Candidate

STEP_SIZE = 1e-4
RUNS = 16


class Task(NamedTuple):
    """Minibatches for a network, Adam and the Huber loss.

    Attributes
    ----------
    sizes
        Of the network.
    pairs
        Its weights and biases, layer by layer.
    inputs : (U, B, I) float32, actions : (U, B) int64, targets : (U, B) float32
        The minibatches.
    """

    sizes: tuple[int, ...]
    pairs: list[tuple[NDArray[np.float32], NDArray[np.float32]]]
    inputs: NDArray[np.float32]
    actions: NDArray[np.int64]
    targets: NDArray[np.float32]

    @property
    def count(self) -> int:
        """Number of updates."""
        return len(self.inputs)


def _jax_updates() -> Callable[..., Any]:
    """Return a function that does all updates of a task in one `lax.scan`."""
    import jax
    import jax.numpy as jnp

    def loss(pairs: Any, x: Any, actions: Any, targets: Any) -> Any:
        for weights, biases in pairs[:-1]:
            x = jax.nn.relu(x @ weights + biases)
        outputs = x @ pairs[-1][0] + pairs[-1][1]
        off = jnp.abs(outputs[jnp.arange(outputs.shape[0]), actions] - targets)
        return jnp.where(off < 1, 0.5 * off * off, off - 0.5).mean()

    def update(carry: Any, minibatch: Any) -> Any:
        pairs, first, second, number = carry
        slopes = jax.grad(loss)(pairs, *minibatch)
        tree = jax.tree_util.tree_map
        first = tree(lambda m, g: 0.9 * m + 0.1 * g, first, slopes)
        second = tree(lambda v, g: 0.999 * v + 0.001 * g * g, second, slopes)
        number = number + 1
        one, two = 1 - 0.9**number, 1 - 0.999**number
        change = tree(lambda m, v: STEP_SIZE * (m / one) / (jnp.sqrt(v / two) + 1e-8), first, second)
        return (tree(lambda w, c: w - c, pairs, change), first, second, number), None

    def updates(carry: Any, inputs: Any, actions: Any, targets: Any) -> Any:
        return jax.lax.scan(update, carry, (inputs, actions, targets))[0]

    return updates


def jax_scan(task: Task, runs: int = 1) -> Candidate:
    """Return JAX's jitted scan over the updates; of several runs side by side by `vmap` if `runs` is not 1."""
    one_thread_jax()
    import jax
    import jax.numpy as jnp

    zeros = [tuple(np.zeros_like(one) for one in pair) for pair in task.pairs]
    carry: Any = (task.pairs, zeros, zeros, np.float32(0.0))
    minibatches = task.inputs, task.actions.astype(np.int32), task.targets
    updates = _jax_updates()
    if runs > 1:
        updates = jax.vmap(updates)
        carry, minibatches = jax.tree_util.tree_map(lambda one: np.stack([one] * runs), (carry, minibatches))
    carry, minibatches = jax.tree_util.tree_map(jnp.asarray, (carry, minibatches))
    program = jax.jit(updates)

    def run() -> None:
        nonlocal carry
        carry = jax.block_until_ready(program(carry, *minibatches))

    name = "JAX, jitted lax.scan" if runs == 1 else f"JAX, vmap over {runs} runs, each update counted"
    return Candidate(name, "updates", task.count * runs, run)


def torch_eager(task: Task, updates: int) -> Candidate:
    """Return PyTorch's usual loop with its fused Adam, for some of the updates."""
    import torch

    torch.set_num_threads(1)
    layers: list[Any] = []
    for weights, biases in task.pairs:
        layer = torch.nn.Linear(*weights.shape)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(weights.T.copy()))
            layer.bias.copy_(torch.from_numpy(biases))
        layers += [layer, torch.nn.ReLU()]
    network = torch.nn.Sequential(*layers[:-1])
    adam = torch.optim.Adam(network.parameters(), lr=STEP_SIZE, fused=True)
    inputs, actions, targets = (torch.from_numpy(one[:updates]) for one in task[2:])

    def run() -> None:
        for x, action, target in zip(inputs, actions, targets, strict=True):
            found = network(x).gather(1, action[:, None])[:, 0]
            loss = torch.nn.functional.smooth_l1_loss(found, target)
            adam.zero_grad(set_to_none=True)
            loss.backward()
            adam.step()

    return Candidate("PyTorch, eager, fused Adam", "updates", updates, run)
