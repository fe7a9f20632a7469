"""Matrix products for kernels, computed in tiles of registers.

A matrix is stored in panels of 16 columns.  Panels follow one another, and each stores its rows in order, 16 numbers
per row.  A stride is the distance between two panels, 16 times the number of rows of a panel.  A tile computes a few
rows of the result at once, so that a loaded vector is used for several rows.  The result stays in registers.

Every sum adds its terms in order, with one rounding per term.  The height and width of a tile therefore never change a
result, and a processor with fewer registers computes a tile in parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ttt_fast.core.instructions import (
    LANES,
    address,
    called,
    constant,
    instruction,
    local_vector,
    num_registers,
    read,
    shuffled,
    spread,
    whole,
    write,
)
from ttt_fast.core.vectors import Pointer, fill, fma, load, mul, store, total, where_less

if TYPE_CHECKING:
    from llvmlite import ir


def _emit_sums(
    builder: ir.IRBuilder,
    rows: int,
    panels: int,
    first: Callable[[int], ir.Value],
    numbers: Callable[[ir.Value], Callable[[int], ir.Value]],
    vectors: Callable[[ir.Value, int], ir.Value],
    count: ir.Value,
) -> dict[tuple[int, int], ir.Value]:
    """Return, by (row, panel), `first(panel)` plus the sum over k of a number of the row times a vector of the panel.

    `numbers(k)(row)` and `vectors(k, panel)` return pointers.
    """
    from numba.core import cgutils

    sums = {pair: local_vector(builder) for pair in _pairs(rows, panels)}
    for (_, panel), at in sums.items():
        builder.store(first(panel), at)
    for some in _parts(rows, panels, 4, 1):
        with cgutils.for_range(builder, count) as loop:
            loaded = {panel: read(builder, vectors(loop.index, panel)) for panel in sorted({pair[1] for pair in some})}
            places = numbers(loop.index)
            spreads = {row: spread(builder, builder.load(places(row))) for row in sorted({pair[0] for pair in some})}
            for row, panel in some:
                at = sums[row, panel]
                builder.store(called(builder, "fma", spreads[row], loaded[panel], builder.load(at)), at)
    return {pair: builder.load(at) for pair, at in sums.items()}


def _parts(rows: int, columns: int, some_rows: int, some_columns: int) -> list[list[tuple[int, int]]]:
    """Return the pairs of rows and columns as one part, or as smaller parts if there are few registers."""
    if num_registers() > rows * columns:
        return [list(_pairs(rows, columns))]
    parts: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, column in _pairs(rows, columns):
        parts.setdefault((row // some_rows, column // some_columns), []).append((row, column))
    return list(parts.values())


def _pairs(rows: int, panels: int) -> Iterator[tuple[int, int]]:
    return ((row, panel) for row in range(rows) for panel in range(panels))


def _place(builder: ir.IRBuilder, start: ir.Value, stride: ir.Value, row: int, panel: int) -> ir.Value:
    return address(builder, start, builder.mul(stride, whole(panel)), row * LANES)


def _vectors(
    builder: ir.IRBuilder, w: ir.Value, w_stride: ir.Value, panels: int
) -> Callable[[ir.Value, int], ir.Value]:
    starts = [_place(builder, w, w_stride, 0, panel) for panel in range(panels)]
    return lambda k, panel: address(builder, starts[panel], builder.mul(k, whole(LANES)))


def _emit_neurons(
    builder: ir.IRBuilder, rows: int, panels: int, x: ir.Value, x_stride: ir.Value, *others: ir.Value
) -> None:
    w, w_stride, y, y_stride, count, slope = others
    vectors = _vectors(builder, w, w_stride, panels)

    def numbers(k: ir.Value) -> Callable[[int], ir.Value]:
        panel, lane = builder.ashr(k, whole(4)), builder.and_(k, whole(15))
        start = address(builder, x, builder.mul(panel, x_stride), lane)
        return lambda row: address(builder, start, row * LANES)

    biases = [read(builder, vectors(count, panel)) for panel in range(panels)]
    sums = _emit_sums(builder, rows, panels, biases.__getitem__, numbers, vectors, count)
    below = spread(builder, slope)
    for (row, panel), one in sums.items():
        is_above = builder.fcmp_ordered(">", one, constant(0.0))
        found = builder.select(is_above, one, builder.fmul(one, below))
        write(builder, found, _place(builder, y, y_stride, row, panel))


@instruction("literal literal pointer index pointer index pointer index index number nothing", _emit_neurons)
def neurons(
    rows: int,
    panels: int,
    x: Pointer,
    x_stride: int,
    w: Pointer,
    w_stride: int,
    y: Pointer,
    y_stride: int,
    count: int,
    slope: np.float32,
) -> None:
    """Write rectified sums to y for a few rows and panels: row `count` of w, plus x w over `count` rows of w.

    A sum that is not positive is multiplied by `slope`.
    """
    for row, panel in _pairs(rows, panels):
        sums = load(w, panel * w_stride + count * LANES)
        for k in range(count):
            number = x[k // LANES * x_stride + row * LANES + k % LANES]
            sums = fma(fill(number), load(w, panel * w_stride + k * LANES), sums)
        store(y, panel * y_stride + row * LANES, where_less(fill(0.0), sums, sums, mul(sums, fill(slope))))


def _emit_transposed(builder: ir.IRBuilder, rows: int, panels: int, x: ir.Value, *others: ir.Value) -> None:
    w, w_stride, y, y_stride, count = others

    def numbers(k: ir.Value) -> Callable[[int], ir.Value]:
        start = address(builder, x, builder.mul(k, whole(LANES)))
        return lambda row: address(builder, start, row)

    vectors = _vectors(builder, w, w_stride, panels)
    sums = _emit_sums(builder, rows, panels, lambda panel: constant(0.0), numbers, vectors, count)
    for (row, panel), one in sums.items():
        write(builder, one, _place(builder, y, y_stride, row, panel))


@instruction("literal literal pointer pointer index pointer index index nothing", _emit_transposed)
def multiply_transposed(
    rows: int,
    panels: int,
    x: Pointer,
    w: Pointer,
    w_stride: int,
    y: Pointer,
    y_stride: int,
    count: int,
) -> None:
    """Write x' w to y: `y[r] = sum of x[k, r] * w[k]` over `count` rows k, for a few columns r of one panel of x."""
    for row, panel in _pairs(rows, panels):
        sums = fill(0.0)
        for k in range(count):
            sums = fma(fill(x[k * LANES + row]), load(w, panel * w_stride + k * LANES), sums)
        store(y, panel * y_stride + row * LANES, sums)


def _emit_dots(
    builder: ir.IRBuilder,
    rows: int,
    x: ir.Value,
    x_stride: ir.Value,
    w: ir.Value,
    w_stride: ir.Value,
    *others: ir.Value,
) -> None:
    from numba.core import cgutils

    y, y_row, count = others
    columns = LANES // rows
    sums = {pair: local_vector(builder) for pair in _pairs(rows, columns)}
    for one in sums.values():
        builder.store(constant(0.0), one)
    for some in _parts(rows, columns, 2, 2):
        with cgutils.for_range(builder, count) as loop:
            here, there = (builder.mul(loop.index, stride) for stride in (x_stride, w_stride))
            ours = {row: read(builder, address(builder, x, here, row * LANES)) for row, _ in some}
            theirs = {column: read(builder, address(builder, w, there, column * LANES)) for _, column in some}
            for row, column in some:
                at = sums[row, column]
                builder.store(called(builder, "fma", ours[row], theirs[column], builder.load(at)), at)
    totals = _emit_totals(builder, [builder.load(one) for one in sums.values()])
    for row in range(rows):
        lanes = range(row * columns, (row + 1) * columns)
        write(
            builder,
            shuffled(builder, totals, totals, lanes),
            address(builder, y, builder.mul(y_row, whole(row))),
        )


def _emit_totals(builder: ir.IRBuilder, vectors: list[ir.Value]) -> ir.Value:
    """Return the vector of the totals of 16 vectors, computed together with the tree of `total`."""
    groups: list[tuple[ir.Value, list[int]]] = [(one, [number]) for number, one in enumerate(vectors)]
    while len(groups) > 1:
        size = LANES // len(groups[0][1])  # lanes that remain to be added for each number
        lower = [lane for lane in range(2 * LANES) if lane % size < size // 2]
        upper = [lane + size // 2 for lane in lower]
        pairs = zip(groups[: len(groups) // 2], groups[len(groups) // 2 :], strict=True)
        groups = [
            (builder.fadd(*(shuffled(builder, one, two, lanes) for lanes in (lower, upper))), first + second)
            for (one, first), (two, second) in pairs
        ]
    vector, order = groups[0]
    return shuffled(builder, vector, vector, [order.index(number) for number in range(LANES)])


@instruction("literal pointer index pointer index pointer index index nothing", _emit_dots)
def dots(rows: int, x: Pointer, x_stride: int, w: Pointer, w_stride: int, y: Pointer, y_row: int, count: int) -> None:
    """Write x w' to y: the products of a few rows of x and 16 / rows rows of w over `count` panels.

    A product is `total` of the vector of sums over the panels.  Rows of y are `y_row` numbers apart.
    """
    columns = LANES // rows
    for row, column in _pairs(rows, columns):
        sums = fill(0.0)
        for panel in range(count):
            sums = fma(load(x, panel * x_stride + row * LANES), load(w, panel * w_stride + column * LANES), sums)
        y[row * y_row + column] = total(sums)
