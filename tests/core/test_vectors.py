"""Vectors in kernels against numpy and exact fractions; rows of bytes, copied by 16 at a time.

The rows as Python are the case of small batches in `test_kernels`.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ttt_fast.core import jit
from ttt_fast.core.vectors import (
    CHUNK,
    LANES,
    add,
    copy_chunk,
    fill,
    fma,
    load,
    load_number,
    magnitude,
    mul,
    padded_rows,
    pointer,
    reciprocal,
    root,
    shifted,
    store,
    store_number,
    sub,
    total,
    where_less,
    zeroed_rows,
)
from ttt_fast.kernels import kernel

jit.load()
OPERATIONS = ("add", "reciprocal", "mul", "root of magnitude", "fma", "where less", "fill", "sub")


@kernel
def fill_operations(one, two, three, answers):
    a, b, c, y = load(pointer(one), 0), load(pointer(two), 0), load(pointer(three), 0), pointer(answers)
    store(y, 0, add(a, b))
    store(y, 16, reciprocal(magnitude(a)))
    store(y, 32, mul(a, b))
    store(y, 48, root(magnitude(a)))
    store(y, 64, fma(a, b, c))
    store(y, 80, where_less(a, b, c, a))
    store(y, 96, fill(load_number(shifted(pointer(one), 2), 3)))
    store(y, 112, sub(a, b))
    store_number(y, 128, total(a))


def operations(one, two, three):
    answers = np.zeros(129, np.float32)
    fill_operations(one, two, three, answers)
    return dict(zip(OPERATIONS, answers[:128].reshape(8, LANES), strict=True)), answers[128]


def numbers(seed, shape, spread=1.0):
    return np.random.default_rng(seed).normal(scale=spread, size=shape).astype(np.float32)


def test_operations_are_those_of_numpy():
    one, two, three = numbers(1, (3, LANES))
    found, _ = operations(one, two, three)
    assert np.array_equal(found["add"], one + two) and np.array_equal(found["sub"], one - two)
    assert np.array_equal(found["mul"], one * two)
    assert np.array_equal(found["root of magnitude"], np.sqrt(np.abs(one)))
    assert np.array_equal(found["where less"], np.where(one < two, three, one))
    assert np.array_equal(found["fill"], np.full(LANES, one[5]))


@pytest.mark.parametrize("exponent", [-100, -40, -1, 0, 7, 100])
def test_reciprocals_are_near(exponent):
    numbers = np.linspace(1, 2, 10_000, dtype=np.float32).reshape(-1, LANES) * np.float32(2.0**exponent)
    found = np.array([operations(one, one, one)[0]["reciprocal"] for one in numbers])
    assert np.abs(1 - found.astype(float) * numbers).max() < 1e-7


def test_a_total_is_added_by_halves():
    one = numbers(2, LANES, 1e3)
    halves = one
    while halves.size > 1:
        halves = halves[: halves.size // 2] + halves[halves.size // 2 :]
    assert operations(one, one, one)[1] == halves[0]


def test_nan_is_not_less():
    nan = np.full(LANES, np.nan, np.float32)
    assert np.isnan(operations(nan, np.ones_like(nan), np.ones_like(nan))[0]["where less"]).all()


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3), st.integers(-3, 3))
def test_fma_rounds_once(three, ulps):
    """The sum nearly cancels the product, which is where two roundings differ from one."""
    x, y, z = (np.float32(one) for one in three)
    for addend in (z, np.float32(-x * y) + np.float32(ulps) * np.spacing(x * y)):
        found = operations(*(np.full(LANES, one) for one in (x, y, addend)))[0]["fma"][0]
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(addend))
        near = [np.nextafter(found, np.float32(way)) for way in (-np.inf, np.inf)]
        assert all(abs(Fraction(float(found)) - exact) <= abs(Fraction(float(other)) - exact) for other in near)


@kernel
def copy_rows(told, width, rows, wide, order):
    target, source = pointer(told), pointer(rows)
    for place in range(order.size):
        for chunk in range(0, wide, CHUNK):
            copy_chunk(target, place * width + chunk, source, order[place] * wide + chunk)


@pytest.mark.parametrize("width", [1, 9, 16, 18, 33])
def test_rows_are_those_that_were_asked_for(width):
    rows = np.random.default_rng(1).integers(0, 256, (50, width), np.uint8)
    padded, order = padded_rows(rows), np.random.default_rng(2).integers(0, 50, 30)
    assert padded.shape[1] % CHUNK == 0 and padded.shape[1] < width + CHUNK
    told = zeroed_rows(30, width)
    copy_rows(told, width, padded.ravel(), padded.shape[1], order)
    assert np.array_equal(told[:-CHUNK].reshape(30, width), rows[order])
