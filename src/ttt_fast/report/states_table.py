"""The table of all states, for use in other programs."""

import io

import numpy as np
import polars as pl

from ttt_fast.policies.heuribot import Rule, classify_states
from ttt_fast.report.results import STATUS_NAMES
from ttt_fast.tables import standard_solution, standard_table
from ttt_fast.tables.state_table import StateTable, count_paths
from ttt_fast.tables.symmetry import standard_symmetry

_PLAYER_NAMES = np.array(["", "x", "o"])


def states_frame(table: StateTable | None = None) -> pl.DataFrame:
    """Return a row for each state: board, status, value, distance, class, paths, best actions, children.

    Examples
    --------
    >>> states_frame().select("state", "board", "value_x", "class").row(1)
    (1, 'X........', 0, 1)
    """
    table = table or standard_table()
    solution, symmetry = standard_solution(), standard_symmetry()
    best = solution.optimal_action_mask
    return pl.DataFrame(
        {
            "state": np.arange(table.num_states),
            "board": [table.board(state) for state in range(table.num_states)],
            "ply": table.ply,
            "player": _PLAYER_NAMES[table.player],
            "status": np.array(STATUS_NAMES)[table.status],
            "value_x": solution.value,
            "distance": solution.distance,
            "class": symmetry.class_index,
            "paths": count_paths(table),
            "heuribot_rule": [Rule(rule).name if rule >= 0 else "" for rule in classify_states(table).rules.tolist()],
            "best_actions": ["".join(str(a) for a in np.flatnonzero(row)) for row in best],
            **{f"child_{action}": table.child[:, action] for action in range(table.num_actions)},
        }
    )


def encode_states(form: str) -> bytes:
    """Return the frame as csv, parquet or JSON lines."""
    stream = io.BytesIO()
    frame = states_frame()
    if form == "csv":
        frame.write_csv(stream)
    elif form == "jsonl":
        frame.write_ndjson(stream)
    else:
        frame.write_parquet(stream)
    return stream.getvalue()


def classes_by_ply(table: StateTable | None = None) -> list[int]:
    """Return the number of symmetry classes at each ply.

    Examples
    --------
    >>> sum(classes_by_ply())
    765
    """
    table = table or standard_table()
    representatives = np.unique(standard_symmetry().representative)
    return [int(count) for count in np.bincount(table.ply[representatives])]
