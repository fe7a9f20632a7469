"""Vectors of 16 float32 numbers, and of 16 bytes, for kernels: the same bits on every processor, without fast-math.

In kernels each function is one LLVM instruction on `<16 x float>`: one register of AVX-512, two of AVX2, four of SSE or
NEON.  In Python a vector is an array (16,) float32, and a pointer is a flat array.  A kernel should obtain the pointers
of its arrays at its beginning: numba counts references to an array at each use, but never to a pointer.

Every operation, including `fma`, rounds once, as defined by IEEE 754.  A processor without `fma` calls a slow function.
Offsets are not checked.

Rows of bytes of any length are copied in chunks of 16 bytes; a loop over single bytes takes several times as long.  The
last chunk of a row may extend beyond it.  Rows are written in ascending order, so that the next row overwrites the
excess, and the memory is 16 bytes longer than its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.instructions import (
    INVERSE_BITS,
    LANES as LANES,
    address,
    as_int32,
    called,
    halved,
    instruction,
    inverse,
    read,
    spread,
    write,
)

if TYPE_CHECKING:
    from llvmlite import ir

CHUNK = 16
"""Number of bytes in a chunk of a row."""
Bytes = NDArray[np.uint8]
Vector = NDArray[np.float32]
Pointer = NDArray[np.float32]
Array = TypeVar("Array", bound=NDArray[np.generic])


@instruction("array its", lambda builder, data: data)
def pointer(array: Array) -> Array:
    """Return the pointer of a flat, contiguous array, which must outlive it; a pointer is returned unchanged.

    Numbers are read and written by index, as in an array.
    """
    return array


@instruction("pointer index pointer", address)
def shifted(start: Pointer, offset: int) -> Pointer:
    """Return a pointer advanced by `offset` numbers."""
    return start[offset:]


@instruction("pointer integers", as_int32)
def integers(start: Pointer) -> NDArray[np.int32]:
    """Return a pointer to the same memory as int32 numbers."""
    return start.view(np.int32)


@instruction("pointer index number", lambda builder, start, offset: builder.load(address(builder, start, offset)))
def load_number(start: Pointer, offset: int) -> np.float32:
    """Return the number at an offset."""
    return start[offset]  # type: ignore[no-any-return]


@instruction(
    "pointer index number nothing",
    lambda builder, start, offset, number: builder.store(number, address(builder, start, offset)),
)
def store_number(start: Pointer, offset: int, number: np.float32) -> None:
    """Write a number at an offset."""
    start[offset] = number


@instruction("pointer index vector", lambda builder, start, offset: read(builder, address(builder, start, offset)))
def load(start: Pointer, offset: int) -> Vector:
    """Return the vector of the 16 numbers that begin at an offset."""
    return start[offset : offset + LANES].copy()


@instruction(
    "pointer index vector nothing",
    lambda builder, start, offset, vector: write(builder, vector, address(builder, start, offset)),
)
def store(start: Pointer, offset: int, vector: Vector) -> None:
    """Store a vector at an offset."""
    start[offset : offset + LANES] = vector


@instruction("number vector", spread)
def fill(number: float | np.float32) -> Vector:
    """Return a vector of 16 equal numbers.

    Examples
    --------
    >>> float(total(fill(0.5)))
    8.0
    """
    return np.full(LANES, number, np.float32)


@instruction("vector vector vector", lambda builder, one, two: builder.fadd(one, two))
def add(one: Vector, two: Vector) -> Vector:
    """Return the sums, lane by lane."""
    return one + two


@instruction("vector vector vector", lambda builder, one, two: builder.fsub(one, two))
def sub(one: Vector, two: Vector) -> Vector:
    """Return the differences, lane by lane."""
    return one - two


@instruction("vector vector vector", lambda builder, one, two: builder.fmul(one, two))
def mul(one: Vector, two: Vector) -> Vector:
    """Return the products, lane by lane."""
    return one * two


@instruction("vector vector", inverse)
def reciprocal(one: Vector) -> Vector:
    """Return the reciprocals of positive numbers, lane by lane, with a relative error below 1e-7.

    This is faster than a division, for which a processor has a single unit.  The method is an estimate from the
    bit pattern of the number, then a Newton-type step of third order and one of second order.
    """
    found = (INVERSE_BITS - one.view(np.int32)).view(np.float32)
    error = fma(-one, found, fill(1.0))
    found = fma(found, fma(error, error, error), found)
    return fma(found, fma(-one, found, fill(1.0)), found)


@instruction("vector vector", lambda builder, one: called(builder, "sqrt", one))
def root(one: Vector) -> Vector:
    """Return the square roots, lane by lane."""
    return np.sqrt(one)


@instruction("vector vector", lambda builder, one: called(builder, "fabs", one))
def magnitude(one: Vector) -> Vector:
    """Return the absolute values, lane by lane."""
    return np.abs(one)


@instruction("vector vector vector vector", lambda builder, *three: called(builder, "fma", *three))
def fma(one: Vector, two: Vector, three: Vector) -> Vector:
    """Return `one * two + three`, lane by lane, rounded once.

    Notes
    -----
    In Python, the product is exact in float64 and the sum is rounded to odd.  Rounding that to float32 is then a single
    rounding (S. Boldo and G. Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).

    Examples
    --------
    >>> small = np.float32(2.0**-12)
    >>> bool((fma(fill(1 + small), fill(1 + small), fill(-1 - 2 * small)) == small * small).all())
    True
    """
    product, addend = one.astype(np.float64) * two, three.astype(np.float64)
    rounded = product + addend
    bent = rounded - product
    error = (product - (rounded - bent)) + (addend - bent)
    words = rounded.view(np.int64)
    away = np.where((error > 0) == (rounded > 0), 1, -1)
    is_even = (error != 0) & (words & 1 == 0) & np.isfinite(rounded)
    return np.where(is_even, words + away, words).view(np.float64).astype(np.float32)


@instruction(
    "vector vector vector vector vector",
    lambda builder, one, two, yes, no: builder.select(builder.fcmp_ordered("<", one, two), yes, no),
)
def where_less(one: Vector, two: Vector, yes: Vector, no: Vector) -> Vector:
    """Return `yes` in the lanes where `one` is less than `two`, otherwise `no`, also if either is NaN."""
    return np.where(one < two, yes, no)


@instruction("vector number", halved)
def total(one: Vector) -> np.float32:
    """Return the sum of the lanes by a fixed tree: lanes 0-7 plus lanes 8-15, and so on by halves."""
    while one.size > 1:
        one = one[: one.size // 2] + one[one.size // 2 :]
    return one[0]  # type: ignore[no-any-return]


def zeroed_rows(rows: int, width: int) -> Bytes:
    """Return zeroed memory for rows of `width` bytes, (rows * width + 16,) uint8.

    Examples
    --------
    >>> zeroed_rows(2, 3).size
    22
    """
    return np.zeros(rows * width + CHUNK, np.uint8)


def padded_rows(rows: NDArray[np.bool_ | np.integer]) -> Bytes:
    """Return rows of single bytes, (R, W), each padded with zeros to a multiple of 16 bytes, (R, W') uint8.

    Examples
    --------
    >>> padded_rows(np.ones((2, 18), np.bool_)).shape
    (2, 32)
    """
    padded = np.zeros((len(rows), -(-rows.shape[1] // CHUNK) * CHUNK), np.uint8)
    padded[:, : rows.shape[1]] = rows
    return padded


def _copied(builder: ir.IRBuilder, target: ir.Value, offset: ir.Value, source: ir.Value, place: ir.Value) -> ir.Value:
    """Copy 16 bytes without any assumption on alignment."""
    from llvmlite import ir

    chunk = ir.VectorType(ir.IntType(8), CHUNK).as_pointer()
    loaded = builder.load(builder.bitcast(address(builder, source, place), chunk), align=1)
    return builder.store(loaded, builder.bitcast(address(builder, target, offset), chunk), align=1)


@instruction("bytes index bytes index nothing", _copied)
def copy_chunk(target: Bytes, offset: int | np.int64, source: Bytes, place: int | np.int64) -> None:
    """Copy 16 bytes from index `place` of `source` to index `offset` of `target`; both are pointers."""
    target[offset : offset + CHUNK] = source[place : place + CHUNK]
