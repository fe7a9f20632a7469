"""The states of a game: counts by ply, and the table of all states for export to other programs."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ttt_fast import StateTable, Status, solution_of, symmetry_of
from ttt_fast.games import api
from ttt_fast.policies.heuribot import Rule

if TYPE_CHECKING:
    import polars as pl

_PLAYER_NAMES = np.array(["", "x", "o"])


def states_frame(table: StateTable) -> "pl.DataFrame":
    """Return a row for each state: board, status, value, distance, class, paths, best actions, children.

    Examples
    --------
    >>> from ttt_fast import table_of
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
        columns["heuribot_rule"] = np.array([*Rule.__members__, ""])[rules]  # -1 in terminal states
    columns["best_actions"] = ["".join(str(a) for a in np.flatnonzero(row)) for row in table.dense(solution.optimal)]
    return pl.DataFrame(columns | {f"child_{action}": table.child[:, action] for action in range(table.num_actions)})


def state_rows(table: StateTable) -> list[dict[str, Any]]:
    """Return the rows of `ttt-fast states`: counts by ply and outcome, perft, classes; the last row has the totals."""
    paths = table.path_counts()
    classes = np.bincount(table.ply[np.unique(symmetry_of(table).representative)]).tolist()
    rows: list[dict[str, Any]] = []
    counted = {
        "states": table.ply >= 0,
        "x_to_move": table.player == api.X,
        "o_to_move": table.player == api.O,
        "x_wins": table.status == api.X_WINS,
        "draws": table.status == api.DRAW,
        "o_wins": table.status == api.O_WINS,
    }
    for ply in range(table.num_plies + 1):
        here = table.ply == ply
        row = {"ply": ply, **{name: int((here & chosen).sum()) for name, chosen in counted.items()}}
        row |= {"classes": classes[ply], "perft": int(paths[here].sum())}
        rows.append({**row, "games": int(paths[here & ~table.decision_mask].sum())})
    total = {key: sum(row[key] for row in rows) for key in rows[0]}
    return [*rows, total | {"ply": None, "perft": None}]
