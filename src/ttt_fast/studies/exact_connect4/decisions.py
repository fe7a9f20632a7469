"""Decisions of an agent in a seat, solved exactly: where it gives value away, and what these positions look like."""

import json
from typing import Any, Final

import numpy as np

from ttt_fast import Seat, Solver, induced_table
from ttt_fast.games import api
from ttt_fast.studies.engine.tables import Row
from ttt_fast.studies.exact_connect4.cases import made

State = Any
"""A position of Connect 4, with the fields `own` and `occupied`."""
QUICK_CELLS: Final = 26
"""Empty cells up to which every move of a position is scored."""
COLUMNS: Final = (
    "ply", "before", "after", "is_open", "keeping", "quiet", "outer", "above", "played", "kept", "plies_to_loss",
)  # fmt: skip
"""Of a decision: see `decision`."""
UNKNOWN: Final = -1
CENTRAL: Final = 2
"""Distance from the centre, in half columns, of the outermost central column: three of seven, and two of six."""


def scores_of(state: State, solver: Solver) -> dict[int, int]:
    """Return the exact score of each legal action; a win scores more the earlier it is."""
    solved = solver.action_scores((int(state.own), int(state.occupied)))
    return {one.action: int(one.score or 0) for one in solved.actions}


def can_win(state: State) -> bool:
    """Return whether the player to move completes four in a row with one stone."""
    return any(
        api.status(api.play(state, action)) not in (api.ONGOING, api.DRAW) for action in api.legal_actions(state)
    )


def decision(state: State, action: int, solver: Solver) -> list[int]:
    """Return the facts about a move, as COLUMNS name them.

    `before` and `after` are the values of the position and of the move for the player to move: 1, 0 or -1.  In an open
    decision some moves keep the value, `keeping` in number, and others do not.  `quiet`: neither player could complete
    four with one stone.  `outer`: no move that keeps the value is in a central column.  `above`: a
    best reply is on top of the stone.  `played` and `kept` are the distances from the centre, in half columns, of the
    move and of the nearest move that keeps the value.  `plies_to_loss`: of a move that loses, the plies until its end
    under best play.
    """
    scores = scores_of(state, solver)
    values = {one: (score > 0) - (score < 0) for one, score in scores.items()}
    best, width = max(values.values()), solver.size.width
    keeping = [one for one, value in values.items() if value == best]
    is_open = len(keeping) < len(values)
    off = {one: abs(2 * one - (width - 1)) for one in values}
    ply = int(api.ply(state))
    row = dict.fromkeys(COLUMNS, UNKNOWN)
    row |= {"ply": ply, "before": best, "after": values[action], "is_open": int(is_open), "keeping": len(keeping)}
    if is_open:
        child = api.play(state, action)
        passed = state._replace(own=state.own ^ state.occupied)
        kept = min(off[one] for one in keeping)
        row |= {"quiet": int(not can_win(state) and not can_win(passed)), "outer": int(kept > CENTRAL)}
        row |= {"played": off[action], "kept": kept, "above": int(_is_best_above(child, action, solver))}
        if values[action] < 0:
            row["plies_to_loss"] = solver.plies_to_end(-scores[action], ply + 1)
    return [row[name] for name in COLUMNS]


def _is_best_above(state: State, action: int, solver: Solver) -> bool:
    """Return whether a best move of an ongoing position is in a column; False if the game is over."""
    if api.status(state) != api.ONGOING:
        return False
    scores = scores_of(state, solver)
    return scores.get(action) == max(scores.values())


def decisions(agent: str, training: Row, board: str, seat: str, limit: float, sampled: int, seed: int) -> Row:
    """Return samples of an agent's decisions, and the mistakes by ply as JSON: a piece of work.

    The agent has one move in each position, and a table within its limit.

    Parameters
    ----------
    agent, training, board, seat, limit
        The table, as in `strength.measured`.
    sampled, seed
        Positions of each ply, and the seed that draws them.
    """
    with made(agent, training, board) as text:
        induced = induced_table(text, seat, board, max_positions=limit)
        by_ply = induced.mistakes(sampled, seed=seed)
    solver, random = Solver(induced.game), np.random.default_rng(seed)
    table, found = induced.table, []
    for ply in range(table.num_plies):
        first, end = table.ply_start[ply : ply + 2].tolist()
        own = first + np.flatnonzero(table.player[first:end] == Seat.parse(seat))
        if not own.size or solver.size.cells - ply > QUICK_CELLS:
            continue
        for place in own[np.sort(random.permutation(own.size)[:sampled])].tolist():
            found.append(decision(table.state(place), int(table.edge_action[table.edge_start[place]]), solver))
    rows = [one.row() for one in by_ply]
    return {"rows": json.dumps(rows), "decisions": np.array(found, np.int64).reshape(-1, len(COLUMNS))}
