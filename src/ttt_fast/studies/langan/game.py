"""The game in the representation of Langan's program: its numbering of actions, and the tables of its learners.

Letters: S states, T tables (learners), E edges, which are the legal actions of all states in the program's order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, PolicyError, StateTable, table_of

CELL_OF_ACTION = (6, 7, 8, 3, 4, 5, 0, 1, 2)
"""The cell in this package's numbering for each action of the program: row by row from the bottom left."""
STATUS_SHIFT, COUNT_SHIFT, FIRST_SHIFT = 16, 20, 24
STATE_MASK = (1 << STATUS_SHIFT) - 1
ROOT_ROW = 9 << COUNT_SHIFT
"""The empty board, packed as in `ProgramRows.link`."""

Replies = tuple[NDArray[np.int8], NDArray[np.int64]]


class ProgramRows(NamedTuple):
    """The game with the actions of every state in the program's order.

    Attributes
    ----------
    start : (S + 1,) int32
        The actions of state s are the edges start[s] to start[s + 1].
    action : (E,) int64
        The action of each edge in this package's numbering.
    link : (E,) int64
        The successor of each edge, packed with its data: the state (bits 0 to 15), its status (16 to 19), its number of
        actions (20 to 23) and its first edge (from 24 on).
    """

    start: NDArray[np.int32]
    action: NDArray[np.int64]
    link: NDArray[np.int64]


class LearnerTables(NamedTuple):
    """The learned tables of T learners.

    Attributes
    ----------
    q : (T, E) float64
        Values of the edges.
    best : (T, S) float64, greedy : (T, S) int8
        The highest value of each row, and its first place in the row.
    seen : (T, S) bool
        The rows that the program's map would contain: states in which the learner has chosen an action, or that it has
        looked up as successors.
    """

    q: NDArray[np.float64]
    best: NDArray[np.float64]
    greedy: NDArray[np.int8]
    seen: NDArray[np.bool_]


def program_rows() -> ProgramRows:
    """Return the game in the program's order of actions: row by row from the *bottom* left.

    Examples
    --------
    >>> rows = program_rows()
    >>> rows.action[: rows.start[1]].tolist()
    [6, 7, 8, 3, 4, 5, 0, 1, 2]
    """
    table = table_of("tic-tac-toe")
    cells = np.array(CELL_OF_ACTION)
    state, place = np.nonzero(table.legal_action_mask[:, cells])
    action = cells[place]
    return ProgramRows(table.edge_start, action, _packed(table)[table.child[state, action]])


def _packed(table: StateTable) -> NDArray[np.int64]:
    """Return the packed data of each state, as in `ProgramRows.link`, (S,) int64."""
    start = table.edge_start.astype(np.int64)
    states = np.arange(table.num_states, dtype=np.int64)
    status = table.status.astype(np.int64)
    return states | status << STATUS_SHIFT | np.diff(start) << COUNT_SHIFT | start[:-1] << FIRST_SHIFT


def new_tables(rows: ProgramRows, learners: int) -> LearnerTables:
    """Return the empty tables of some learners."""
    rows_of, kinds = (learners, rows.start.size - 1), (np.float64, np.int8, np.bool_)
    return LearnerTables(np.zeros((learners, rows.action.size)), *(np.zeros(rows_of, kind) for kind in kinds))


def greedy_actions(rows: ProgramRows, tables: LearnerTables, learner: int) -> NDArray[np.int64]:
    """Return a learner's greedy action in each state, (S,) int64 in this package's numbering; 0 in terminal states.

    An unseen state counts as a row of zeros: the greedy action is the first free cell from the bottom left.
    """
    edge = np.minimum(rows.start[:-1] + tables.greedy[learner], rows.action.size - 1)
    return np.where(np.diff(rows.start) > 0, rows.action[edge], 0)


def uniform_replies(opponent: Policy, rows: ProgramRows) -> Replies:
    """Return the successors of a player that draws uniformly from some of its actions.

    Returns
    -------
    count : (S,) int8
        Number of actions that it draws from, 0 in terminal states.
    link : (S, A) int64
        Their successors in the first columns, in the program's order; packed as in `ProgramRows.link`.

    Raises
    ------
    PolicyError
        If its actions in some state are not equally likely.
    """
    state = np.repeat(np.arange(rows.start.size - 1), np.diff(rows.start))
    probabilities = opponent.probabilities
    chances = probabilities[state, rows.action]
    if np.any((chances > 0) & (chances != probabilities.max(axis=1)[state])):
        raise PolicyError(f"policy {opponent.name!r}: expected equally likely actions in each state")
    taken = np.flatnonzero(chances > 0)
    count = np.bincount(state[taken], minlength=rows.start.size - 1).astype(np.int8)
    place = np.arange(taken.size) - np.repeat(np.cumsum(count) - count, count)
    link = np.zeros(probabilities.shape, np.int64)
    link[state[taken], place] = rows.link[taken]
    return count, link


def full_table(rows: ProgramRows, tables: LearnerTables, learner: int) -> NDArray[np.float64]:
    """Return a learner's values in this package's numbering of actions, (S, A) float64."""
    q = np.zeros(table_of("tic-tac-toe").child.shape)
    q[np.repeat(np.arange(rows.start.size - 1), np.diff(rows.start)), rows.action] = tables.q[learner]
    return q
