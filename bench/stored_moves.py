"""Count the positions in which a proven player of Connect 4 needs the column that its file stores.

    python bench/stored_moves.py src/ttt_fast/proven/connect4-proven.npz -o results/exact-connect4/stored.csv

Of the positions in which the player is to move, `quiet` are those without an immediate win.  In `stored` of these the
n-tuples alone choose another column.  A position and its mirror image count as two.
"""

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proven_exceptions import no_exceptions, with_exceptions
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState, completing_cells, next_cells
from ttt_fast.proven.certificate import table_of_player
from ttt_fast.proven.values import load_weights
from ttt_fast.proven.weights import choose_columns
from ttt_fast.studies.engine.tables import Row, Rows, write_rows


@kernel
def _are_quiet(keys: NDArray[np.uint64], like: ConnectFourState, quiet: NDArray[np.bool_]) -> None:
    for place in range(len(keys)):
        state = api.state_of_key(like, keys[place])
        quiet[place] = completing_cells(state.own, state.rows, state.length) & next_cells(state) == 0


def stored_moves(path: Path) -> Rows:
    """Return a row for each ply in which the player is to move, and one for all plies."""
    weights = load_weights(path)
    bare = with_exceptions(weights, no_exceptions())
    like, rows = ConnectFourState(*map(int, weights.start)), []
    table = table_of_player(weights)
    for ply, states in enumerate(slice(*pair) for pair in pairwise(table.ply_start.tolist())):
        keys = table.key[states][table.player[states] == weights.seat]
        if keys.size:
            quiet = np.empty(keys.size, np.bool_)
            _are_quiet(keys, like, quiet)
            differ = quiet & (choose_columns(weights, keys) != choose_columns(bare, keys))
            rows.append({"ply": ply, "positions": keys.size, "quiet": int(quiet.sum()), "stored": int(differ.sum())})
    total: Row = {"ply": "all"} | {name: sum(row[name] for row in rows) for name in ("positions", "quiet", "stored")}
    return [{**row, "share": row["stored"] / max(row["quiet"], 1)} for row in [*rows, total]]


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--output", "-o", type=Path, required=True)
    given = parser.parse_args()
    write_rows(given.output, stored_moves(given.file))


if __name__ == "__main__":
    main()
