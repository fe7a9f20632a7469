"""Places where pieces of work run."""

import signal
import threading
import time

import pytest

from conftest import PATIENCE
from ttt_fast.running.executors import ThreadExecutor, completed


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
