"""Bit sets and draws against plain arithmetic."""

import numpy as np
from hypothesis import given, strategies as st

from ttt_fast.core import bits
from ttt_fast.core.rng import below


@given(st.integers(1, 2**63 - 1))
def test_bits_of_a_word(word):
    places = [place for place in range(63) if word >> place & 1]
    assert bits.popcount(word) == len(places)
    assert bits.lowest_bit_index(word) == places[0]
    assert [bits.bit_index(word, k) for k in range(len(places))] == places


@given(st.integers(1, 511))
def test_bits_of_nine(word):
    places = [place for place in range(9) if word >> place & 1]
    assert [bits.bit_index_of_9(word, k) for k in range(len(places))] == places


def test_the_empty_word():
    assert bits.popcount(0) == 0
    assert bits.lowest_bit_index(0) == 64


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**31))
def test_below_scales_the_upper_half(word, count):
    assert below(np.uint64(word), count) == (word >> 32) * count >> 32
