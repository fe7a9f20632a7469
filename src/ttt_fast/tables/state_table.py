"""Enumeration of every reachable state into integer-indexed arrays."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast._checks import shown, whole_number
from ttt_fast._jit import kernel
from ttt_fast.errors import BoardError, UsageError
from ttt_fast.games import tic_tac_toe as rules

ROOT = 0
"""Index of the empty board."""

NO_STATE = -1
"""Entry of `child` for an illegal action, and of `index_of_code` for a board that is never reached."""

_CAPACITY = 3**rules.NUM_CELLS
_POWERS_OF_3 = 3 ** np.arange(rules.NUM_CELLS)


class StateTable(NamedTuple):
    """All reachable states of a game (S of them) and the moves between them (A actions), in read-only arrays.

    States are in breadth-first order: index 0 is the empty board and every child has a larger index than its
    parent, so that forward propagation and backward induction are single loops.

    Attributes
    ----------
    boards : (S, A) uint8
        Marks of the nine cells: 0 empty, 1 X, 2 O.
    child : (S, A) int16
        State after an action, -1 where the action is illegal.
    legal_action_mask : (S, A) bool
        Legal actions; none in a terminal state.
    status : (S,) int8
        0 ongoing, 1 X has won, 2 O has won, 3 draw.
    player : (S,) int8
        Whose turn it is: 1 X, 2 O, 0 in a terminal state.
    ply : (S,) int8
        Moves played so far.
    index_of_code : (3**A,) int16
        State of the board whose base-3 code is the sum of mark * 3**cell; -1 for boards never reached.
    edge_start : (S + 1,) int32
        The legal actions of state s, once more, are the edges edge_start[s] to edge_start[s + 1] (compressed
        rows: loops over edges have no branch on legality, which the processor cannot predict).
    edge_action : (E,) int8, edge_child : (E,) int16
        Action and child of each edge.
    """

    boards: NDArray[np.uint8]
    child: NDArray[np.int16]
    legal_action_mask: NDArray[np.bool_]
    status: NDArray[np.int8]
    player: NDArray[np.int8]
    ply: NDArray[np.int8]
    index_of_code: NDArray[np.int16]
    edge_start: NDArray[np.int32]
    edge_action: NDArray[np.int8]
    edge_child: NDArray[np.int16]

    @property
    def num_states(self) -> int:
        """Number of states, S."""
        return int(self.status.size)

    @property
    def num_actions(self) -> int:
        """Number of actions, A."""
        return int(self.child.shape[1])

    @property
    def decision_mask(self) -> NDArray[np.bool_]:
        """States in which somebody is to move, (S,) bool."""
        mask: NDArray[np.bool_] = self.player != 0
        return mask

    def state_index(self, board: str | rules.Board) -> int:
        """Return the state index of a board, given as nine characters or nine marks.

        Raises
        ------
        BoardError
            If the board is malformed, or no sequence of legal moves reaches it.

        Examples
        --------
        >>> standard_table().state_index("X........")
        1
        """
        marks = rules.parse_board(board) if isinstance(board, str) else board
        if len(marks) != self.num_actions or not all(mark in (0, 1, 2) for mark in marks):
            raise BoardError(f"expected {self.num_actions} marks 0, 1 or 2, got {board!r}")
        state = int(self.index_of_code[int(np.dot(marks, _POWERS_OF_3))])
        if state == NO_STATE:
            x_count, o_count = marks.count(rules.X), marks.count(rules.O)
            why = f"{x_count} X and {o_count} O" if x_count - o_count not in (0, 1) else "play after a win"
            raise BoardError(f"expected a board that legal play reaches, got {board!r} ({why})")
        return state

    def check_state(self, state: int) -> int:
        """Return a state index as a plain integer, or raise UsageError if there is no such state."""
        try:
            number = whole_number(state, "a state index")
        except UsageError:
            number = -1
        if not 0 <= number < self.num_states:
            raise UsageError(f"expected a state index from 0 to {self.num_states - 1}, got {shown(state)}")
        return number

    def board(self, state: int) -> str:
        """Return the nine characters of a state's board."""
        return rules.format_board(self.boards[state])


@kernel
def _enumerate(
    line_masks: NDArray[np.int64],
    marks: NDArray[np.int64],
    child: NDArray[np.int16],
    status: NDArray[np.int8],
    index_of_pair: NDArray[np.int16],
) -> int:
    """Fill the arrays breadth first from state 0 (the empty board) and return the number of states.

    `marks` is (S, 2): the cells of X and of O as bit masks; `index_of_pair` is indexed by both masks.
    """
    cells = child.shape[1]
    index_of_pair[0] = 0
    count = 1
    state = 0
    while state < count:
        x_marks, o_marks = marks[state, 0], marks[state, 1]
        ply = 0
        for cell in range(cells):
            ply += ((x_marks | o_marks) >> cell) & 1
        for action in range(cells):
            child[state, action] = NO_STATE
            if status[state] != rules.ONGOING or ((x_marks | o_marks) >> action) & 1:
                continue
            x_next, o_next = x_marks, o_marks
            if ply % 2 == 0:
                x_next |= 1 << action
            else:
                o_next |= 1 << action
            pair = x_next | (o_next << cells)
            if index_of_pair[pair] == NO_STATE:
                index_of_pair[pair] = count
                marks[count, 0], marks[count, 1] = x_next, o_next
                if ply % 2 == 0:
                    status[count] = rules.status_after_move(rules.X, x_next, o_next, line_masks)
                else:
                    status[count] = rules.status_after_move(rules.O, o_next, x_next, line_masks)
                count += 1
            child[state, action] = index_of_pair[pair]
        state += 1
    return count


def enumerate_states(line_masks: NDArray[np.int64] = rules.LINE_MASKS) -> StateTable:
    """Enumerate every state that legal play reaches from the empty board.

    Parameters
    ----------
    line_masks
        The winning lines as bit masks, (L,) int64; other lines make another game of placing marks.

    Returns
    -------
    StateTable
        Read-only arrays in breadth-first order; children of a state are numbered by ascending action.

    Examples
    --------
    >>> table = enumerate_states()
    >>> table.num_states, int((table.status != 0).sum())
    (5478, 958)
    """
    cells = rules.NUM_CELLS
    marks = np.zeros((_CAPACITY, 2), np.int64)
    child = np.empty((_CAPACITY, cells), np.int16)
    status = np.zeros(_CAPACITY, np.int8)
    index_of_pair = np.full(1 << (2 * cells), NO_STATE, np.int16)
    lines = np.array(line_masks, np.int64)
    count = _enumerate(lines, marks, child, status, index_of_pair)

    bits = np.arange(cells)
    x_cells = (marks[:count, :1] >> bits) & 1
    o_cells = (marks[:count, 1:] >> bits) & 1
    boards = (x_cells + 2 * o_cells).astype(np.uint8)
    ply = (x_cells + o_cells).sum(axis=1).astype(np.int8)
    status, child = status[:count].copy(), child[:count].copy()
    player = np.where(status == rules.ONGOING, 1 + ply % 2, 0).astype(np.int8)
    index_of_code = np.full(_CAPACITY, NO_STATE, np.int16)
    index_of_code[boards @ _POWERS_OF_3] = np.arange(count)
    legal = child != NO_STATE
    edge_start = np.concatenate([[0], legal.sum(axis=1).cumsum()]).astype(np.int32)
    edge_action = np.nonzero(legal)[1].astype(np.int8)
    table = StateTable(boards, child, legal, status, player, ply, index_of_code, edge_start, edge_action, child[legal])
    for array in table:
        array.flags.writeable = False
    return table


@lru_cache(maxsize=1)
def standard_table() -> StateTable:
    """Return the table of ordinary tic-tac-toe, enumerated once a process."""
    return enumerate_states()


def count_paths(table: StateTable) -> NDArray[np.int64]:
    """Return the number of move sequences that lead to each state, (S,) int64.

    Summed over the states of a ply this is perft; over the terminal states it is the number of games.

    Examples
    --------
    >>> table = standard_table()
    >>> paths = count_paths(table)
    >>> [int(paths[table.ply == ply].sum()) for ply in range(1, 10)]
    [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    >>> int(paths[table.status != 0].sum())
    255168
    """
    paths = np.zeros(table.num_states, np.int64)
    paths[ROOT] = 1
    for ply in range(int(table.ply.max())):
        parents, actions = np.nonzero(table.legal_action_mask & (table.ply == ply)[:, None])
        np.add.at(paths, table.child[parents, actions], paths[parents])
    return paths
