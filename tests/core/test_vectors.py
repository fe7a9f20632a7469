"""Vectors in kernels against numpy and exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ttt_fast.core import jit, vectors
from ttt_fast.kernels import kernel

jit.load()
OPERATIONS = ("add", "reciprocal", "mul", "root of magnitude", "fma", "where less", "fill", "sub")


@kernel
def fill_operations(one, two, three, answers):
    start, y = vectors.pointer(one), vectors.pointer(answers)
    a, b, c = vectors.load(start, 0), vectors.load(vectors.pointer(two), 0), vectors.load(vectors.pointer(three), 0)
    vectors.store(y, 0, vectors.add(a, b))
    vectors.store(y, 16, vectors.reciprocal(vectors.magnitude(a)))
    vectors.store(y, 32, vectors.mul(a, b))
    vectors.store(y, 48, vectors.root(vectors.magnitude(a)))
    vectors.store(y, 64, vectors.fma(a, b, c))
    vectors.store(y, 80, vectors.where_less(a, b, c, a))
    vectors.store(y, 96, vectors.fill(vectors.load_number(vectors.shifted(start, 2), 3)))
    vectors.store(y, 112, vectors.sub(a, b))


def operations(one, two, three):
    answers = np.zeros((len(OPERATIONS), vectors.LANES), np.float32)
    fill_operations(one, two, three, answers.ravel())
    return dict(zip(OPERATIONS, answers, strict=True))


def numbers(seed, shape, spread=1.0):
    return np.random.default_rng(seed).normal(scale=spread, size=shape).astype(np.float32)


def test_operations_are_those_of_numpy():
    one, two, three = numbers(1, (3, vectors.LANES))
    found = operations(one, two, three)
    assert np.array_equal(found["add"], one + two) and np.array_equal(found["sub"], one - two)
    assert np.array_equal(found["mul"], one * two)
    assert np.array_equal(found["root of magnitude"], np.sqrt(np.abs(one)))
    assert np.array_equal(found["where less"], np.where(one < two, three, one))
    assert np.array_equal(found["fill"], np.full(vectors.LANES, one[5]))


@pytest.mark.parametrize("exponent", [-100, -40, -1, 0, 7, 100])
def test_reciprocals_are_near(exponent):
    numbers = np.linspace(1, 2, 10_000, dtype=np.float32).reshape(-1, vectors.LANES) * np.float32(2.0**exponent)
    found = np.array([operations(one, one, one)["reciprocal"] for one in numbers])
    assert np.abs(1 - found.astype(float) * numbers).max() < 1e-7


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3), st.integers(-3, 3))
def test_fma_rounds_once(three, ulps):
    """The sum nearly cancels the product, which is where two roundings differ from one."""
    x, y, z = (np.float32(one) for one in three)
    for addend in (z, np.float32(-x * y) + np.float32(ulps) * np.spacing(x * y)):
        found = operations(*(np.full(vectors.LANES, one) for one in (x, y, addend)))["fma"][0]
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(addend))
        near = [np.nextafter(found, np.float32(way)) for way in (-np.inf, np.inf)]
        assert all(abs(Fraction(float(found)) - exact) <= abs(Fraction(float(other)) - exact) for other in near)
