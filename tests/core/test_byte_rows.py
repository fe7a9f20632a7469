"""Rows copied by 16 bytes at a time, as kernels do it; as Python: the case of small batches (`test_kernels`)."""

import numpy as np
import pytest

from ttt_fast.core import jit
from ttt_fast.core.byte_rows import CHUNK, copy_chunk, padded_rows, zeroed_rows
from ttt_fast.core.jit import kernel
from ttt_fast.core.vectors import pointer

jit.load()


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
