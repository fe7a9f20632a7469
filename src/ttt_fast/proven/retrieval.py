"""Static functions: a few bits for each key of a fixed set, stored without the keys.

A static function ("retrieval structure") returns the stored value of each key of its set, and arbitrary bits for any
other key.  It takes about 1.05 to 1.1 times the bits of its values.  It is a binary fuse structure with four hashes
(T. M. Graf and D. Lemire, "Binary Fuse Filters", 2022): the value of a key is the exclusive or of four slots.

Letters: N keys, S slots, B bits of a value (at most 8), L slots of a segment, a power of two.

The shape of a structure is (k, segments, seed) with L = 2**k and S = segments * L.  The halves of a key are `lo` and
`hi`, 32 bits each.  All hashes are 32-bit words:

    fmix(h)          h ^= h >> 16; h *= 0x85EBCA6B; h ^= h >> 13; h *= 0xC2B2AE35; h ^= h >> 16
    hash(key, s)     fmix(fmix(lo ^ (s * 0x9E3779B1)) ^ hi)

With h_i = hash(key, seed + i), the four slots are (base + i) * L + offset_i, i = 0 to 3.  The base is
(h_0 * (segments - 3)) >> 32, and the offsets are the low k bits of h_1, h_1 >> 16, h_2 and h_2 >> 16.

In a file the slots are bit planes, (B, ceil(S / 8)) uint8: bit j of slot s is bit s & 7 of byte s >> 3 of plane j.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.kernels import inlined_kernel

MAX_LOG_LENGTH: Final = 16
"""Largest k: an offset is one half of a 32-bit word."""
MAX_SEGMENTS: Final = 1 << 20
"""Largest number of segments: a 32-bit hash times it is exact in double precision."""
_MASK: Final = np.uint64(0xFFFFFFFF)
_FIRST, _SECOND, _STEP = np.uint64(0x85EBCA6B), np.uint64(0xC2B2AE35), np.uint64(0x9E3779B1)
_13, _16, _32 = np.uint64(13), np.uint64(16), np.uint64(32)


class SlotShape(NamedTuple):
    """The shape of a static function: k = log2 of the segment length, the number of segments (0: none), the seed."""

    log_length: int
    segments: int
    seed: int

    @property
    def num_slots(self) -> int:
        """The number of slots."""
        return self.segments << self.log_length


@inlined_kernel
def _finalised(word: np.uint64) -> np.uint64:
    """Return the finaliser of MurmurHash3 for a 32-bit word."""
    word ^= word >> _16
    word = word * _FIRST & _MASK
    word ^= word >> _13
    word = word * _SECOND & _MASK
    return word ^ (word >> _16)


@inlined_kernel
def hash_key(key: np.uint64, seed: int) -> np.uint64:
    """Return a 32-bit hash of a key, as a uint64."""
    first = _finalised((key & _MASK) ^ (np.uint64(seed) * _STEP & _MASK))
    return _finalised(first ^ (key >> _32))


@inlined_kernel
def slots_of(key: np.uint64, log_length: int, segments: int, seed: int) -> tuple[int, int, int, int]:
    """Return the four slots of a key, in ascending order."""
    base = as_int((hash_key(key, seed) * np.uint64(segments - 3)) >> _32) << log_length
    second, third = as_int(hash_key(key, seed + 1)), as_int(hash_key(key, seed + 2))
    length = 1 << log_length
    low = length - 1
    return (
        base + (second & low),
        base + length + (second >> 16 & low),
        base + 2 * length + (third & low),
        base + 3 * length + (third >> 16 & low),
    )


@inlined_kernel
def look_up(slots: NDArray[np.uint8], key: np.uint64, log_length: int, segments: int, seed: int) -> int:
    """Return the value of a key from the slots of a static function of at least four segments."""
    a, b, c, d = slots_of(key, log_length, segments, seed)
    return as_int(slots[a] ^ slots[b] ^ slots[c] ^ slots[d])


def slots_from(planes: NDArray[np.uint8], shape: SlotShape) -> NDArray[np.uint8]:
    """Return the slots of bit planes, (S,) uint8."""
    slots = np.zeros(shape.num_slots, np.uint8)
    for bit, plane in enumerate(planes):
        slots |= np.unpackbits(plane, bitorder="little")[: slots.size] << np.uint8(bit)
    return slots
