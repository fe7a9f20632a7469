"""The run that learns the evaluation of Ultimate: searches label positions, a network is fitted, and they use it.

Generation 0 of the labels comes from Monte Carlo tree search with rollouts, each later one from the same search with
the network that was fitted last.  Labels and networks are files of one folder.  A run that was interrupted goes on
with the files that are there, and ends in the same bits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.networks.optimizers import optimizer
from ttt_fast.algorithms.td.ultimate.fit import Labels, UltimateKey, initial_parameters, make_fit_scratch
from ttt_fast.core.archive import ArraySpec, load_archive, make_folder, save_archive
from ttt_fast.core.errors import FileFormatError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games.tic_tac_toe import SQUARE_SYMMETRIES
from ttt_fast.running.executors import run_chunks
from ttt_fast.values.files import VALUES_KIND, load
from ttt_fast.values.ultimate.integers import network_of, quantised, sha256_of
from ttt_fast.values.ultimate.learned import UltimateValues
from ttt_fast.values.ultimate.network import NUM_PARAMETERS, pattern_tables
from ultimate_fit import Sampling, fit_steps, mean_error
from ultimate_label_files import LabelSettings, ensure_chunk, load_labels

_KIND: Final = "ultimate-parameters"
_GAMES: Final = ["ultimate", "ultimate:tie=boards"]
COMMAND: Final = "python bench/learn_ultimate.py FOLDER -o FILE"
"""The command of a run, as files name it."""
_STEPS_PER_CALL: Final = 500
Tell = Callable[[str], object]


@dataclass(frozen=True)
class FitSettings:
    """How a network is fitted.

    Attributes
    ----------
    steps
        Steps of Adam.
    minibatch
        Samples of a step, each turned or reflected at random.
    step_size, last_step_size
        Adam's step size after the warm-up, and at the end; linear between.
    warm_up
        Steps in which the step size grows from 0.
    result_share
        Weight of the game's result in the target; the rest is the search's value.
    """

    steps: int = 10_000
    minibatch: int = 256
    step_size: float = 1e-3
    last_step_size: float = 1e-5
    warm_up: int = 500
    result_share: float = 0.3

    def step_sizes(self) -> NDArray[np.float64]:
        """Return the step size of each step, (M,) float64.

        Examples
        --------
        >>> FitSettings(steps=4, step_size=0.4, last_step_size=0, warm_up=2).step_sizes().round(2).tolist()
        [0.2, 0.3, 0.2, 0.1]
        """
        step = np.arange(self.steps)
        falling = self.step_size + (self.last_step_size - self.step_size) * step / self.steps
        return falling * np.minimum(1.0, (step + 1) / self.warm_up)


def fit(parameters: NDArray[np.float32], labels: Labels, settings: FitSettings, stream: np.uint64, tell: Tell) -> None:
    """Fit parameters, (N,) float32, in place; the last position in 50 is not learned from, but judged."""
    work, image, squares = make_fit_scratch(), pattern_tables().image, SQUARE_SYMMETRIES
    rule = optimizer("adam")
    count = labels.values.size
    learned = count - count // 50
    sampling = Sampling(0, learned, settings.minibatch, settings.result_share)
    judged = sampling._replace(first=learned, last=count)
    step_sizes = settings.step_sizes()
    for first in range(0, settings.steps, _STEPS_PER_CALL):
        part = np.ascontiguousarray(step_sizes[first : first + _STEPS_PER_CALL])
        error, stream = fit_steps(parameters, labels, image, squares, sampling, rule, part, np.uint64(stream), work)
        if (first // _STEPS_PER_CALL) % 10 == 9 or first + _STEPS_PER_CALL >= settings.steps:
            of_values, of_results = mean_error(parameters, labels, image, squares, judged, work)
            tell(f"step {first + part.size}: {error:.4f}, of values {of_values:.4f}, of results {of_results:.4f}")


@dataclass(frozen=True)
class Generation:
    """A generation of labels and the network that is fitted to them.

    Attributes
    ----------
    labels
        How the labels are made.
    fit
        How the network is fitted, beginning with the one before.
    kept
        Generations whose labels it is fitted to: this one and those before.
    """

    labels: LabelSettings
    fit: FitSettings
    kept: int = 2


RECIPE: Final = (
    Generation(LabelSettings(chunks=100, simulations=200, c=0.5), FitSettings(steps=10_000)),
    Generation(LabelSettings(chunks=200, simulations=100, c=0.1), FitSettings(steps=20_000)),
    Generation(LabelSettings(chunks=300, simulations=150, c=0.1), FitSettings(steps=40_000)),
)
"""The run that made the network that ships with the package: 1.3 million positions."""
SEARCH: Final = "mcts:c=0.07,solver=yes,reuse=yes"
"""The search in which the network won most games."""


def learn_evaluation(folder: Path, generations: Sequence[Generation], seed: int, threads: int, tell: Tell) -> Path:
    """Learn the evaluation of Ultimate, or go on with it; return the file of the last network.

    Parameters
    ----------
    folder
        Where labels and networks are kept; an empty or new one, or one of the same settings.
    generations
        The settings of the run, at least one; a run may be given further ones later.
    seed
        Seed of all randomness.
    threads
        Threads that play; they never change a result.
    tell
        Called with a line now and then.

    Raises
    ------
    FileFormatError
        If a file of the folder is damaged, or was made with other settings.
    FileWriteError
        If a file cannot be written.
    """
    make_folder(folder)
    parameters, network, digest = initial_parameters(seed), None, ""
    made = list[Generation]()
    for number, one in enumerate(generations):
        made.append(replace(one, labels=replace(one.labels, seed=seed, generation=number, network=digest)))
        settings = made[-1].labels
        work = partial(ensure_chunk, folder, settings, network)
        for chunk, positions in enumerate(run_chunks(work, 0, settings.chunks, threads)):
            tell(f"generation {number}, chunk {chunk + 1} of {settings.chunks}: {positions} positions")
        kept, described = folder / f"parameters-{number}.npz", {"generations": [asdict(each) for each in made]}
        if not kept.exists():
            labels = _joined([load_labels(folder, each.labels) for each in made[-one.kept :]])
            fit(parameters, labels, one.fit, chunk_stream(seed, UltimateKey.FIT_GENERATIONS, number), tell)
            save_archive(kept, _KIND, {"parameters": parameters}, described)
        parameters = _load_parameters(kept, described)
        path = folder / f"network-{number}.npz"
        digest = save_network(path, parameters, {**described, "search": SEARCH, "command": COMMAND})
        values = load(path).values
        assert isinstance(values, UltimateValues)
        network = values.network
    return path


def save_network(path: Path, parameters: NDArray[np.float32], meta: Mapping[str, object]) -> str:
    """Write a network of both endings and the description of its origin; return the hash of its arrays."""
    arrays = quantised(parameters)
    network_of(arrays)
    digest = sha256_of(arrays)
    described = {**meta, "form": UltimateValues.form, "games": _GAMES, "sha256": digest}
    save_archive(path, VALUES_KIND, arrays, described, compressed=True)
    return digest


def _joined(parts: Sequence[Labels]) -> Labels:
    return Labels(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _load_parameters(path: Path, described: JsonObject) -> NDArray[np.float32]:
    """Return the parameters of a file, or raise FileFormatError if other settings have made them."""
    archive = load_archive(path, {_KIND: {"parameters": ArraySpec("float32", (NUM_PARAMETERS,))}})
    made = {key: archive.meta.get(key) for key in described}
    if made != described:
        raise FileFormatError(f"{str(path)!r}: expected parameters of {described!r}, got those of {made!r}")
    return archive.arrays["parameters"]
