"""Langan's files (`.dat`): Q tables with a row for each board that the agent has seen.

Little-endian: the number of rows (uint64); then for each row the length of the board string (uint64, always
9), nine ASCII digits (0 empty, 1 X, 2 O; row by row from the top left, as ours) and nine float64 values.
Actions are numbered from the *bottom* left: action `a` of the file marks our cell `(2 - a // 3) * 3 + a % 3`.
"""

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import read_bytes, write_atomically
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import greedy_policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.boards import POWERS_OF_3, boards_of, index_of_code
from ttt_fast.tables.state_table import NO_STATE

CELL_OF_ACTION = (6, 7, 8, 3, 4, 5, 0, 1, 2)
"""Our cell of each action of a file; the map is its own inverse."""

_COUNT = np.dtype("<u8")
_ROW = np.dtype([("length", "<u8"), ("board", "u1", 9), ("q", "<f8", 9)])
_MAX_BYTES = _COUNT.itemsize + 3**9 * _ROW.itemsize


class LanganTable(NamedTuple):
    """The R rows of a file, as they are there.

    Attributes
    ----------
    boards
        R strings of nine digits, in the order of the file.
    q : (R, 9) float64
        Values by the *file's* numbers of actions.
    """

    boards: list[str]
    q: NDArray[np.float64]


def read_langan(path: str | os.PathLike[str], table: StateTable) -> LanganTable:
    """Return the rows of a `.dat` file by Langan.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, truncated or foreign, or a row has a board that legal play does not
        reach, a board of an earlier row, or a value that is not finite.
    """
    content = read_bytes(path, _MAX_BYTES)
    try:
        return _parse(content, table)
    except FileFormatError as error:
        raise FileFormatError(f"{str(path)!r}: {error}") from error


def write_langan(path: str | os.PathLike[str], rows: LanganTable) -> None:
    """Write rows to a `.dat` file as Langan's, atomically; the rows from `read_langan` give the same bytes.

    Raises
    ------
    UsageError
        If the rows are not R boards of nine digits with (R, 9) values.
    FileWriteError
        If the file cannot be written; the old file is then untouched.
    """
    count = len(rows.boards)
    digits = "".join(rows.boards)
    if any(len(board) != 9 for board in rows.boards) or set(digits) - set("012") or rows.q.shape != (count, 9):
        raise UsageError(f"expected boards of 9 digits 0, 1 or 2 and values of shape {(count, 9)}")
    records = np.zeros(count, _ROW)
    records["length"] = 9
    records["board"] = np.frombuffer(digits.encode("ascii"), np.uint8).reshape(count, 9)
    records["q"] = rows.q
    content = np.array(count, _COUNT).tobytes() + records.tobytes()
    write_atomically(path, lambda stream: stream.write(content))


def to_policy(rows: LanganTable, name: str, table: StateTable) -> Policy:
    """Return the greedy policy of a table by Langan, as its program plays.

    Ties go to the lowest action of *its* numbering.  A board that it has not seen counts as a row of
    zeros: it plays the first free cell from the bottom left.  The policy holds the boards of the
    table in which somebody is to move, those of the opponent included.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> policy = to_policy(LanganTable(["000000000"], np.eye(1, 9)), "its first action", table_of("tic-tac-toe"))
    >>> int(policy.greedy_actions()[0]), int(policy.held.sum())
    (6, 1)
    """
    states = _states_of(rows.boards, table)
    q_table = np.zeros(table.child.shape)
    q_table[states] = rows.q[:, CELL_OF_ACTION]
    held = np.zeros(table.num_states, np.bool_)
    held[states] = True
    return greedy_policy(table, q_table, name, held=held, tie=CELL_OF_ACTION)


def from_q_table(q_table: NDArray[np.float64], held: NDArray[np.bool_], table: StateTable) -> LanganTable:
    """Return the rows of the `held` states, (S,) bool, of an (S, 9) Q table; illegal actions get 0.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> held = np.arange(5478) == 0
    >>> from_q_table(np.tile(np.arange(9.0), (5478, 1)), held, table_of("tic-tac-toe"))
    LanganTable(boards=['000000000'], q=array([[6., 7., 8., 3., 4., 5., 0., 1., 2.]]))
    """
    legal_values = np.where(table.legal_action_mask, q_table, 0.0)[held]
    boards = ["".join(map(str, board)) for board in boards_of(table)[held].tolist()]
    return LanganTable(boards, legal_values[:, CELL_OF_ACTION])


def load_langan(path: str | os.PathLike[str], table: StateTable) -> Policy:
    """Return the policy of a `.dat` file by Langan; see `read_langan` and `to_policy`."""
    return to_policy(read_langan(path, table), str(path), table)


def looks_like_langan(content: bytes) -> bool:
    """Return whether a file has the size that its first eight bytes announce."""
    count = int.from_bytes(content[: _COUNT.itemsize], "little")
    return len(content) == _COUNT.itemsize + count * _ROW.itemsize


def _parse(content: bytes, table: StateTable) -> LanganTable:
    if not looks_like_langan(content):
        raise FileFormatError(
            f"expected the number of rows, then rows of {_ROW.itemsize} bytes, got {len(content)} bytes;"
            " the file is truncated, damaged or foreign"
        )
    records = np.frombuffer(content, _ROW, offset=_COUNT.itemsize)
    bad = np.flatnonzero((records["length"] != 9) | ((records["board"] - ord("0")) > 2).any(axis=1))
    if bad.size:
        board = bytes(records["board"][bad[0]])
        raise FileFormatError(f"row {bad[0]}: expected a board of 9 digits 0, 1 or 2, got {board!r}")
    text = records["board"].tobytes().decode("ascii")
    boards = [text[start : start + 9] for start in range(0, len(text), 9)]
    _states_of(boards, table)
    bad = np.flatnonzero(~np.isfinite(records["q"]).all(axis=1))
    if bad.size:
        raise FileFormatError(f"row {bad[0]} ({boards[bad[0]]!r}): expected finite values, got nan or infinity")
    return LanganTable(boards, records["q"].copy())


def _states_of(boards: list[str], table: StateTable) -> NDArray[np.int64]:
    """Return the state of each row, (R,) int64."""
    digits = np.frombuffer("".join(boards).encode("ascii"), np.uint8).reshape(-1, 9) - ord("0")
    states: NDArray[np.int64] = index_of_code(table)[digits @ POWERS_OF_3].astype(np.int64)
    bad = np.flatnonzero(states == NO_STATE)
    if bad.size:
        raise FileFormatError(f"row {bad[0]}: expected a board that legal play reaches, got {boards[bad[0]]!r}")
    first_rows = np.unique(states, return_index=True)[1]
    if first_rows.size != states.size:
        again = np.setdiff1d(np.arange(states.size), first_rows)[0]
        raise FileFormatError(f"row {again}: expected each board once, got {boards[again]!r} again")
    return states
