"""Bit sets in one machine word, for kernels: the number of bits, the lowest bit, the k-th bit.

Words are int64, as in game states.  Bit 63 is never set in them, so that right shifts need no special case.

The counts are LLVM operations (`ctpop`, `cttz`, `ctlz`), available for every processor: one instruction if the
processor has it, otherwise arithmetic with the same result.  No second implementation is therefore needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel, intrinsic
from ttt_fast.core.plain import frozen

if TYPE_CHECKING:
    from llvmlite import ir
    from numba.core.typing.templates import Signature


def _typed_count(operation: str, *flags: int) -> object:
    """Return an intrinsic that maps a 64-bit integer to an int64 by one LLVM instruction."""
    from llvmlite import ir
    from numba import extending, types

    def declare(context: object, word: types.Type) -> tuple[Signature, Callable[..., ir.Value]] | None:
        if word not in (types.int64, types.uint64):
            return None

        def emit(
            target: object, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
        ) -> ir.Value:
            return getattr(builder, operation)(arguments[0], *(ir.Constant(ir.IntType(1), flag) for flag in flags))

        return types.int64(types.int64), emit

    return extending.intrinsic(declare)


_ODD, _PAIRS, _NIBBLES = (np.uint64(0x0101010101010101 * byte) for byte in (0x55, 0x33, 0x0F))
_BYTES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_NTH_BIT = np.zeros((512, 9), np.uint8)
for _word in range(512):
    _places = [place for place in range(9) if _word >> place & 1]
    _NTH_BIT[_word, : len(_places)] = _places
frozen(_NTH_BIT)
_Count = Callable[[int | np.integer], int]
_population_count: _Count = intrinsic(lambda word: int(word).bit_count(), lambda: _typed_count("ctpop"))
_trailing_zeros: _Count = intrinsic(
    lambda word: (int(word) & -int(word)).bit_length() - 1 if word else 64, lambda: _typed_count("cttz", 1)
)
_leading_zeros: _Count = intrinsic(lambda word: 64 - int(word).bit_length(), lambda: _typed_count("ctlz", 1))


@inlined_kernel(plain=int)
def as_int(number: int | np.integer) -> int:
    """Return an integer of any width and signedness as an int64."""
    return np.int64(number)  # type: ignore[return-value]


@inlined_kernel(plain=True)
def popcount(word: int | np.integer) -> int:
    """Return the number of set bits of an int64 or uint64.

    Examples
    --------
    >>> popcount(0b1011)
    3
    """
    return _population_count(word)


@inlined_kernel(plain=True)
def lowest_bit_index(word: int) -> int:
    """Return the index of the lowest set bit, 64 for an empty word."""
    return _trailing_zeros(word)


@inlined_kernel(plain=True)
def fill_bits(numbers: NDArray[np.uint8], count: int, word: int, first: int) -> int:
    """Append the indices of the set bits, plus `first`, after `count` entries of `numbers`; return the new count."""
    while word:
        numbers[count] = first + lowest_bit_index(word)
        word &= word - 1
        count += 1
    return count


@inlined_kernel
def highest_bit(word: np.uint64) -> np.uint64:
    """Return a word with only the highest set bit of a uint64 that is not 0."""
    return np.uint64(1 << 63) >> np.uint64(_leading_zeros(word))


@inlined_kernel
def bit_index(word: int, k: int) -> int:
    """Return the index of the set bit that has `k` set bits below it; the word must have more than `k` set bits.

    The algorithm has no loop, because processors would mispredict its end: S. Vigna, "Broadword implementation of
    rank/select queries" (WEA 2008), algorithm 2, with a table for the last byte.  (The instruction `pdep` was not
    faster in games, and some machines lack it.)
    """
    rest = np.uint64(word)  # sums: the set bits of each byte, then of all bytes up to it
    sums = rest - ((rest >> np.uint64(1)) & _ODD)
    sums = (sums & _PAIRS) + ((sums >> np.uint64(2)) & _PAIRS)
    sums = ((sums + (sums >> np.uint64(4))) & _NIBBLES) * _BYTES
    rank = np.uint64(k)
    place = np.uint64(_population_count(((rank * _BYTES | _HIGH) - sums) & _HIGH)) << np.uint64(3)
    rank -= ((sums << np.uint64(8)) >> place) & np.uint64(255)
    return as_int(place) + as_int(_NTH_BIT[(rest >> place) & np.uint64(255), rank])


@inlined_kernel(plain=True)
def bit_index_of_9(word: int, k: int) -> int:
    """Return `bit_index` of a word of nine bits, by a table."""
    return as_int(_NTH_BIT[np.uint64(word), np.uint64(k)])
