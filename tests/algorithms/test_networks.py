"""Updates of networks: gradients against central differences, steps against plain formulas, the same bits."""

import numpy as np
import pytest

import network_reference as plain
from baselines.networks import adam_steps, neurons_of, plain_layers, update_plain
from network_trainer import Trainer
from ttt_fast import TttFastError, UsageError
from ttt_fast.algorithms.networks.backprop import (
    ALL_OUTPUTS,
    ILLEGAL_TARGET,
    POLICY_AND_VALUE,
    Samples,
    make_scratch,
    update as network_update,
)
from ttt_fast.algorithms.networks.optimizers import OPTIMIZERS, no_moments, optimizer
from ttt_fast.values.network import Network, unpacked

LOSSES = "squared", "huber"
CASES = [
    ((9, 32, 32, 9), 2, 0.0, True),
    ((9, 32, 32, 9), 8, 0.01, True),
    ((5, 20, 3), 3, 0.01, False),
    ((3, 7, 18, 33, 4), 13, 0.0, True),
    ((20, 16, 1), 5, 0.1, False),
]


def problem(sizes, batch, slope, by_action, seed=0):
    """A network, and a minibatch whose neurons are away from the kinks of ReLU and Huber."""
    generator = np.random.default_rng(seed)
    network = Network.random(sizes, seed=seed, slope=slope, bound=0.5)
    pairs = plain.as_float64(network.matrices())
    rows = []
    while len(rows) < batch:
        row = generator.normal(size=sizes[0]).astype(np.float32)
        if all(np.abs(layer).min() > 1e-3 for layer in plain.layers_of(pairs[:-1], 1.0, row)[1:]):
            rows.append(row)
    outputs = plain.layers_of(pairs, slope, np.array(rows))[-1]
    actions = generator.integers(0, sizes[-1], batch) if by_action else None
    moved = outputs if actions is None else outputs[np.arange(batch), actions]
    off = generator.uniform(0.1, 0.9, moved.shape) + generator.integers(0, 2, moved.shape)
    return network, np.array(rows), (moved + off).astype(np.float32), actions


def flat_gradients(network, inputs, targets, actions, loss, step_size=1.0):
    """The loss, the gradients that a step of SGD takes off, and the network after it."""
    moved = network.copy()
    error = Trainer(moved, optimizer("sgd"), loss).update(inputs, targets, actions, step_size)
    return error, unpacked(network.sizes, network.weights - moved.weights), moved


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("sizes", "batch", "slope", "by_action"), CASES)
def test_gradients(sizes, batch, slope, by_action, loss):
    network, inputs, targets, actions = problem(sizes, batch, slope, by_action)
    error, found, _ = flat_gradients(network, inputs, targets, actions, loss)
    pairs = plain.as_float64(network.matrices())
    given = (slope, inputs, targets, actions, loss)
    assert error == pytest.approx(plain.loss_of(pairs, *given), rel=1e-6)
    slopes = plain.central_differences(pairs, *given)
    for wanted in (plain.gradients_of(pairs, *given), slopes):  # the plain ones are used below
        for mine, theirs in zip(found, wanted, strict=True):
            for one, two in zip(mine, theirs, strict=True):
                assert np.abs(one - two).max() <= 1e-6 * max(1.0, np.abs(two).max())


@pytest.mark.parametrize("sizes", [(70, 33, 4), (64, 16, 20, 1)])
def test_gradients_of_inputs_that_are_mostly_zero(sizes):
    """The sums skip them; with other rows, whose gradients are 0, they do not, and the bits are the same."""
    network, inputs, targets, _ = problem(sizes, 8, 0.01, False)
    inputs[np.random.default_rng(1).random(inputs.shape) < 0.8] = 0
    _, found, moved = flat_gradients(network, inputs, targets, None, "squared")
    wanted = plain.gradients_of(plain.as_float64(network.matrices()), 0.01, inputs, targets, None, "squared")
    more = np.concatenate([inputs, np.ones((24, sizes[0]), np.float32)])
    targets = np.concatenate([targets, network.outputs(more[8:])])
    _, _, dense = flat_gradients(network, more, targets, None, "squared", step_size=4.0)
    assert np.array_equal(moved.weights, dense.weights)
    for mine, theirs in zip(found, wanted, strict=True):
        for one, two in zip(mine, theirs, strict=True):
            assert np.abs(one - two).max() <= 1e-6 * max(1.0, np.abs(two).max())


def heads(batch=6, sizes=(5, 20, 18, 5), slope=0.01):
    """A network with two heads, and a minibatch; in the last row a single action is legal."""
    generator = np.random.default_rng(3)
    network, inputs, _, _ = problem(sizes, batch, slope, False)
    legal = generator.random((batch, sizes[-1] - 1)) < 0.7
    legal[:, 1], legal[-1] = True, [False, True, False, False]
    policies = generator.random(legal.shape) * legal
    policies = np.where(legal, policies / policies.sum(axis=1, keepdims=True), ILLEGAL_TARGET).astype(np.float32)
    return network, inputs, policies, generator.integers(-1, 2, batch).astype(np.float32)


def gradients_of_heads(network, inputs, policies, values):
    scratch = make_scratch(network.sizes, network.weights.size, len(inputs))
    samples = Samples(
        inputs.reshape(-1), np.full(len(inputs), ALL_OUTPUTS), np.column_stack([policies, values]).ravel()
    )
    rest = no_moments(network.weights.size), scratch, samples, optimizer("adam"), np.int64(POLICY_AND_VALUE), 0.0
    return network_update(network.layers, *rest), scratch.gradients


def test_gradients_of_two_heads():
    network, *batch = heads()
    pairs = plain.as_float64(network.matrices())
    error, found = gradients_of_heads(network, *batch)
    assert error == pytest.approx(plain.loss_of_heads(pairs, 0.01, *batch), rel=1e-6)
    slopes = plain.central_differences(pairs, 0.01, *batch, loss_of=plain.loss_of_heads)
    for mine, theirs in zip(unpacked(network.sizes, found), slopes, strict=True):
        for one, two in zip(mine, theirs, strict=True):
            assert np.abs(one - two).max() <= 1e-6 * max(1.0, np.abs(two).max())


def test_weights_decay_before_a_step():
    network, inputs, targets, actions = problem((9, 32, 32, 9), 8, 0.01, True)
    other = network.copy()
    Trainer(network, optimizer("adam", weight_decay=0.1), "squared").update(inputs, targets, actions, step_size=0.01)
    shrunk = other.weights * np.float32(1 - 0.01 * 0.1)
    Trainer(other, optimizer("adam"), "squared").update(inputs, targets, actions, step_size=0.01)
    assert (
        np.abs(network.weights - (other.weights - (problem((9, 32, 32, 9), 8, 0.01, True)[0].weights - shrunk))).max()
        < 1e-6
    )


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("clip", [np.inf, 0.01])
def test_a_step(name, loss, clip):
    """Of weights whose gradient is not so small that Adam's step hangs on its rounding."""
    network, inputs, targets, actions = problem((9, 32, 32, 9), 8, 0.01, True)
    rule = optimizer(name, clip=clip)
    before = plain.as_float64(network.matrices())
    gradients = plain.gradients_of(before, 0.01, inputs, targets, actions, loss)
    Trainer(network, rule, loss).update(inputs, targets, actions, step_size=0.01)
    for old, slopes, new in zip(before, gradients, network.matrices(), strict=True):
        for mine, gradient, found in zip(old, slopes, new, strict=True):
            wanted = plain.Stepper(name, *rule[1:5]).step(mine, gradient, 0.01)
            clear = np.abs(gradient) > 1e-4
            assert clear.any() and np.abs(found - wanted)[clear].max() < 1e-6
            assert np.abs(found - mine)[gradient == 0].sum() == 0


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_many_steps_of_one_weight(name):
    """A network of one neuron that is never 0 at its only input: its output bias sees every step."""
    network, rule = Network((1, 1, 1)), optimizer(name)
    trainer, stepper, bias = Trainer(network, rule, "squared"), plain.Stepper(name, *rule[1:5]), 0.0
    for number in range(300):
        target = np.float32(np.sin(number))
        trainer.update([[0.0]], [[target]], step_size=0.01)
        bias = stepper.step(bias, 2 * (bias - float(target)), 0.01)
        assert abs(network.matrices()[1][1][0] - bias) < 1e-5


@pytest.mark.parametrize("name", ["momentum", "rmsprop", "adam"])
def test_moments_without_gradients_become_zero(name):
    """Instead of denormal numbers, which are slow."""
    network = Network.random((4, 8, 2), seed=1)
    trainer = Trainer(network, optimizer(name)._replace(decay=0.5, square_decay=0.5), "squared")
    trainer.update(np.ones((2, 4)), np.ones((2, 2)))
    assert any(np.count_nonzero(one) for one in trainer.moments[:2])
    network.weights[...] = 0
    for _ in range(200):
        trainer.moments.first[...], trainer.moments.second[...] = map(np.copy, trainer.moments[:2])
        trainer.update(np.zeros((2, 4)), network.outputs(np.zeros((2, 4))))
        for one in trainer.moments[:2]:
            assert not ((one != 0) & (np.abs(one) < 1e-37)).any()
    assert not any(np.count_nonzero(one) for one in trainer.moments[:2])


@pytest.mark.slow
def test_the_plain_kernel_of_the_benchmark_learns_the_same():
    sizes, batch, generator = (9, 32, 32, 9), 4, np.random.default_rng(3)
    trainer = Trainer(Network.random(sizes, seed=3))
    pairs = trainer.network.matrices()
    layers, *others = (plain_layers(pairs, make) for make in (np.array, *(np.zeros_like,) * 3))
    inputs = generator.integers(-1, 2, (50, batch, 9)).astype(np.float32)
    actions, targets = generator.integers(0, 9, (50, batch)), generator.normal(size=(50, batch)).astype(np.float32)
    for minibatch in zip(inputs, targets, actions, strict=True):
        trainer.update(*minibatch)
    update_plain(layers, *others, neurons_of(sizes, batch), inputs, actions, targets, adam_steps(50, 1e-3))
    found = [one for pair in trainer.network.matrices() for one in pair]
    assert max(np.abs(one - two).max() for one, two in zip(found, layers, strict=True)) < 1e-5


def test_padding_stays_zero():
    network, inputs, targets, actions = problem((3, 7, 18, 33, 4), 13, 0.01, True)
    trainer = Trainer(network)
    for _ in range(20):
        trainer.update(inputs, targets, actions)
    again = Network(network.sizes, 0.01)
    again.set_matrices(network.matrices())
    assert np.array_equal(again.weights, network.weights)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Trainer(Network((2, 3, 4)), loss="log"), "expected a loss of squared, huber, got 'log'"),
        (lambda: update(inputs=np.zeros((2, 3))), "expected inputs of shape (B, 2), got (2, 3)"),
        (lambda: update(inputs=np.zeros((0, 2))), "expected inputs of shape (B, 2), got (0, 2)"),
        (lambda: update(targets=np.zeros(3)), "expected targets of shape (2,), got (3,)"),
        (lambda: update(actions=None), "expected targets of shape (2, 4), got (2,)"),
        (lambda: update(actions=[0, 4]), "expected actions from 0 to 3, got 4"),
        (lambda: update(actions=[-1, 0]), "expected actions from 0 to 3, got -1"),
        (
            lambda: update(actions=[0.0, 1.0]),
            "expected 2 whole actions, got float64 of shape (2,)",
        ),
        (lambda: update(step_size=0.0), "expected a positive step size, got 0.0"),
    ],
)
def test_bad_input_gives_one_line(ask, message):
    with pytest.raises(UsageError) as caught:
        ask()
    assert str(caught.value) == message


def update(**given):
    usual = {"inputs": np.zeros((2, 2)), "targets": np.zeros(2), "actions": [0, 1], "step_size": 0.1}
    return Trainer(Network((2, 3, 4))).update(**{**usual, **given})


def test_a_loss_that_is_no_number_ends_the_training():
    with pytest.raises(TttFastError, match="expected a finite loss, got nan; a smaller step size may help"):
        update(targets=[np.nan, 0.0])
