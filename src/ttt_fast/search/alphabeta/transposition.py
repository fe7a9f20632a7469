"""The transposition table: the results of positions that were searched before.

An entry contains the result of a position searched to a depth: a value, its kind (exact or a bound), and the best
action.  Values include the moves *below* the position, without the rewards on the path to it, so that they are valid on
any path.  A value is used only in a search to the same depth, so that the table does not change a result.  The newest
entry replaces the old one.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import mix64
from ttt_fast.games import api

NOTHING, EXACT, LOWER, UPPER = range(4)
"""Kinds of an entry: none, the value, at least, at most."""
_KEY, _CHECK, _ENTRY = range(3)
_VALUE_OFFSET: Final = 1 << 38
_NO_ACTION: Final = 255


@kernel
def probe(state: api.State, table: NDArray[np.uint64]) -> tuple[int, int, int, int]:
    """Return the entry of a state: kind, value, depth, best action (-1 if none)."""
    key, check = api.state_key(state), api.state_check(state)
    row = np.int64(mix64(key ^ check) & np.uint64(table.shape[0] - 1))
    entry = np.int64(table[row, _ENTRY])
    if entry == 0 or table[row, _KEY] != key or table[row, _CHECK] != check:
        return NOTHING, 0, 0, api.NO_ACTION
    action = entry & 255
    if action == _NO_ACTION:
        action -= _NO_ACTION + 1  # -1
    return entry >> 8 & 3, (entry >> 18) - _VALUE_OFFSET, entry >> 10 & 255, action  # type: ignore[return-value]


@kernel
def store(state: api.State, table: NDArray[np.uint64], kind: int, value: int, depth: int, action: int) -> None:
    """Store a state; absolute values are below 2**38, depths and actions below 255 (-1: no action)."""
    key, check = api.state_key(state), api.state_check(state)
    row = np.int64(mix64(key ^ check) & np.uint64(table.shape[0] - 1))
    entry = (value + _VALUE_OFFSET) << 18 | depth << 10 | kind << 8 | (action & 255)
    table[row, _KEY] = key
    table[row, _CHECK] = check
    table[row, _ENTRY] = np.uint64(entry)
