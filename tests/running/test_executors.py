"""Work in pieces: chunks over threads, in order and a few at a time, and executors."""

import signal
import threading
import time
from contextlib import closing

import pytest

from conftest import PATIENCE
from ttt_fast import TttFastError
from ttt_fast.kernels import run_chunks
from ttt_fast.running.api import ThreadExecutor
from ttt_fast.running.executors import completed, start_python

MAX_LOSSES = 3
"""How often a piece runs again after it was lost with its worker."""


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


@pytest.fixture
def slow_alarm():
    """A list that SIGALRM's handler appends to, after longer than the wait between two looks."""
    heard = []

    def handler(number, frame):
        time.sleep(0.3)
        heard.append(number)

    before = signal.signal(signal.SIGALRM, handler)
    yield heard
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_signal_whose_handler_is_slow_is_heard(slow_alarm):
    """A handler that waits for the interpreter of a busy thread may end after the wait that it interrupted."""
    pool, release = ThreadExecutor(1), threading.Event()
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    watchdog = threading.Timer(PATIENCE, release.set)
    watchdog.start()
    assert not list(completed(pool, lambda _: release.wait(), [(0, None)], lambda: bool(slow_alarm)))
    assert not release.is_set()
    watchdog.cancel()
    release.set()
    pool.close()


class LosingExecutor(ThreadExecutor):
    """Threads whose first `lost` runs of each piece end as if the worker had died."""

    losses = (ConnectionError,)

    def __init__(self, lost):
        super().__init__(1)
        self.lost, self.runs = lost, 0

    def submit(self, work, payload):
        def run(payload):
            self.runs += 1
            if self.runs <= self.lost:
                raise ConnectionError("the worker has gone")
            return work(payload)

        return super().submit(run, payload)


@pytest.mark.parametrize("lost", [MAX_LOSSES, MAX_LOSSES + 1])
def test_a_piece_lost_with_its_worker_runs_again_but_not_too_often(lost):
    pool = LosingExecutor(lost)
    with closing(pool):
        if lost == MAX_LOSSES:
            assert list(completed(pool, bytes.upper, [(1, b"one")])) == [(1, b"ONE")]
        else:
            with pytest.raises(TttFastError, match=f"lost with its worker {lost} times over .ConnectionError"):
                list(completed(pool, bytes.upper, [(1, b"one")]))
    assert pool.runs == MAX_LOSSES + 1


def test_python_is_started_with_the_same_modules(monkeypatch, tmp_path):
    (tmp_path / "only_here.py").write_text("raise ValueError('found')")
    monkeypatch.syspath_prepend(tmp_path)
    process = start_python("import only_here")
    assert process.communicate()[1].decode().rstrip().endswith("ValueError: found") and process.returncode == 1
