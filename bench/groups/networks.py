"""Updates of networks by a minibatch, beside a plain kernel, JAX and PyTorch, one thread each."""

from time import process_time

import numpy as np
from numpy.typing import NDArray

from baselines.networks import adam_steps, neurons_of, plain_layers, update_plain
from groups import network_peers
from groups.network_peers import RUNS, STEP_SIZE, Task
from groups.timing import Effort, Group, Rows, compile_row, one_core, take_turns
from ttt_fast.algorithms.dqn.episodes import STEPS
from ttt_fast.algorithms.dqn.learner import DqnLearner
from ttt_fast.algorithms.learner import first_values, make_learner
from ttt_fast.algorithms.networks.backprop import LOSSES, BackpropScratch, Samples, make_scratch, update
from ttt_fast.algorithms.networks.optimizers import Moments, Optimizer, no_moments, optimizer
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.vectors import pointer
from ttt_fast.running.timing import Candidate
from ttt_fast.training.config import TrainingConfig
from ttt_fast.training.opponents import opponents_of
from ttt_fast.values.network import Layers, Network

SMALL, WIDE = (9, 32, 32, 9), (99, 512, 512, 81)
TASKS = ((SMALL, 2, 2000, 200), (SMALL, 32, 500, 200), (WIDE, 64, 10, 10))
"""Sizes, samples of a minibatch, updates, and updates of PyTorch."""
COMPILED = "Trainer(Network((9, 32, 32, 9))).update(np.zeros((2, 9)), np.zeros(2), [0, 1])"
IMPORTS = """import numpy as np
from network_trainer import Trainer
from ttt_fast.values.network import Network"""
HUBER = LOSSES["huber"]
STRAIGHTFORWARD = "straightforward kernel: a loop for each sum"


def task_of(sizes: tuple[int, ...], batch: int, updates: int) -> Task:
    """Return random minibatches: marks -1, 0 and 1, actions, and results as targets."""
    generator = np.random.default_rng(1)
    inputs = generator.integers(-1, 2, (updates, batch, sizes[0])).astype(np.float32)
    actions = generator.integers(0, sizes[-1], (updates, batch))
    targets = generator.integers(-1, 2, (updates, batch)).astype(np.float32)
    return Task(sizes, Network.random(sizes, seed=1).matrices(), inputs, actions, targets)


@kernel
def do_updates(
    layers: Layers,
    moments: Moments,
    scratch: BackpropScratch,
    samples: Samples,
    rule: Optimizer,
    count: int,
    inputs: NDArray[np.float32],
    actions: NDArray[np.int64],
    targets: NDArray[np.float32],
) -> None:
    """Do an update for each of `count` minibatches, which are put one after the other into `samples`."""
    loss = as_int(HUBER)
    x, action, target = pointer(samples.inputs), pointer(samples.actions), pointer(samples.targets)
    all_x, all_actions, all_targets = pointer(inputs), pointer(actions), pointer(targets)
    batch, width = samples.actions.size, samples.inputs.size
    for number in range(count):
        for place in range(width):
            x[place] = all_x[number * width + place]
        for place in range(batch):
            action[place] = all_actions[number * batch + place]
            target[place] = all_targets[number * batch + place]
        update(layers, moments, scratch, samples, rule, loss, STEP_SIZE)


def ours(task: Task, name: str = "ttt_fast") -> Candidate:
    """Return our updates."""
    network, batch = Network(task.sizes), task.actions.shape[1]
    network.set_matrices(task.pairs)
    size = network.weights.size
    state = network.layers, no_moments(size), make_scratch(task.sizes, size, batch)
    samples = Samples(task.inputs[0].ravel().copy(), task.actions[0].copy(), task.targets[0].copy())
    given = samples, optimizer("adam"), np.int64(task.count), *(one.reshape(-1) for one in task[2:])
    return Candidate(name, "updates", task.count, lambda: do_updates(*state, *given))


def straightforward(task: Task) -> Candidate:
    """Return the plain kernel's updates."""
    layers, first, second, gradients = (plain_layers(task.pairs, make) for make in (np.array, *(np.zeros_like,) * 3))
    minibatches = task.inputs, task.actions, task.targets, adam_steps(task.count, STEP_SIZE)
    arrays = layers, first, second, gradients, neurons_of(task.sizes, task.actions.shape[1]), *minibatches
    return Candidate(STRAIGHTFORWARD, "updates", task.count, lambda: update_plain(*arrays))


def networks(effort: Effort) -> Rows:
    """Measure a small network with small and large minibatches, and a wide one; then inputs that are never there."""
    rows: Rows = []
    with one_core():
        for sizes, batch, updates, torch_updates in TASKS:
            task = task_of(sizes, batch, updates)
            found = [straightforward(task), ours(task)]
            if "jax" in effort.peers:
                found += [network_peers.jax_scan(task)]
                found += [network_peers.jax_scan(task, RUNS)] if sizes == SMALL else []
            if "torch" in effort.peers:
                found.append(network_peers.torch_eager(task, torch_updates))
            what = f"{'-'.join(map(str, sizes))}, B = {batch}"
            rows += [
                {**row, "what": f"{row['what']}: {what}"}
                for row in take_turns(found, effort, STRAIGHTFORWARD, process_time)
            ]
        rows += _dead_inputs(effort) + take_turns([deep_q_learning()], effort, clock=process_time)
    what = "compiling the update, once for networks of any sizes"
    return [*rows, compile_row(COMPILED, what, IMPORTS)]


def _dead_inputs(effort: Effort) -> Rows:
    """Measure updates whose gradients are 0 after the first ones: moments fade, and must not become denormal."""
    task = task_of(SMALL, 2, 2000)
    dead = task._replace(inputs=np.zeros_like(task.inputs), actions=np.zeros_like(task.actions))
    usual = "ttt_fast: with gradients everywhere, B = 2"
    return take_turns(
        [ours(task, usual), ours(dead, "ttt_fast: dead inputs and actions, B = 2")], effort, usual, process_time
    )


def deep_q_learning(episodes: int = 30_000) -> Candidate:
    """Return a run of deep Q-learning as X against random by smirnov's settings, an update after each transition."""
    config = TrainingConfig(
        algorithm="dqn", episodes=episodes, hidden="32,32", minibatch=2, step_size="0.0001", epsilon="0.1", leak=0.01,
        discount=0.9, replay=300_000, warm_up=1, target_every=1000, symmetries=False,
    )  # fmt: skip
    opponents = opponents_of(config)

    def run() -> int:
        learner = make_learner(config, opponents, first_values(config))
        learner.run_chunks(0, config.num_chunks)
        assert isinstance(learner, DqnLearner)
        return int(learner.state["progress"][STEPS])

    return Candidate("deep Q-learning of tic-tac-toe, an update a step: 9-32-32-9, B = 2", "steps", run(), run)


NETWORKS = Group(
    "networks", "Updates of a network by Adam, one thread, time of the processor", networks, ("jax", "torch")
)
