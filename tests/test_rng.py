"""Streams of chunks: the kernel's seeds are numpy's."""

import numpy as np
import pytest

from ttt_fast._rng import chunk_stream, chunk_streams


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**64 + 5, 2**128 - 1, 2**128, 2**200])
@pytest.mark.parametrize("first", [0, 5, 2**20, 2**32 - 3, 2**32 - 2, 2**33])
def test_the_streams_of_many_chunks_are_those_of_each(seed, first):
    found = chunk_streams(seed, first, 3)
    sequences = [np.random.SeedSequence(seed, spawn_key=(chunk,)) for chunk in range(first, first + 3)]
    assert found.dtype == np.uint64
    assert found.tolist() == [int(one.generate_state(1, np.uint64)[0]) for one in sequences]
    assert found.tolist() == [int(chunk_stream(seed, chunk)) for chunk in range(first, first + 3)]


def test_no_chunks_have_no_streams():
    assert chunk_streams(3, 7, 0).size == 0
