"""Langan's files (`.dat`): Q tables with a row for each board that the agent has visited.

The format is little-endian.  It begins with the number of rows (uint64).  Each row consists of the length of the board
string (uint64, always 9), nine ASCII digits (0 empty, 1 X, 2 O; row by row from the top left, as in this package) and
nine float64 values.  Actions are numbered from the *bottom* left: action `a` of the file marks cell
`(2 - a // 3) * 3 + a % 3` of this package.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import NO_STATE, POWERS_OF_3, boards_of, index_of_code

CELL_OF_ACTION = (6, 7, 8, 3, 4, 5, 0, 1, 2)
"""The cell of this package for each action of a file; the map is its own inverse."""

_COUNT = np.dtype("<u8")
_ROW = np.dtype([("length", "<u8"), ("board", "u1", 9), ("q", "<f8", 9)])
MAX_BYTES = _COUNT.itemsize + 3**9 * _ROW.itemsize


def parse(content: bytes, name: str, table: StateTable) -> Policy:
    """Return the greedy policy of a table by Langan, as played by its program.

    Ties go to the lowest action in the numbering of the file.  A board without a row counts as a row of zeros: the
    policy plays the first free cell from the bottom left.  The domain of the policy is the non-terminal boards of the
    table, including those of the opponent.

    Raises
    ------
    FileFormatError
        If the file is damaged, truncated or of another kind.  Also if a row has an unreachable board, the board of an
        earlier row, or a value that is not finite.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> row = np.array([(9, list(b"000000000"), np.eye(1, 9)[0])], _ROW)
    >>> policy = parse(np.array(1, _COUNT).tobytes() + row.tobytes(), "its first action", table_of("tic-tac-toe"))
    >>> int(policy.greedy_actions()[0]), int(policy.held.sum())
    (6, 1)
    """
    if not recognises(content):
        raise FileFormatError(
            f"expected the number of rows, then rows of {_ROW.itemsize} bytes, got {len(content)} bytes;"
            " the file is truncated, damaged or of another kind"
        )
    records = np.frombuffer(content, _ROW, offset=_COUNT.itemsize)
    digits = records["board"] - ord("0")

    def refuse(rows: NDArray[np.int64], wanted: str, found: str = "") -> None:
        for row in rows[:1].tolist():
            board = records["board"][row].tobytes().decode("latin-1")
            raise FileFormatError(f"row {row}: expected {wanted}, got {board!r}{found}")

    refuse(np.flatnonzero((records["length"] != 9) | (digits > 2).any(axis=1)), "a board of 9 digits 0, 1 or 2")
    states = index_of_code(table)[digits @ POWERS_OF_3]
    refuse(np.flatnonzero(states == NO_STATE), "a board that legal play reaches")
    first_rows = np.unique(states, return_index=True)[1]
    refuse(np.setdiff1d(np.arange(states.size), first_rows), "each board once", " again")
    refuse(np.flatnonzero(~np.isfinite(records["q"]).all(axis=1)), "finite values", " with nan or infinity")
    q_table, held = np.zeros(table.child.shape), np.zeros(table.num_states, np.bool_)
    q_table[states] = records["q"][:, CELL_OF_ACTION]
    held[states] = True
    return Policy.from_values(table, q_table, name, held=held, tie=CELL_OF_ACTION)


def format_table(table: StateTable, q_table: NDArray[np.float64], held: NDArray[np.bool_]) -> bytes:
    """Return the file of a Q table in the format of Langan's program, with the boards in the order of the state table.

    Parameters
    ----------
    table
        The game.
    q_table : (S, 9) float64
        Values by the action numbers of this package; those of illegal actions are written as 0.
    held : (S,) bool
        The boards to be written; terminal boards are omitted.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> held = np.arange(table.num_states) == 0
    >>> content = format_table(table, np.eye(1, 9) + np.zeros(table.child.shape), held)
    >>> len(content), int(parse(content, "one board", table).greedy_actions()[0])
    (97, 0)
    """
    states = np.flatnonzero(held & table.decision_mask)
    records = np.zeros(states.size, _ROW)
    records["length"] = 9
    records["board"] = boards_of(table)[states] + ord("0")
    records["q"] = np.where(table.legal_action_mask, q_table, 0.0)[states][:, CELL_OF_ACTION]
    return np.array(states.size, _COUNT).tobytes() + records.tobytes()


def format_policy(policy: Policy) -> bytes:
    """Return the file of a policy: on each of its boards the chosen action has the value 1, all others 0.

    Raises
    ------
    UsageError
        If the policy is stochastic on some board, which a table of values cannot represent.
    """
    played = policy.probabilities
    drawn = np.flatnonzero(policy.held & policy.table.decision_mask & (played.max(axis=1) < 1.0))
    if drawn.size:
        raise UsageError(f"expected a policy with one move in each state for a .dat file, got {policy.name!r}")
    return format_table(policy.table, (played > 0).astype(np.float64), policy.held)


def recognises(content: bytes) -> bool:
    """Return whether a file has the size given by its first eight bytes."""
    count = int.from_bytes(content[: _COUNT.itemsize], "little")
    return len(content) == _COUNT.itemsize + count * _ROW.itemsize
