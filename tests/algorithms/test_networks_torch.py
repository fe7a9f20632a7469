"""Updates of networks beside PyTorch, in float32: `pip install -e '.[oracle]'`."""

import numpy as np
import pytest

from network_trainer import Trainer
from pairwise import diagonal
from ttt_fast.algorithms.networks.optimizers import OPTIMIZERS, optimizer
from ttt_fast.values.network import Network

pytestmark = pytest.mark.slow
STEP_SIZES = {"sgd": 1e-2, "momentum": 1e-3, "rmsprop": 1e-4, "adam": 1e-3}


def torch_network(torch, network, slope):
    layers = []
    for weights, biases in network.matrices():
        layer = torch.nn.Linear(*weights.shape)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(weights.T.copy()))
            layer.bias.copy_(torch.from_numpy(biases))
        layers += [layer, torch.nn.LeakyReLU(slope)]
    return torch.nn.Sequential(*layers[:-1])


@pytest.mark.parametrize(("name", "loss"), diagonal(OPTIMIZERS, ["squared", "huber"]))
def test_hundreds_of_steps(name, loss):
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    sizes, slope, batch, generator = (9, 32, 32, 9), 0.01, 8, np.random.default_rng(0)
    trainer = Trainer(Network.random(sizes, seed=7, slope=slope), optimizer(name), loss)
    theirs = torch_network(torch, trainer.network, slope)
    step_size = STEP_SIZES[name]
    rule = {
        "sgd": lambda given: torch.optim.SGD(given, step_size),
        "momentum": lambda given: torch.optim.SGD(given, step_size, momentum=0.9),
        "rmsprop": lambda given: torch.optim.RMSprop(given, step_size),
        "adam": lambda given: torch.optim.Adam(given, step_size),
    }[name](theirs.parameters())
    measure = {"squared": torch.nn.functional.mse_loss, "huber": torch.nn.functional.smooth_l1_loss}[loss]
    for _ in range(300):
        inputs = generator.integers(-1, 2, (batch, sizes[0])).astype(np.float32)
        actions = generator.integers(0, sizes[-1], batch)
        targets = np.sign(inputs.sum(axis=1)) * np.float32(2.0)
        mine = trainer.update(inputs, targets, actions, step_size)
        outputs = theirs(torch.from_numpy(inputs)).gather(1, torch.from_numpy(actions)[:, None])[:, 0]
        error = measure(outputs, torch.from_numpy(targets))
        rule.zero_grad()
        error.backward()
        rule.step()
        assert mine == pytest.approx(float(error.detach()), rel=1e-4)
    for layer, (weights, biases) in zip(theirs[::2], trainer.network.matrices(), strict=True):
        assert np.abs(layer.weight.detach().numpy().T - weights).max() <= 1e-5
        assert np.abs(layer.bias.detach().numpy() - biases).max() <= 1e-5
