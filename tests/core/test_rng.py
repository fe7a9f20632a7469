"""Streams of chunks: those of numpy's SeedSequence."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ttt_fast.algorithms.td.ultimate.fit import UltimateKey
from ttt_fast.core import rng
from ttt_fast.core.rng import StreamKey
from ttt_fast.kernels import chunk_stream, next_word
from ttt_fast.studies.engine.games import StudyKey


@pytest.mark.parametrize("seed", [0, 2**32, 2**128, 2**300 + 7])
@pytest.mark.parametrize("first", [0, 2**32 - 3, 2**32 - 2])
def test_the_streams_of_many_chunks_are_those_of_each(seed, first):
    found = rng.chunk_streams(seed, first, 3)
    sequences = [np.random.SeedSequence(seed, spawn_key=(chunk,)) for chunk in range(first, first + 3)]
    assert found.dtype == np.uint64
    assert found.tolist() == [int(one.generate_state(1, np.uint64)[0]) for one in sequences]
    assert int(found[0]) == int(chunk_stream(seed, first))


def test_no_two_stream_keys_are_equal():
    """A key is `unique` in its enum; the library, the networks of Ultimate and the studies have an enum each."""
    keys = [*StreamKey, *UltimateKey, *StudyKey]
    assert len(set(map(int, keys))) == len(keys)
    assert len({int(chunk_stream(0, key, 1)) for key in keys}) == len(keys)
    assert all(chunk_stream(5, key, 1) == chunk_stream(5, int(key), 1) for key in keys)


def test_words_of_a_stream_are_those_of_splitmix64():
    """The first outputs of the reference implementation with the seed 1234567."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    words, stream = rng.Stream(np.uint64(1234567)), np.uint64(1234567)
    for expected in published:
        found, word = next_word(stream)
        stream = np.uint64(found)
        assert int(word) == int(words.word()) == int(rng.mix64(stream)) == expected


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**31))
def test_below_scales_the_upper_half(word, count):
    assert rng.below(np.uint64(word), count) == (word >> 32) * count >> 32
