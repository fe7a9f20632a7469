"""The game ply by ply, with a fixed policy whose replies are drawn from alias slots; compare `two_ply`."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.learn.two_ply import alias_row
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import tie_order

_MASK_40 = np.uint64((1 << 40) - 1)
_8, _40 = np.uint64(8), np.uint64(40)


class OnePly(NamedTuple):
    """The game and the opponent as kernels read them that take one ply after the other.

    Attributes
    ----------
    child, status
        From the state table.
    legal : (S, A) int8, num_legal : (S,) int8
        The legal actions, in the first columns and in the order of ties, and their number.
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


def try_order(tie: str, num_actions: int) -> NDArray[np.int64]:
    """Return the order in which learners try actions, (A,) int64: descending for ties `last`, else ascending."""
    return np.array(tie_order("last" if tie == "last" else "first", num_actions))


def one_ply_game(opponent: Policy, tie: str = "first") -> OnePly:
    """Return the arrays of the kernels; `tie` is `first`, `last` or `random`."""
    table = opponent.table
    order = try_order(tie, table.num_actions)
    legal = order[np.argsort(~table.legal_action_mask[:, order], axis=1, kind="stable")].astype(np.int8)
    num_legal = table.legal_action_mask.sum(axis=1).astype(np.int8)
    slots = _slots(opponent.probabilities.tobytes(), table.child.shape)
    return OnePly(table.child.astype(np.int16), table.status, legal, num_legal, *slots)


@lru_cache(maxsize=16)
def _slots(
    probabilities: bytes, shape: tuple[int, int]
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8], NDArray[np.uint64]]:
    """Return the alias slots of a policy, remembered by content: the runs of a sweep meet the same opponents."""
    num_slots = np.zeros(shape[0], np.int8)
    first, second, threshold = np.zeros(shape, np.int8), np.zeros(shape, np.int8), np.zeros(shape, np.uint64)
    rows = np.frombuffer(probabilities).reshape(shape)
    for state in np.flatnonzero(rows.any(axis=1)):
        for i, slot in enumerate(alias_row(rows[state].tolist())):
            num_slots[state] = i + 1
            threshold[state, i], first[state, i], second[state, i] = slot
    return num_slots, first, second, threshold


@kernel
def reply(game: OnePly, state: int, x: np.uint64) -> int:
    """Return the opponent's action for the 40-bit fraction `x`."""
    x *= np.uint64(game.num_slots[state])
    slot = x >> _40
    if ((x & _MASK_40) >> _8) < game.threshold[state, slot]:
        return int(game.first[state, slot])
    return int(game.second[state, slot])
