"""The network of a deep Q-learning run before its first update, and the arrays from which a run continues."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.dqn.record import DqnSettings
from ttt_fast.algorithms.dqn.replay import Replay, RowReplay, WordReplay, replay_shapes
from ttt_fast.algorithms.settings import MARKS
from ttt_fast.core.plain import zeros_in_lines
from ttt_fast.values.inputs import num_inputs
from ttt_fast.values.learned_network import NetworkValues, Shapes
from ttt_fast.values.network import Network

RIVALS, RIVALS_A_RUN = 8, 20
"""Number of networks kept as rivals in self-play, and how many times in a run one is added."""
WORST = -1e9
"""Below the score of every network."""


def init_network(config: LearningTask) -> NetworkValues:
    """Return the initial network of a run, drawn by its seed.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> init_network(TrainingConfig(algorithm="dqn", hidden="32,32")).network.sizes
    (9, 32, 32, 9)
    """
    game, settings = config.game, DqnSettings.of(config)
    as_marks = settings.input == MARKS
    sizes = num_inputs(game.initial_state, as_marks), *settings.hidden, game.num_actions
    network = Network.random(sizes, config.seed, float(settings.leak))
    shapes = run_shapes(config, network.weights.size)
    return NetworkValues(game, config.has_table, network, as_marks, config.seats, {}, shapes)


def run_shapes(config: LearningTask, num_weights: int) -> Shapes:
    """Return type and shape of a run's arrays: networks, rivals, progress, best score, moments, replay buffer."""
    weights = "float32", (num_weights,)
    return {
        "online": weights,
        "target": weights,
        "rivals": ("float32", ((RIVALS if config.is_self_play else 0) * num_weights,)),
        "progress": ("int64", (3,)),
        "best": ("float64", (2,)),
        **{name: weights for name in ("first", "second")},
        "powers": ("float64", (2,)),
        **replay_shapes(DqnSettings.of(config).replay, config.has_table, len(config.game.initial_state)),
    }


def init_run_arrays(config: LearningTask, network: Network) -> dict[str, NDArray[Any]]:
    """Return the arrays of a run before its first update."""
    state = zeroed_arrays(run_shapes(config, network.weights.size))
    state["online"][:] = state["target"][:] = network.weights
    state["powers"][:], state["best"][:] = 1.0, WORST
    return state


def zeroed_arrays(shapes: Shapes) -> dict[str, NDArray[Any]]:
    """Return arrays of some types and shapes."""
    return {name: _zeros(dtype, shape) for name, (dtype, shape) in shapes.items()}


def copy_arrays(state: Mapping[str, NDArray[np.generic]]) -> dict[str, NDArray[Any]]:
    """Return copies of the arrays of a run."""
    copies = {name: _zeros(str(array.dtype), array.shape) for name, array in state.items()}
    for name, array in state.items():
        copies[name][...] = array
    return copies


def _zeros(dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an array of zeros; a flat one is aligned to a cache line."""
    return zeros_in_lines(shape[0], np.dtype(dtype).type) if len(shape) == 1 else np.zeros(shape, dtype)


def replay_buffer(state: Mapping[str, NDArray[Any]], has_table: bool) -> Replay:
    """Return the replay buffer in the arrays of a run."""
    kind = WordReplay if has_table else RowReplay
    return kind(**{name: state[name] for name in kind._fields})
