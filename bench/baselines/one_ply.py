"""The game ply by ply in (S, A) arrays, with a fixed policy whose replies are drawn from alias slots."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dynamics import alias_slots
from ttt_fast.core.jit import kernel
from ttt_fast.policies.policy import Policy

_MASK_40 = np.uint64((1 << 40) - 1)
_8, _40 = np.uint64(8), np.uint64(40)


class OnePly(NamedTuple):
    """The game and the opponent.

    Attributes
    ----------
    child, status
        From the state table.
    legal : (S, A) int8, num_legal : (S,) int8
        The legal actions, in the first columns, ascending, and their number.
    num_slots : (S,) int8, first, second : (S, A) int8, threshold : (S, A) uint64
        The opponent's alias slots.
    """

    child: NDArray[np.int16]
    status: NDArray[np.int8]
    legal: NDArray[np.int8]
    num_legal: NDArray[np.int8]
    num_slots: NDArray[np.int8]
    first: NDArray[np.int8]
    second: NDArray[np.int8]
    threshold: NDArray[np.uint64]


def one_ply_game(opponent: Policy) -> OnePly:
    """Return the arrays of the straightforward kernels."""
    table, found = opponent.table, alias_slots(opponent)
    shape, start = table.child.shape, table.edge_start
    legal = np.argsort(~table.legal_action_mask, axis=1, kind="stable").astype(np.int8)
    first, second, threshold = np.zeros(shape, np.int8), np.zeros(shape, np.int8), np.zeros(shape, np.uint64)
    for state, number in enumerate(found.number.tolist()):
        slots = found.slots[start[state] : start[state] + number]
        threshold[state, :number] = slots >> np.uint64(32)
        first[state, :number] = legal[state, (slots & np.uint64(0xFFFF)).astype(int)]
        second[state, :number] = legal[state, (slots >> np.uint64(16) & np.uint64(0xFFFF)).astype(int)]
    num_legal = table.legal_action_mask.sum(axis=1).astype(np.int8)
    slots_of = found.number.astype(np.int8), first, second, threshold
    return OnePly(table.child.astype(np.int16), table.status, legal, num_legal, *slots_of)


@kernel
def reply(game: OnePly, state: int, x: np.uint64) -> int:
    """Return the opponent's action for the 40-bit fraction `x`."""
    x *= np.uint64(game.num_slots[state])
    slot = x >> _40
    if ((x & _MASK_40) >> _8) < game.threshold[state, slot]:
        return int(game.first[state, slot])
    return int(game.second[state, slot])
