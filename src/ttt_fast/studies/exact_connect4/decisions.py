"""Decisions of an agent in a seat, solved exactly: where it gives value away, and how late it loses."""

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
COLUMNS: Final = ("before", "after", "is_open", "plies_to_loss")
"""Of a decision: see `decision`."""
UNKNOWN: Final = -1


def decision(state: State, action: int, solver: Solver) -> list[int]:
    """Return the facts about a move, as COLUMNS name them.

    `before` and `after` are the values of the position and of the move for the player to move: 1, 0 or -1.  In an open
    decision some moves keep the value, and others do not.  `plies_to_loss`: of a move that loses in an open decision,
    the plies until its end under best play; otherwise UNKNOWN.
    """
    solved = solver.action_scores((int(state.own), int(state.occupied)))
    scores = {one.action: int(one.score or 0) for one in solved.actions}
    values = {one: (score > 0) - (score < 0) for one, score in scores.items()}
    before, after = max(values.values()), values[action]
    is_open = min(values.values()) < before
    is_lost = is_open and after < 0
    plies = solver.plies_to_end(-scores[action], int(api.ply(state)) + 1) if is_lost else UNKNOWN
    return [before, after, int(is_open), plies]


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
