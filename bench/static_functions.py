"""Static functions (`ttt_fast.proven.retrieval`): their construction, and the values of many keys."""

from collections.abc import Iterator
from math import ceil, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.proven.retrieval import MAX_LOG_LENGTH, MAX_SEGMENTS, SlotShape, look_up, slots_from, slots_of

MAX_BITS: Final = 8
"""Largest number of bits of a value."""
HASHES: Final = 4
"""Hashes that a structure may use: the seeds of successive trials differ by this number."""
_LEAST_LOAD = 1.03
"""Slots a key below which no structure of four hashes exists (the limit is 1.0240)."""


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
