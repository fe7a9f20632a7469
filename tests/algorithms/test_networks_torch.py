"""Updates of networks beside PyTorch, in float32: `pip install -e '.[oracle]'`."""

import numpy as np
import pytest

from network_trainer import Trainer
from ttt_fast import induced_table, parse_game
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


@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_thousand_steps(name, loss):
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
    for _ in range(1000):
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


@pytest.mark.parametrize("seat", ["x", "o"])
def test_a_network_of_pytorch_as_the_fixed_agent(seat):
    """A convolution, which is queried in batches, beside the same network asked state by state."""
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    game, nn = parse_game("connect4:columns=5,rows=4"), torch.nn
    planes = game.observe(game.initial_state).shape[0]
    network = nn.Sequential(nn.Conv2d(planes, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(160, 5)).double()
    batches = []

    class Batched:
        def action_values(self, observations):
            batches.append(len(observations))
            with torch.no_grad():
                return network(torch.from_numpy(observations).double()).numpy()

    def alone(state):
        values = Batched().action_values(game.observe(state)[None])[0]
        return max(game.legal_actions(state), key=lambda action: values[action])

    batched = induced_table(Batched(), seat, game)
    assert max(batches) > 100
    asked = induced_table(alone, seat, game)
    assert batched.positions_by_ply == asked.positions_by_ply
    assert batched.outcome("random").fractions == asked.outcome("random").fractions
    assert batched.best_value == asked.best_value
