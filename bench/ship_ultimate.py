"""Make a file of Ultimate that ships with the package from that of a run of TD(lambda), at its end.

    weights=src/ttt_fast/agents/weights
    ttt-fast train --game ultimate --algorithm td --start-from $weights/ultimate.npz --seed 1 -o u.npz
    python bench/ship_ultimate.py u.npz -o $weights/ultimate-td.npz

The file says by which command it was made, and in which search it serves `learned`.
"""

import argparse
from pathlib import Path

from ttt_fast.algorithms.td.record import TdSettings
from ttt_fast.training.run import TrainingRun
from ultimate_run import SEARCH


def main(words: list[str] | None = None) -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the file of the run")
    parser.add_argument("--output", "-o", type=Path, required=True)
    given = parser.parse_args(words)
    trained = TrainingRun.load(given.run)
    config, own = trained.config, TdSettings.of(trained.config)
    settings = f"--step-size {own.step_size.text} --epsilon {own.epsilon.text} --trace-decay {own.trace_decay}"
    run = f"--start-from {own.start_from} -n {config.episodes} --seed {config.seed} {settings}"
    command = f"ttt-fast train --game {config.game.spec} --algorithm td {run}"
    made = {"command": command, "search": SEARCH}
    trained.save(given.output, described=made)


if __name__ == "__main__":
    main()
