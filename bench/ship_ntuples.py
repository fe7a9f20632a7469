"""Make a small file of n-tuples that ships with the package: the largest weights, rounded.

    python bench/ship_ntuples.py c4.npz --weights 450k -o src/ttt_fast/agents/weights/connect4.npz

The file says by which run it was made, and in which search it serves `learned`.
"""

import argparse
from pathlib import Path

import numpy as np

from ttt_fast import TrainingConfig
from ttt_fast.cli.parsing import parse_count
from ttt_fast.training.run import TrainingRun
from ttt_fast.values.ntuples import NTupleValues

ROUNDED_BITS = 21
"""Lowest bits of a weight that are rounded away: steps of 1/128 of a saturated sum's unit are left."""


CURVE = ("evaluations", "judges")
"""Settings that change the rows of a run, not its weights."""


def smaller(values: NTupleValues, most: int) -> NTupleValues:
    """Return values with at most so many weights that are not 0, the largest ones, rounded."""
    weights = values.tables.weights
    kept = np.argsort(-np.abs(weights.astype(np.int64)), kind="stable")[:most]
    rounded = np.zeros_like(weights)
    rounded[kept] = np.rint(weights[kept] / (1 << ROUNDED_BITS)).astype(np.int32) << ROUNDED_BITS
    return NTupleValues(values.settings, values.game, rounded, values.coherent)


def command_of(run: TrainingRun) -> str:
    """Return a command that learns the same weights: what differs from the defaults, except the curve's settings."""
    game, algorithm = run.config.game.spec, run.config.algorithm
    usual = TrainingConfig(game=game, algorithm=algorithm).as_dict()
    changed = {
        name: value for name, value in run.config.as_dict().items() if name not in CURVE and usual[name] != value
    }
    options = "".join(f" --{name.replace('_', '-')} {value}" for name, value in changed.items())
    return f"ttt-fast train --game {game} --algorithm {algorithm}{options}"


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the file of the run")
    parser.add_argument("--weights", type=parse_count, default=450_000)
    parser.add_argument("--search", default="alphabeta:ms=100", help="an agent string")
    parser.add_argument("--output", "-o", type=Path, required=True)
    given = parser.parse_args()
    run = TrainingRun.load(given.run)
    assert isinstance(run.values, NTupleValues)
    values = smaller(run.values, given.weights)
    made = {
        "command": command_of(run),
        "episodes": run.episodes,  # of those of the command
        "trained_sha256": run.sha256(),
        "search": given.search,
    }
    run._replace(values=values).save(given.output, described=made)


if __name__ == "__main__":
    main()
