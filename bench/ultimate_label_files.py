"""Chunks of labelled positions on disk: made once, found again by a run that goes on."""

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.td.ultimate.fit import Labels, UltimateKey, make_labels
from ttt_fast.core.archive import ArraySpec, load_archive, save_archive
from ttt_fast.core.errors import FileFormatError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games.ultimate.rules import NUM_CELLS, initial_state
from ttt_fast.search.mcts.player import MctsConfig
from ttt_fast.search.mcts.tree import make_tree
from ttt_fast.search.rollouts import WIN_OR_BLOCK, rollout_evaluator
from ttt_fast.values.ultimate.evaluator import ultimate_evaluator
from ttt_fast.values.ultimate.network import NUM_SLOTS, pattern_tables
from ultimate_labels import LabelPlan, play_games

KIND: Final = "ultimate-labels"
_SPECS: Final = {
    KIND: {
        "patterns": ArraySpec("uint16", (-1,)),
        "values": ArraySpec("float32", (-1,)),
        "results": ArraySpec("float32", (-1,)),
    }
}


@dataclass(frozen=True)
class LabelSettings:
    """How the chunks of a generation are made; odd chunks end their games with tie=boards.

    Attributes
    ----------
    seed
        Seed of all randomness.
    generation
        0: searches by rollouts; later ones by the network of the generation before.
    chunks, games
        Chunks of the generation, and games of a chunk.
    simulations
        Simulations a move.
    c
        Weight of exploration.
    opening
        Most random plies at the beginning of a game; 2 at least.
    randomness
        Chance that a later move is random.
    network
        Hash of the network of the searches; empty for rollouts.
    """

    seed: int = 0
    generation: int = 0
    chunks: int = 120
    games: int = 50
    simulations: int = 400
    c: float = 0.5
    opening: int = 10
    randomness: float = 0.05
    network: str = ""


def chunk_path(folder: Path, settings: LabelSettings, chunk: int) -> Path:
    """Return the file of a chunk.

    Examples
    --------
    >>> chunk_path(Path("mine"), LabelSettings(generation=2), 7).name
    'labels-2-00007.npz'
    """
    return folder / f"labels-{settings.generation}-{chunk:05d}.npz"


def make_chunk(settings: LabelSettings, network: NDArray[np.float32] | None, chunk: int) -> Labels:
    """Play the games of a chunk."""
    config = MctsConfig(sims=settings.simulations, c=settings.c, solver=True)
    leaf = rollout_evaluator(WIN_OR_BLOCK) if network is None else ultimate_evaluator(network)
    tree = make_tree(1 + (settings.simulations + 1) * NUM_CELLS)
    plan = LabelPlan(settings.simulations, 2, settings.opening, int(settings.randomness * 2**32))
    labels = make_labels(settings.games * NUM_CELLS)
    stream = chunk_stream(settings.seed, UltimateKey.LABELS, settings.generation, chunk)
    count = play_games(
        initial_state(chunk % 2), settings.games, plan, tree, config.settings(network is None), stream,
        np.zeros(NUM_CELLS + 2, np.int32), leaf, pattern_tables(), labels,
    )  # fmt: skip
    return Labels(labels.patterns[: NUM_SLOTS * count], labels.values[:count], labels.results[:count])


def ensure_chunk(folder: Path, settings: LabelSettings, network: NDArray[np.float32] | None, chunk: int) -> int:
    """Make the file of a chunk unless it is there; return its number of positions.

    Raises
    ------
    FileFormatError
        If it is there and was made with other settings.
    """
    path = chunk_path(folder, settings, chunk)
    described = {**asdict(settings), "chunk": chunk}
    del described["chunks"]  # a generation may grow
    if path.exists():
        return int(load_chunk(path, described).values.size)
    labels = make_chunk(settings, network, chunk)
    save_archive(path, KIND, labels._asdict(), {"settings": described}, compressed=True)
    return int(labels.values.size)


def load_chunk(path: str | os.PathLike[str], described: JsonObject) -> Labels:
    """Return the labels of a file."""
    archive = load_archive(path, _SPECS)
    if archive.meta.get("settings") != described:
        raise FileFormatError(
            f"{str(path)!r}: expected labels made with {described!r}, got {archive.meta.get('settings')!r}"
        )
    return Labels(*(archive.arrays[name] for name in Labels._fields))


def load_labels(folder: Path, settings: LabelSettings) -> Labels:
    """Return all labels of a generation."""
    described = asdict(settings)
    del described["chunks"]
    parts = [
        load_chunk(chunk_path(folder, settings, chunk), {**described, "chunk": chunk})
        for chunk in range(settings.chunks)
    ]
    return Labels(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
