"""Signals: runs of every kind stop between two chunks, and files are written whole or not at all."""

import operator
import signal
import subprocess
import sys
import time
from contextlib import closing
from math import inf

import pytest

import ttt_fast.algorithms.alphazero.learner
import ttt_fast.algorithms.dqn.learner
from ttt_fast import ContestConfig, RunInterrupted, TrainingConfig, TrainingRun, UsageError, contest, train
from ttt_fast.core.signals import ENDING, HANGUP
from ttt_fast.learners import Sweep, start_training
from ttt_fast.running import interrupts
from ttt_fast.running.api import ThreadExecutor
from ttt_fast.running.interrupts import stop_between_chunks
from ttt_fast.training import loop as training

STOPS = [signal.SIGINT, *ENDING]


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


def test_a_run_inside_a_run_shares_its_request(number):
    with stop_between_chunks("return") as outer:
        with stop_between_chunks("return") as inner:
            signal.raise_signal(number)
        assert inner.requested and outer.requested
    with stop_between_chunks("return") as later:
        assert not later.requested


def a_sweep(folder, hook, **more):
    with closing(ThreadExecutor(1)) as pool:
        return Sweep({"episodes": 1000}, {}, range(1000)).run(range(1000), folder, pool, hook, **more)


TABLE = TrainingConfig(episodes=5000, chunk_episodes=1000)
HASHED = TrainingConfig(game="connect4", episodes=500, chunk_episodes=100, step_size="0.1", judges="")
COUNTED, SINGLE = ContestConfig(10_000, chunk_games=1000, seats="both"), ContestConfig(2000, game="connect4")
ROBIN = ContestConfig(100, game="connect4")
RUNS = {
    "table": (lambda folder, hook, **more: train(TABLE, checkpoint=folder / "q.npz", on_chunk=hook, **more),
              lambda part: part.episodes, 1000, 1000),
    "hashed": (lambda folder, hook, **more: train(HASHED, checkpoint=folder / "q.npz", on_chunk=hook, **more),
               lambda part: part.episodes, 100, 100),
    "counted": (lambda folder, hook, **more: contest("random", "minimax", COUNTED, threads=1, on_progress=hook,
                                                     save_to=folder / "games.npz", **more),
                lambda part: sum(seat.games for seat in part.seats), 1000, 1000),
    "single": (lambda folder, hook, **more: contest("random", "random", SINGLE, threads=1, on_progress=hook,
                                                    save_to=folder / "games.jsonl", **more),
               lambda part: part.summary[0]["games"], 2, 1998),
    "robin": (lambda folder, hook, **more: contest(["random", "default", "random:frozen=none"], config=ROBIN,
                                                            threads=1, on_progress=hook, **more),
              lambda part: sum(seat.games for seat in part.seats), 2, 298),
    "sweep": (a_sweep, lambda part: part, 0, 999),
}  # fmt: skip
"""Runs of every kind, what is done of a part, and the least and the most of it."""


@pytest.mark.parametrize("name", RUNS)
def test_a_signal_is_raised_again_with_the_part_that_is_done_or_the_part_is_returned(name, tmp_path, number):
    run, done, least, most = RUNS[name]
    for folder in "ab":
        (tmp_path / folder).mkdir()
    with pytest.raises(RunInterrupted) as stopped:
        run(tmp_path / "a", Once(number))
    returned = run(tmp_path / "b", Once(number), on_interrupt="return")
    for part in (stopped.value.result, returned):
        assert least <= done(part) <= most
        assert name == "sweep" or part.complete is False
    names = [entry.name for entry in (tmp_path / "a").rglob("*")]
    assert all(name.endswith((".npz", ".jsonl", ".parquet", "manifest.json")) for name in names)


def test_a_signal_in_the_last_chunk_is_not_lost():
    """The result is the whole one, and says so; a loop over runs ends all the same."""
    config = ContestConfig(1000)
    with pytest.raises(KeyboardInterrupt) as stopped:
        contest("random", "random", config, on_progress=Once(signal.SIGINT))
    returned = contest("random", "random", config, on_progress=Once(signal.SIGINT), on_interrupt="return")
    [row] = contest("random", "random", config).rows
    for whole in (stopped.value.result, returned):
        assert whole.complete and whole.rows[0]["games"] == 1000 and whole.rows[0]["x_wins"] == row["x_wins"]


def test_other_words_for_an_interrupt_are_refused():
    with pytest.raises(UsageError, match="expected on_interrupt to be 'raise' or 'return', got 'ignore'"):
        contest("random", "random", 10, on_interrupt="ignore")


def test_a_second_signal_interrupts_but_a_second_hangup_does_not(number):
    with stop_between_chunks("return") as stop:
        signal.raise_signal(number)
        assert stop.requested
        if number == HANGUP:
            signal.raise_signal(number)
        else:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)


@pytest.mark.skipif(HANGUP is None, reason="needs POSIX")
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


DROPPED = {
    "alphazero": ("alphazero.learner.train_network", {"chunk_episodes": 2, "simulations": 5}),
    "dqn": ("dqn.learner.learn_episodes", {"chunk_episodes": 200}),
}


@pytest.mark.parametrize("algorithm", DROPPED)
def test_a_begun_chunk_is_dropped_and_repeated_with_the_same_bits(algorithm, tmp_path, monkeypatch):
    place, more = DROPPED[algorithm]
    settings = {"algorithm": algorithm, "episodes": 4 * more["chunk_episodes"], "evaluations": 2, **more}
    config = TrainingConfig(**settings)
    whole = train(config)
    learn, seen = operator.attrgetter(place)(ttt_fast.algorithms), []

    def slowly(*arguments):
        found = learn(*arguments)
        if len(seen) == 1:  # in the second chunk
            seen.append("signal")
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.5)
        return found

    path = tmp_path / "q.npz"
    with monkeypatch.context() as patch:
        patch.setattr(f"ttt_fast.algorithms.{place}", slowly)
        patch.setattr(interrupts, "SECONDS_TO_FINISH", 0.0)
        patch.setattr(training, "SECONDS_BETWEEN_COPIES", 0.0)
        patch.setattr(training, "MAX_SHARE_OF_KEEPING", inf)
        part = train(config, checkpoint=path, on_chunk=lambda *_: seen.append("chunk"), on_interrupt="return")
    assert seen == ["chunk", "signal"]
    assert part.chunks_done == TrainingRun.load(path).chunks_done == 1
    assert train(start_training({}, resume=path)).sha256() == whole.sha256()
