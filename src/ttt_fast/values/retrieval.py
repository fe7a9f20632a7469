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

from collections.abc import Iterator
from math import ceil, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import inlined_kernel, kernel

MAX_BITS: Final = 8
"""Largest number of bits of a value."""
MAX_LOG_LENGTH: Final = 16
"""Largest k: an offset is one half of a 32-bit word."""
MAX_SEGMENTS: Final = 1 << 20
"""Largest number of segments: a 32-bit hash times it is exact in double precision."""
HASHES: Final = 4
"""Hashes that a structure may use: the seeds of successive trials differ by this number."""
_MASK: Final = np.uint64(0xFFFFFFFF)
_FIRST, _SECOND, _STEP = np.uint64(0x85EBCA6B), np.uint64(0xC2B2AE35), np.uint64(0x9E3779B1)
_13, _16, _32 = np.uint64(13), np.uint64(16), np.uint64(32)
_LEAST_LOAD = 1.03
"""Slots a key below which no structure of four hashes exists (the limit is 1.0240)."""


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


@kernel
def _peel(
    keys: NDArray[np.uint64], log_length: int, segments: int, seed: int,
    order: NDArray[np.int32], places: NDArray[np.int32],
) -> int:  # fmt: skip
    """Order the keys so that each has a slot that no later key has; return the number of keys ordered.

    Parameters
    ----------
    keys : (N,) uint64
        Distinct keys.
    log_length, segments, seed
        The shape.
    order : (N,) int32
        Output: indices of keys, in the order of their removal.
    places : (N,) int32
        Output: the slot of each of them.
    """
    size = segments << log_length
    counts, mixed, single = np.zeros(size, np.uint8), np.zeros(size, np.int32), np.empty(size, np.int32)
    for index in range(keys.size):
        a, b, c, d = slots_of(keys[index], log_length, segments, seed)
        for slot in (a, b, c, d):
            if counts[slot] == 255:
                return 0
            counts[slot] += 1
            mixed[slot] ^= index
    found, done = 0, 0
    for slot in range(size):
        if counts[slot] == 1:
            single[found] = slot
            found += 1
    while found:
        found -= 1
        place = single[found]
        if counts[place] != 1:
            continue
        index = mixed[place]
        order[done], places[done] = index, place
        done += 1
        a, b, c, d = slots_of(keys[index], log_length, segments, seed)
        for slot in (a, b, c, d):
            counts[slot] -= 1
            mixed[slot] ^= index
            if counts[slot] == 1:
                single[found] = slot
                found += 1
    return done


@kernel
def _fill(
    keys: NDArray[np.uint64], values: NDArray[np.uint8], log_length: int, segments: int, seed: int,
    order: NDArray[np.int32], places: NDArray[np.int32], slots: NDArray[np.uint8],
) -> None:  # fmt: skip
    """Write the slots, from the key that was removed last to the first; `slots`, (S,) uint8, is zero before."""
    for place in range(order.size - 1, -1, -1):
        index = order[place]
        a, b, c, d = slots_of(keys[index], log_length, segments, seed)
        slots[places[place]] = values[index] ^ slots[a] ^ slots[b] ^ slots[c] ^ slots[d]


@kernel
def _look_up_all(
    slots: NDArray[np.uint8], keys: NDArray[np.uint64], log_length: int, segments: int, seed: int,
    values: NDArray[np.uint8],
) -> None:  # fmt: skip
    for index in range(keys.size):
        values[index] = look_up(slots, keys[index], log_length, segments, seed)


def values_of(planes: NDArray[np.uint8], shape: SlotShape, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the values of keys, (N,) uint8; arbitrary for keys that are not stored, 0 without any slot.

    Examples
    --------
    >>> keys = np.array([3, 5, 2**60], np.uint64)
    >>> values_of(*build(keys, np.array([1, 0, 3], np.uint8), 2), keys)
    array([1, 0, 3], dtype=uint8)
    """
    values = np.zeros(keys.size, np.uint8)
    if shape.segments:
        _look_up_all(slots_from(planes, shape), np.ascontiguousarray(keys), *shape, values)
    return values


def slots_from(planes: NDArray[np.uint8], shape: SlotShape) -> NDArray[np.uint8]:
    """Return the slots of bit planes, (S,) uint8."""
    slots = np.zeros(shape.num_slots, np.uint8)
    for bit, plane in enumerate(planes):
        slots |= np.unpackbits(plane, bitorder="little")[: slots.size] << np.uint8(bit)
    return slots


def build(
    keys: NDArray[np.uint64], values: NDArray[np.integer], bits: int, *, small: bool = False
) -> tuple[NDArray[np.uint8], SlotShape]:
    """Build the static function of a set of keys.

    Parameters
    ----------
    keys : (N,) uint64
        Distinct keys.
    values : (N,) integer
        Their values, from 0 to 2**bits - 1.
    bits
        Number of bits of a value, from 1 to 8.
    small
        Search for the smallest size, which takes some ten times as long and saves some percent.

    Returns
    -------
    planes : (bits, ceil(S / 8)) uint8
        The bit planes of the slots; none without keys.
    shape
        The shape; no segments without keys.

    Raises
    ------
    UsageError
        If a key is repeated, or a value has more bits.

    Examples
    --------
    >>> planes, shape = build(np.arange(1000, dtype=np.uint64), np.arange(1000) % 5, 3)
    >>> bool((values_of(planes, shape, np.arange(1000, dtype=np.uint64)) == np.arange(1000) % 5).all())
    True
    """
    keys, stored = np.ascontiguousarray(keys, np.uint64), np.ascontiguousarray(values, np.uint8)
    if not 1 <= bits <= MAX_BITS:
        raise UsageError(f"expected from 1 to {MAX_BITS} bits, got {bits!r}")
    if keys.shape != stored.shape or keys.ndim != 1:
        raise UsageError(f"expected a value for each key, got shapes {keys.shape!r} and {stored.shape!r}")
    if not np.array_equal(stored, values) or (stored >> np.uint8(bits - 1) > 1).any():
        raise UsageError(f"expected values of {bits} bits, got others")
    ascending = np.sort(keys)
    if (ascending[1:] == ascending[:-1]).any():
        raise UsageError("expected distinct keys, got a key twice")
    if not keys.size:
        return np.zeros((bits, 0), np.uint8), SlotShape(0, 0, 0)
    order, places = np.empty(keys.size, np.int32), np.empty(keys.size, np.int32)
    for shape in _shapes(keys.size, small):
        if _peel(keys, *shape, order, places) == keys.size:
            slots = np.zeros(shape.num_slots, np.uint8)
            _fill(keys, stored, *shape, order, places, slots)
            planes = [np.packbits(slots >> np.uint8(bit) & np.uint8(1), bitorder="little") for bit in range(bits)]
            return np.stack(planes), shape
    raise UsageError(f"expected a set of keys of which a structure can be built, got {keys.size:,} keys")


def _shapes(count: int, small: bool) -> Iterator[SlotShape]:
    """Yield the shapes to try for a number of keys, by ascending number of slots."""
    usual = min(MAX_LOG_LENGTH, max(2, int(log(count, 2.91) - 0.5))) if count > 1 else 2
    load = _LEAST_LOAD if small else max(1.075, 0.77 + 0.305 * log(600_000) / log(max(2, count)))
    seed, most = 0, max(64, 8 * count)
    lengths = [k for k in (usual - 2, usual - 1, usual) if k >= 2] if small else [usual]
    while load * count <= most:
        sizes = sorted((max(HASHES, ceil(load * count / (1 << k))), k) for k in lengths)
        for segments, k in sorted(sizes, key=lambda one: one[0] << one[1]):
            if segments <= MAX_SEGMENTS:
                yield SlotShape(k, segments, seed)
                seed += HASHES
        load *= 1.004 if small else 1.02
        if count < 2000:
            load += 1 / count
