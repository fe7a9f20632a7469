"""Signals: runs of every kind stop between two chunks, and files are written whole or not at all."""

import signal
import subprocess
import sys
from contextlib import closing

import pytest

from ttt_fast.agents.registry import parse_agent
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.sweep import Sweep, run_units
from ttt_fast.learn.training import start_training, train
from ttt_fast.play.contest import ContestConfig, contest
from ttt_fast.play.match import MatchConfig, play_match
from ttt_fast.running.executors import ThreadExecutor
from ttt_fast.running.interrupts import stop_between_chunks

STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(params=STOPS, ids=lambda number: number.name)
def number(request):
    """A signal that fails the test, instead of ending the tests, where nobody catches it."""

    def uncaught(number, frame):
        raise AssertionError(f"nobody catches {number}")

    before = signal.signal(request.param, uncaught)
    yield request.param
    assert signal.getsignal(request.param) is uncaught
    signal.signal(request.param, before)


class Once:
    """Raises a signal at its first call, whatever it is called with."""

    def __init__(self, number):
        self.number = number

    def __call__(self, *_):
        number, self.number = self.number, None
        if number is not None:
            signal.raise_signal(number)


def test_a_training_stops_after_its_chunk(tmp_path, number):
    start = start_training(TrainingConfig(episodes=5000, chunk_episodes=1000))
    part = train(start, checkpoint=tmp_path / "q.npz", on_chunk=Once(number))
    assert part.episodes == 1000 and not part.is_complete
    assert [entry.name for entry in tmp_path.iterdir()] == ["q.npz"]


def test_a_training_over_a_hash_table_stops_after_its_chunk(tmp_path, number):
    config = TrainingConfig(game="connect4", episodes=500, chunk_episodes=100, step_size="0.1", judges="")
    part = train(start_training(config), checkpoint=tmp_path / "q.npz", on_chunk=Once(number))
    assert part.episodes == 100 and not part.is_complete
    assert [entry.name for entry in tmp_path.iterdir()] == ["q.npz"]


def test_a_match_stops_after_its_chunk(number):
    policy, config = parse_agent("random"), MatchConfig(games=10_000, chunk_games=1000)
    assert play_match(policy, policy, config, threads=1, on_chunk=Once(number)).games == 1000


def test_a_contest_stops_and_says_that_it_is_not_complete(number):
    held = contest("random", "random", ContestConfig(2000, game="connect4"), threads=1, on_progress=Once(number))
    assert 0 < held.summary[0]["games"] < 2000 and not held.is_complete


def test_a_sweep_stops(tmp_path, number):
    sweep = Sweep({"episodes": 1000}, {}, range(1000))
    with closing(ThreadExecutor(1)) as pool:
        assert run_units(sweep, range(1000), tmp_path, pool, Once(number)) < 1000
    assert all(entry.suffix in (".parquet", ".json") for entry in tmp_path.iterdir())


def test_a_second_signal_interrupts_but_a_second_hangup_does_not(number):
    with stop_between_chunks() as stop:
        signal.raise_signal(number)
        assert stop.requested
        if number == signal.SIGHUP:
            signal.raise_signal(number)
        else:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)


def test_what_ignores_hangups_goes_on_ignoring_them():
    """`nohup ttt-fast train`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_between_chunks() as stop:
            signal.raise_signal(signal.SIGHUP)
            assert not stop.requested
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


KILLED_WHILE_WRITING = """
import signal, sys
from ttt_fast.core.archive import write_atomically

def write(stream):
    stream.write(b"half")
    signal.raise_signal(int(sys.argv[2]))

write_atomically(sys.argv[1], write)
"""


@pytest.mark.parametrize("number", STOPS[1:], ids=lambda number: number.name)
def test_a_signal_that_ends_the_process_leaves_the_old_file_and_no_other(tmp_path, number):
    path = tmp_path / "file"
    path.write_text("old")
    line = [sys.executable, "-c", KILLED_WHILE_WRITING, str(path), str(int(number))]
    assert subprocess.run(line, check=False).returncode == -number
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
