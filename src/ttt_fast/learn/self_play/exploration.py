"""The exploring plies, drawn as gaps: one random word for an exploring ply instead of one for each ply.

If every ply explores with probability epsilon, independently, then the gaps between exploring plies are
geometric: P(gap = i) = epsilon * (1 - epsilon)**i.  A greedy ply then costs a decrement.

A word `w` of the stream (SplitMix64) has three parts.  The high 6 bits are a slot of an alias table; 32 bits, from
bit 26, are a fraction to compare with the slot's threshold; the low 26 bits are the fraction that chooses the action at
the end of the gap.  Outcomes 0 to 62 are the gap; outcome 63 means "63 greedy plies, then ask again".
Every probability is off by less than 2**-31.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64

NUM_SLOTS = 64
ACTION_BITS = 26
_LAST = NUM_SLOTS - 1
_GAMMA = np.uint64(GOLDEN_GAMMA)
_MASK_26, _MASK_32 = np.uint64((1 << ACTION_BITS) - 1), np.uint64((1 << 32) - 1)
_0, _6, _12, _26, _58, _63 = (np.uint64(n) for n in (0, 6, 12, 26, 58, 63))


@kernel
def fill_gap_slots(epsilons: NDArray[np.float64], slots: NDArray[np.uint64]) -> None:
    """Fill `slots` (C, 64) with the alias table of the gaps for each epsilon; see `gap_slots`.

    Vose's method.  The last poor outcome is paired with the last rich one; a rich one that has become poor goes to
    the end of the poor.
    """
    mass = np.empty(NUM_SLOTS)
    poor, rich = np.empty(NUM_SLOTS, np.int64), np.empty(NUM_SLOTS, np.int64)
    for row in range(epsilons.size):
        stays = 1.0 - epsilons[row]
        num_poor = num_rich = 0
        for i in range(NUM_SLOTS):
            share = epsilons[row] if i < _LAST else 1.0
            mass[i] = NUM_SLOTS * share * stays ** float(i)  # the C library's pow, not repeated products
            slots[row, i] = np.uint64(i << 6 | i)
            if mass[i] < 1.0:
                poor[num_poor] = i
                num_poor += 1
            else:
                rich[num_rich] = i
                num_rich += 1
        while num_poor > 0 and num_rich > 0:
            num_poor -= 1
            taker, giver = poor[num_poor], rich[num_rich - 1]
            threshold = np.uint64(round(mass[taker] * 4294967296.0))
            if threshold < np.uint64(1 << 32):  # else as good as full
                slots[row, taker] = threshold << _12 | np.uint64(giver << 6 | taker)
                mass[giver] -= 1.0 - mass[taker]
                if mass[giver] < 1.0:
                    num_rich -= 1
                    poor[num_poor] = giver
                    num_poor += 1


@lru_cache(maxsize=64)
def gap_slots(epsilon: float) -> NDArray[np.uint64]:
    """Return the alias table of the gaps, (64,) uint64: threshold << 12 | other outcome << 6 | own outcome.

    Examples
    --------
    >>> [int(word) for word in gap_slots(1.0)[:2]], [int(word) for word in gap_slots(0.0)[-1:]]
    ([0, 1], [4095])
    """
    table = np.empty((1, NUM_SLOTS), np.uint64)
    fill_gap_slots(np.array([epsilon]), table)
    slots: NDArray[np.uint64] = table[0]
    slots.flags.writeable = False
    return slots


@kernel
def draw_gap(stream: np.uint64, slots: NDArray[np.uint64], limit: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the greedy plies before the next exploring one, the 26-bit fraction of its action, and the stream.

    It stops when the gap is longer than `limit`, the largest number of plies left to play.
    """
    gap = _0
    while True:
        stream += _GAMMA
        word = mix64(stream)
        slot = slots[word >> _58]
        outcome = (slot >> (_0 if ((word >> _26) & _MASK_32) < slot >> _12 else _6)) & _63
        gap += outcome
        if outcome < _63 or gap > limit:
            return gap, word & _MASK_26, stream
