"""The marks that a network sees of Ultimate: 99 inputs, as in Bichot's program.

The 81 marks of the cells are followed by two numbers for each small board: one for its winner (own side 1, other side
-1), and one for whether the player may move there.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.games import api
from ttt_fast.games.ultimate.rules import UltimateState
from ttt_fast.values.inputs import fill_marks


@api.implements(fill_marks, UltimateState)
def fill_ultimate_marks(state: UltimateState, planes: NDArray[np.float32], out: NDArray[np.int8]) -> int:
    """Write the 99 inputs (see above); return their number."""
    for cell in range(81):
        out[cell] = np.int8(planes[cell]) - np.int8(planes[81 + cell])
    for board in range(9):
        first = 27 * (board // 3) + 3 * (board % 3)
        out[81 + board] = np.int8(planes[162 + first]) - np.int8(planes[243 + first])
        is_open = np.float32(0)
        for cell in range(9):
            is_open = max(is_open, planes[324 + first + 9 * (cell // 3) + cell % 3])
        out[90 + board] = np.int8(is_open)
    return 99
