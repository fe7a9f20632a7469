"""Exploration drawn as gaps between exploring plies: one random word for each exploring ply, not for each ply.

If every ply explores with probability epsilon, independently, then the gaps between exploring plies are
geometric: P(gap = i) = epsilon * (1 - epsilon)**i.  A greedy ply then costs a decrement.

A word `w` of the stream (SplitMix64) has three parts.  The high 6 bits are a slot of an alias table.  The 32 bits from
bit 26 on are a fraction to compare with the slot's threshold.  The low 26 bits are the fraction that chooses the action
at the end of the gap.  Outcomes 0 to 62 are the gap; outcome 63 means 63 greedy plies and another draw.  Every
probability is off by less than 2**-31.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.alias import pair_outcomes
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import next_word

NUM_SLOTS = 64
ACTION_BITS = 26
_LAST = NUM_SLOTS - 1
_MASK_26, _MASK_32 = np.uint64((1 << ACTION_BITS) - 1), np.uint64((1 << 32) - 1)
_0, _6, _12, _26, _58, _63 = (np.uint64(n) for n in (0, 6, 12, 26, 58, 63))


@kernel
def fill_gap_slots(epsilons: NDArray[np.float64], slots: NDArray[np.uint64]) -> None:
    """Fill `slots` (C, 64) with the gaps for each epsilon: threshold << 12 | other outcome << 6 | own outcome."""
    mass, waiting = np.empty(NUM_SLOTS), np.empty((2, NUM_SLOTS), np.int64)
    threshold, second = np.empty(NUM_SLOTS, np.int64), np.empty(NUM_SLOTS, np.int64)
    for row in range(epsilons.size):
        stays = 1.0 - epsilons[row]
        for i in range(NUM_SLOTS):
            share = epsilons[row] if i < _LAST else 1.0
            mass[i] = NUM_SLOTS * share * stays ** float(i)  # the C library's pow, not repeated products
            threshold[i], second[i] = 0, i
        pair_outcomes(mass, 0, threshold, second, waiting)
        for i in range(NUM_SLOTS):
            slots[row, i] = np.uint64(threshold[i] << 12 | second[i] << 6 | i)


@kernel
def draw_gap(stream: np.uint64, slots: NDArray[np.uint64], limit: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the greedy plies before the next exploring one, the 26-bit fraction of its action, and the stream.

    Drawing stops when the gap is longer than `limit`, the largest number of plies left to play.
    """
    gap = _0
    while True:
        stream, word = next_word(stream)
        slot = slots[word >> _58]
        outcome = (slot >> (_0 if ((word >> _26) & _MASK_32) < slot >> _12 else _6)) & _63
        gap += outcome
        if outcome < _63 or gap > limit:
            return gap, word & _MASK_26, stream
