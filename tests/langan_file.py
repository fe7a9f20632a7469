"""Files as Langan's program writes them."""

import struct
from collections.abc import Iterable, Sequence

import numpy as np

from ttt_fast.policies.files.langan import CELL_OF_ACTION
from ttt_fast.tables.state_table import boards_of


def encoded(rows: Iterable[tuple[str, Sequence[float]]], count: int | None = None) -> bytes:
    """The bytes of rows: a board, and nine values by the program's numbers of actions."""
    rows = list(rows)
    content = struct.pack("<Q", len(rows) if count is None else count)
    for board, values in rows:
        content += struct.pack("<Q", len(board)) + board.encode("latin-1") + struct.pack("<9d", *values)
    return content


def encoded_table(q_table, held, table) -> bytes:
    """The bytes of the held states of an (S, 9) Q table, with 0 for illegal actions."""
    values = np.where(table.legal_action_mask, q_table, 0.0)[held][:, CELL_OF_ACTION]
    boards = ["".join(map(str, board)) for board in boards_of(table)[held].tolist()]
    return encoded(zip(boards, values, strict=True))


def decoded(content: bytes) -> list[tuple[str, tuple[float, ...]]]:
    """The rows of a file."""
    rows = struct.iter_unpack("<Q9s9d", content[8:])
    return [(board.decode("ascii"), values) for _, board, *values in rows]
