"""The table of all states of a game, for export to other programs."""

from typing import TYPE_CHECKING

import numpy as np

from ttt_fast import StateTable, Status, solution_of, symmetry_of
from ttt_fast.files import encode_frame
from ttt_fast.policies.heuribot import Rule

if TYPE_CHECKING:
    import polars as pl

_PLAYER_NAMES = np.array(["", "x", "o"])


def states_frame(table: StateTable) -> "pl.DataFrame":
    """Return a row for each state: board, status, value, distance, class, paths, best actions, children.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> states_frame(table_of("tic-tac-toe")).select("state", "board", "value_x", "class").row(1)
    (1, 'X........', 0, 1)
    """
    import polars as pl

    solution = solution_of(table)
    columns = {
        "state": np.arange(table.num_states),
        "board": [table.board(state) for state in range(table.num_states)],
        "ply": table.ply,
        "player": _PLAYER_NAMES[table.player],
        "status": np.array([one.name.lower() for one in Status])[table.status],
        "value_x": solution.value,
        "distance": solution.distance,
        "class": symmetry_of(table).class_index,
        "paths": table.path_counts(),
    }
    if (rules := Rule.states(table)) is not None:
        columns["heuribot_rule"] = [rules.name(state).upper().replace(" ", "_") for state in range(table.num_states)]
    columns["best_actions"] = ["".join(str(a) for a in np.flatnonzero(row)) for row in table.dense(solution.optimal)]
    return pl.DataFrame(columns | {f"child_{action}": table.child[:, action] for action in range(table.num_actions)})


def encode_states(table: StateTable, form: str) -> bytes:
    """Return the frame as csv, parquet or JSON lines."""
    frame = states_frame(table)
    return encode_frame(frame, form)


def classes_by_ply(table: StateTable) -> list[int]:
    """Return the number of symmetry classes at each ply.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> sum(classes_by_ply(table_of("tic-tac-toe")))
    765
    """
    representatives = np.unique(symmetry_of(table).representative)
    return [int(count) for count in np.bincount(table.ply[representatives])]
