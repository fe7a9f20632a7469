"""The initial values of a TD(lambda) run on Ultimate: random, or those of a file."""

from typing import Final

from ttt_fast.agents.shipped import path_for
from ttt_fast.core.errors import AgentError
from ttt_fast.learn.algorithms import TdSettings
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.networks.optimizers import no_moments
from ttt_fast.learn.ultimate.fit import initial_parameters
from ttt_fast.search.evaluator_files import other_game
from ttt_fast.values.files import form_of, load_learned
from ttt_fast.values.learned_ultimate import UltimateValues
from ttt_fast.values.ultimate_network import NUM_PARAMETERS

SHIPPED: Final = "learned"
"""Name of the file that ships with the package."""


def drawn(config: TrainingConfig) -> UltimateValues:
    """Return a network with random weights, drawn by the seed of a run."""
    return UltimateValues(config.played, initial_parameters(config.seed), tuple(no_moments(NUM_PARAMETERS)))


def started(config: TrainingConfig) -> UltimateValues:
    """Return the network of the file from which a run starts; raise AgentError if the file holds other values."""
    path = TdSettings.of(config).start_from
    assert path is not None
    if path == SHIPPED:
        path = str(path_for(config.played, path))
    if (form := form_of(path)) not in ("", UltimateValues.form):
        raise AgentError(f"expected a network of ultimate to start from, got {path!r}, a file of {form!r}")
    learned = load_learned(path)
    if config.played not in learned.games:
        raise other_game(path, " and ".join(one.spec for one in learned.games), config.played)
    assert isinstance(learned.values, UltimateValues)
    found = learned.values
    return UltimateValues(config.played, found.parameters, tuple(no_moments(NUM_PARAMETERS)), found.sha256())
