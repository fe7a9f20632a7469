"""Chunks over threads: in order, a few at a time, stopped cleanly."""

import threading
import time

import pytest

from conftest import PATIENCE
from ttt_fast.running.chunks import run_chunks


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (3, 40), (5, 5), (5, 2)])
def test_results_come_in_the_order_of_the_chunks(threads, first, last):
    def work(chunk: int) -> int:
        time.sleep(0.002 if chunk % 3 == 0 else 0)  # the first of three is the last to be ready
        return chunk * chunk

    assert list(run_chunks(work, first, last, threads)) == [chunk * chunk for chunk in range(first, last)]


@pytest.mark.parametrize("threads", [1, 4])
def test_few_chunks_are_begun_ahead_of_the_reader(threads):
    begun = []
    chunks = run_chunks(lambda chunk: begun.append(chunk), 0, 1000, threads)
    for _ in range(10):
        next(chunks)
    chunks.close()
    assert 10 <= len(begun) <= 10 + 2 * threads
    settled = len(begun)
    time.sleep(0.02)
    assert len(begun) == settled


def test_several_threads_work_at_once():
    barrier = threading.Barrier(3, timeout=PATIENCE)  # breaks unless three chunks run together
    assert len(list(run_chunks(lambda chunk: barrier.wait(), 0, 3, 3))) == 3


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_reaches_the_reader_in_its_turn(threads):
    def work(chunk: int) -> int:
        if chunk == 4:
            raise ZeroDivisionError("chunk 4")
        return chunk

    seen = []
    with pytest.raises(ZeroDivisionError, match="chunk 4"):
        for result in run_chunks(work, 0, 100, threads):
            seen.append(result)
    assert seen == [0, 1, 2, 3]
