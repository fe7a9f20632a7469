"""Exponential, logarithm and gamma numbers: close to those of libraries, with the same bits as in Python."""

import math

import numpy as np
import pytest

from ttt_fast.core.elementary import exp, gamma, log
from ttt_fast.kernels import chunk_stream, kernel


@kernel
def fill_both(numbers, exponentials, logarithms):
    for place in range(numbers.size):
        exponentials[place] = exp(numbers[place])
        logarithms[place] = log(abs(numbers[place]) + 1e-300)


@kernel
def fill_gamma(shape, stream, out):
    for place in range(out.size):
        out[place], stream = gamma(shape, stream)


def test_errors_are_below_one_unit_in_the_last_place():
    numbers = np.concatenate([np.random.default_rng(1).normal(0, 50, 100_000), [0.0, 1.0, 709.0, -708.0]])
    found = np.empty((2, numbers.size))
    fill_both(numbers, *found)
    for one, expected in zip(found, (np.exp(numbers), np.log(np.abs(numbers) + 1e-300)), strict=True):
        assert (np.abs(one - expected) <= np.spacing(np.abs(expected))).all()
    for number, one, two in zip(numbers[:200].tolist(), *found.tolist(), strict=False):
        assert (exp(number), log(abs(number) + 1e-300)) == (one, two)


def test_exponentials_beyond_the_range():
    found = np.empty((2, 3))
    fill_both(np.array([-1e5, 710.0, 1e300]), *found)
    assert found[0].tolist() == [0.0, math.inf, math.inf]


@pytest.mark.parametrize("shape", [0.05, 0.3, 1.0, 2.5, 40.0])
def test_gamma_numbers_have_the_moments_and_the_law(shape):
    found = np.empty(200_000)
    fill_gamma(shape, chunk_stream(1, 0), found)
    assert abs(found.mean() - shape) < 4.5 * math.sqrt(shape / found.size)
    variance = ((found - shape) ** 2).mean()
    assert abs(variance - shape) < 4.5 * math.sqrt((2 * shape**2 + 6 * shape) / found.size)
    sample = np.sort(np.random.default_rng(2).gamma(shape, size=found.size))
    steps = np.searchsorted(np.sort(found), sample) / found.size
    assert np.abs(steps - np.arange(sample.size) / sample.size).max() < 1.95 * math.sqrt(2 / found.size)  # p = 0.001
