"""Bit sets against plain arithmetic."""

from hypothesis import given, strategies as st

from ttt_fast.core import bits


@given(st.integers(0, 2**63 - 1) | st.integers(0, 511))
def test_bits_of_a_word(word):
    places = [place for place in range(63) if word >> place & 1]
    assert bits.popcount(word) == len(places)
    assert bits.lowest_bit_index(word) == (places[0] if places else 64)
    assert [bits.bit_index(word, k) for k in range(len(places))] == places
    if word < 512:
        assert [bits.bit_index_of_9(word, k) for k in range(len(places))] == places
