"""Rows of bytes of any length, copied by kernels in chunks of 16 bytes.

The last chunk of a row may extend beyond it.  Rows are written in ascending order, so that the next row overwrites the
excess, and the memory is 16 bytes longer than its rows.  A loop over single bytes takes several times as long.  Offsets
are not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.instructions import address, instruction

if TYPE_CHECKING:
    from llvmlite import ir

CHUNK = 16
"""Number of bytes in a chunk."""

Bytes = NDArray[np.uint8]


def zeroed_rows(rows: int, width: int) -> Bytes:
    """Return zeroed memory for rows of `width` bytes, (rows * width + 16,) uint8.

    Examples
    --------
    >>> zeroed_rows(2, 3).size
    22
    """
    return np.zeros(rows * width + CHUNK, np.uint8)


def padded_rows(rows: NDArray[np.bool_ | np.integer]) -> Bytes:
    """Return rows of single bytes, (R, W), each padded with zeros to a multiple of 16 bytes, (R, W') uint8.

    Examples
    --------
    >>> padded_rows(np.ones((2, 18), np.bool_)).shape
    (2, 32)
    """
    padded = np.zeros((len(rows), -(-rows.shape[1] // CHUNK) * CHUNK), np.uint8)
    padded[:, : rows.shape[1]] = rows
    return padded


def _copied(builder: ir.IRBuilder, target: ir.Value, offset: ir.Value, source: ir.Value, place: ir.Value) -> ir.Value:
    """Copy 16 bytes without any assumption on alignment."""
    from llvmlite import ir

    chunk = ir.VectorType(ir.IntType(8), CHUNK).as_pointer()
    loaded = builder.load(builder.bitcast(address(builder, source, place), chunk), align=1)
    return builder.store(loaded, builder.bitcast(address(builder, target, offset), chunk), align=1)


@instruction("bytes index bytes index nothing", _copied)
def copy_chunk(target: Bytes, offset: int | np.int64, source: Bytes, place: int | np.int64) -> None:
    """Copy 16 bytes from index `place` of `source` to index `offset` of `target`; both are pointers (`vectors`)."""
    target[offset : offset + CHUNK] = source[place : place + CHUNK]
