"""Bit sets in one machine word, inside kernels: how many bits, which is the lowest, where is the k-th.

Words are int64 here, as game states are: bit 63 is never set in them, so that shifts to the right need no care.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ttt_fast._jit import inlined_kernel


def _typed_count(operation: str) -> Any:
    """Return an intrinsic that maps a 64-bit integer to an int64 by one LLVM instruction."""

    def declare(context: Any, word: Any) -> Any:
        if word not in (types.int64, types.uint64):
            return None

        def emit(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if operation == "ctpop":
                return builder.ctpop(arguments[0])
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), emit

    return intrinsic(declare)


_population_count = _typed_count("ctpop")
_trailing_zeros = _typed_count("cttz")


@inlined_kernel
def as_int(number: int | np.integer[Any]) -> int:
    """Return an integer of any width and sign as an int64."""
    return np.int64(number)  # type: ignore[return-value]


@inlined_kernel
def popcount(word: int) -> int:
    """Return the number of set bits of an int64.

    Examples
    --------
    >>> popcount(0b1011)
    3
    """
    return _population_count(word)  # type: ignore[no-any-return]


@inlined_kernel
def lowest_bit_index(word: int) -> int:
    """Return the index of the lowest set bit, 64 if there is none.

    Examples
    --------
    >>> lowest_bit_index(0b1000)
    3
    """
    return _trailing_zeros(word)  # type: ignore[no-any-return]


@inlined_kernel
def bit_index(word: int, k: int) -> int:
    """Return the index of the set bit that has `k` set bits below it; the word must have more than `k`.

    Examples
    --------
    >>> bit_index(0b101100, 0), bit_index(0b101100, 2)
    (2, 5)
    """
    for _ in range(k):
        word &= word - 1
    return _trailing_zeros(word)  # type: ignore[no-any-return]
