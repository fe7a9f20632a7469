"""Places where pieces of work run."""

import signal
import threading
import time

import pytest

from conftest import PATIENCE
from ttt_fast.core.errors import TttFastError
from ttt_fast.running.executors import MAX_LOSSES, ThreadExecutor, completed


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


def test_a_piece_lost_with_its_worker_runs_again():
    pool = LosingExecutor(MAX_LOSSES)
    assert list(completed(pool, bytes.upper, [(1, b"one")])) == [(1, b"ONE")]
    assert pool.runs == MAX_LOSSES + 1
    pool.close()


def test_a_piece_lost_too_often_ends_the_work():
    pool = LosingExecutor(MAX_LOSSES + 1)
    with pytest.raises(TttFastError, match=f"lost with its worker {MAX_LOSSES + 1} times over .ConnectionError"):
        list(completed(pool, bytes.upper, [(1, b"one")]))
    assert pool.runs == MAX_LOSSES + 1
    pool.close()
