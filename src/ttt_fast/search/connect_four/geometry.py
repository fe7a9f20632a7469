"""The board as bits: column by column from the left, row by row from the bottom, a spare bit above each column.

Cell (column c, row r) is bit `c * (height + 1) + r`.  A position is two words: the stones of the player to move
and all stones.  The spare bits keep columns apart.  A shift by 1, height, height + 1 or height + 2 therefore goes
one step along a vertical, falling, horizontal or rising line and never wraps.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.plain import frozen

# Index of each number of a board in the array for the kernels.
STRIDE, WIDTH, HEIGHT, CELLS, BOARD, BOTTOM, SPARE, LEADER_ROWS, MIDDLE, KEY_MASK, TABLE_SHIFT = range(11)
COLUMNS = 11
CENTRE_ORDER = COLUMNS + 16
LENGTH = CENTRE_ORDER + 16
MAX_COLUMNS = 16


class BoardSize(NamedTuple):
    """A board of `width` columns and `height` rows.

    Examples
    --------
    >>> BoardSize(), BoardSize(width=5, height=4).cells
    (BoardSize(width=7, height=6), 20)
    """

    width: int = 7
    height: int = 6

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return self.width * self.height

    @property
    def stride(self) -> int:
        """Return the number of bits of a column."""
        return self.height + 1


STANDARD = BoardSize()


@lru_cache
def geometry(size: BoardSize) -> NDArray[np.uint64]:
    """Return the numbers and masks of a board for the kernels, (LENGTH,) uint64, read-only.

    Raises
    ------
    UsageError
        If the columns do not fit into 64 bits.

    Examples
    --------
    >>> hex(geometry(BoardSize(7, 6))[BOTTOM])
    '0x40810204081'
    """
    width, height = size
    if width < 1 or height < 1 or width > MAX_COLUMNS or width * (height + 1) > 64:
        raise UsageError(f"expected 1 to {MAX_COLUMNS} columns of height + 1 bits in 64, got {width}x{height}")
    stride = size.stride
    found = np.zeros(LENGTH, np.uint64)
    bottom = sum(1 << (stride * column) for column in range(width))
    found[[STRIDE, WIDTH, HEIGHT, CELLS]] = stride, width, height, size.cells
    found[BOTTOM] = bottom
    found[BOARD] = bottom * ((1 << height) - 1)
    found[LEADER_ROWS] = sum(bottom << row for row in range(height) if (height - row) % 2 == 0)
    found[SPARE] = bottom << height
    found[MIDDLE] = ((1 << stride) - 1) << (stride * (width // 2)) if width % 2 else 0
    found[KEY_MASK] = (1 << (width * stride)) - 1
    for column in range(width):
        found[COLUMNS + column] = ((1 << height) - 1) << (stride * column)
    order = sorted(range(width), key=lambda column: (abs(2 * column + 1 - width), column))
    found[CENTRE_ORDER : CENTRE_ORDER + width] = order
    return frozen(found)
