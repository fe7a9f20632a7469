"""Exponential, logarithm and gamma numbers: close to those of libraries, with the same bits as in Python."""

import math

import numpy as np
import pytest

from ttt_fast.core import elementary
from ttt_fast.kernels import chunk_stream


def test_errors_are_below_one_unit_in_the_last_place():
    numbers = np.concatenate([np.random.default_rng(1).normal(0, 50, 30_000), [0.0, 1.0, 709.0, -708.0]])
    positive = np.abs(numbers) + 1e-300
    for function, given, expected in (
        (elementary.exp, numbers, np.exp(numbers)),
        (elementary.log, positive, np.log(positive)),
    ):
        found = np.array([function(one) for one in given.tolist()])
        assert (np.abs(found - expected) <= np.spacing(np.abs(expected))).all()
        assert [function.py_func(one) for one in given[:200].tolist()] == found[:200].tolist()


def test_exponentials_beyond_the_range():
    assert [elementary.exp(one) for one in (-1e5, 710.0, 1e300)] == [0.0, math.inf, math.inf]


@pytest.mark.parametrize("shape", [0.05, 0.3, 1.0, 2.5, 40.0])
def test_gamma_numbers_have_the_moments_and_the_law(shape):
    found, stream = np.empty(100_000), chunk_stream(1, 0)
    for place in range(found.size):
        found[place], stream = elementary.gamma(shape, stream)
        stream = np.uint64(stream)
    assert abs(found.mean() - shape) < 4.5 * math.sqrt(shape / found.size)
    variance = ((found - shape) ** 2).mean()
    assert abs(variance - shape) < 4.5 * math.sqrt((2 * shape**2 + 6 * shape) / found.size)
    sample = np.sort(np.random.default_rng(2).gamma(shape, size=found.size))
    steps = np.searchsorted(np.sort(found), sample) / found.size
    assert np.abs(steps - np.arange(sample.size) / sample.size).max() < 1.95 * math.sqrt(2 / found.size)  # p = 0.001
