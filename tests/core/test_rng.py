"""Streams of chunks: those of numpy's SeedSequence."""

import numpy as np
import pytest

from ttt_fast.core.rng import chunk_stream, chunk_streams


@pytest.mark.parametrize("seed", [0, 2**32, 2**128])
@pytest.mark.parametrize("first", [0, 2**32 - 2])
def test_the_streams_of_many_chunks_are_those_of_each(seed, first):
    found = chunk_streams(seed, first, 3)
    sequences = [np.random.SeedSequence(seed, spawn_key=(chunk,)) for chunk in range(first, first + 3)]
    assert found.dtype == np.uint64
    assert found.tolist() == [int(one.generate_state(1, np.uint64)[0]) for one in sequences]
    assert int(found[0]) == int(chunk_stream(seed, first))


def test_no_chunks_have_no_streams():
    assert chunk_streams(3, 7, 0).size == 0
