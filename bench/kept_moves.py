"""The share of moves of Connect 4 that keep the value, for any agents, on the 5,000 judged positions.

python bench/kept_moves.py random default c4.npz -o results/ntuples/kept_moves.csv
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from ttt_fast.agents.convert import as_player
from ttt_fast.evaluate.kept_moves import POSITIONS_OF, kept_moves
from ttt_fast.games.registry import parse_game
from ttt_fast.report.rows import encode, write_bytes


def rows_of(agent: str) -> list[dict[str, Any]]:
    """Return the rows of an agent."""
    player = as_player(agent, parse_game(POSITIONS_OF))
    player.begin(np.uint64(0))
    return [{"agent": Path(agent).name, **row} for row in kept_moves(lambda state: player.search(state).action)]


def main() -> None:
    """Write the rows of all agents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", help="agent strings")
    parser.add_argument("--output", "-o", type=Path, required=True, help="a .csv file")
    given = parser.parse_args()
    rows = [row for agent in given.agents for row in rows_of(agent)]
    write_bytes(encode("csv", "kept_moves", rows, {}), given.output)


if __name__ == "__main__":
    main()
