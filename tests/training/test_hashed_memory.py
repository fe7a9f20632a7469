"""The memory of runs over a hash table: kept below its limit, and never a bit of what is learned."""

import re
import tracemalloc

import pytest

from ttt_fast import TrainingConfig, TrainingRun, TttFastError, UsageError, train
from ttt_fast.learners import start_training
from ttt_fast.training import loop as training

MEGABYTE = 10**6
BUFFERS = 20 * MEGABYTE
"""What numpy and zlib hold for a moment while a file is written, however large it is."""


def config_of(episodes, game="connect4", **changes):
    settings = {"algorithm": "q", "step_size": "0.1", "chunk_episodes": 200, "judges": "", "evaluations": 0}
    return TrainingConfig(game=game, **{**settings, "episodes": episodes, **changes})


def stopped(config, limit, **options):
    """What a run raises that its limit stops."""
    with pytest.raises(TttFastError) as caught:
        train(config, memory_limit=limit, **options)
    return caught.value


def peak_of(states, slot_bytes):
    """What a table of some states takes at most: while it is doubled, or saved with a sorted copy of its rows.

    It is doubled from 1,024 slots on when seven of ten are taken; 16 bytes of a saved row are of its key.
    """
    slots = 1024
    while 7 * slots // 10 < states:
        slots *= 2
    doubling = slots // 2 * slot_bytes if slots > 1024 else 0
    return slots * slot_bytes + max(doubling, states * (slot_bytes + 16))


@pytest.fixture(scope="module")
def whole():
    """A run that has all the memory it wants, and the states after each of its chunks."""
    states, new = {}, start_training(config_of(15_000))
    run = train(new, on_chunk=lambda episodes, latest: states.update({episodes: len(new.values)}))
    return run, states


# --- Runs.


def test_a_limit_that_suffices_changes_nothing(whole, tmp_path):
    run, _ = whole
    again = train(run.config, checkpoint=tmp_path / "run.npz", memory_limit=100 * MEGABYTE)
    assert again.sha256() == run.sha256() == TrainingRun.load(tmp_path / "run.npz").sha256()
    assert again.config == run.config and again.hashed.peak_bytes == run.hashed.peak_bytes
    hashed = run.hashed
    assert hashed.memory_bytes == hashed.capacity * hashed.slot_bytes and 10 * len(hashed) <= 7 * hashed.capacity
    assert hashed.peak_bytes == 3 * hashed.memory_bytes // 2 <= peak_of(len(hashed), hashed.slot_bytes)


@pytest.mark.parametrize("limit", [8 * MEGABYTE, 12 * MEGABYTE, 24 * MEGABYTE])
def test_a_run_stops_in_time_and_goes_on_in_the_same_bits(whole, tmp_path, limit):
    run, path = whole[0], tmp_path / "run.npz"
    error = stopped(run.config, limit, checkpoint=path)
    kept = TrainingRun.load(path)
    assert 0 < kept.episodes == error.run.episodes < 15_000 and kept.sha256() == error.run.sha256()
    assert error.run.hashed.peak_bytes <= limit
    assert peak_of(len(kept.hashed), kept.hashed.slot_bytes) <= limit < error.needed_bytes
    with pytest.raises(TttFastError, match="to fit"):  # at once: nothing has changed
        train(TrainingRun.load(path), memory_limit=limit, on_chunk=lambda *now: pytest.fail("went on"))
    resumed = error.run
    while not resumed.complete:  # the limit that is named suffices until the table has doubled and is full
        try:
            resumed = train(TrainingRun.load(path), checkpoint=path, memory_limit=error.needed_bytes)
        except TttFastError as later:
            assert later.run.hashed.capacity >= 2 * error.run.hashed.capacity
            error = later
    assert (resumed.sha256(), resumed.counts.tolist()) == (run.sha256(), run.counts.tolist())


def test_one_line_says_how_far_it_came_and_what_to_do(whole):
    error = stopped(whole[0].config, 12 * MEGABYTE)
    assert re.fullmatch(
        r"expected the next 200 episodes of connect4 to fit 12\.0 MB of memory, they need up to 1\d\.\d MB; stopped"
        r" after 3,000 of 15,000 episodes; afterstates need less memory",
        str(error),
    )
    assert "afterstates" not in str(stopped(config_of(15_000, algorithm="afterstate"), 6 * MEGABYTE))
    start = stopped(whole[0].config, MEGABYTE)
    assert (start.run.episodes, len(start.run.hashed)) == (0, 0)


def test_nothing_takes_more_than_the_limit(tmp_path, monkeypatch):
    """Counted by Python: tables, doublings and checkpoints, which are written all the time."""
    path, limit = tmp_path / "run.npz", 60 * MEGABYTE
    monkeypatch.setattr(training, "SECONDS_OF_HASH_TABLES", 1e-9)
    train(config_of(2), checkpoint=path)  # everything is imported
    tracemalloc.start()
    try:
        error = stopped(config_of(40_000), limit, checkpoint=path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(error.run.hashed) > 200_000 and limit / 2 < peak <= limit + BUFFERS


@pytest.mark.parametrize("limit", [0, -1, "8G", 1.5])
def test_a_limit_is_a_number_of_bytes(limit):
    with pytest.raises(UsageError, match="memory limit"):
        train(config_of(10), memory_limit=limit)


# --- The limit that nobody gave.


def test_the_usual_limit_is_a_share_of_what_is_available(monkeypatch):
    monkeypatch.setattr(training, "available_memory", lambda: 16 * MEGABYTE)
    error = stopped(config_of(15_000), None)
    assert training.SHARE_OF_AVAILABLE == 0.75
    usual = int(0.75 * (16 * MEGABYTE + error.run.hashed.memory_bytes))
    assert f"to fit {usual / 1e6:.1f} MB of memory" in str(error)


def test_memory_that_others_have_taken_since_is_asked_for_before_a_table_is_doubled(whole, monkeypatch):
    left = [1000 * MEGABYTE]
    monkeypatch.setattr(training, "available_memory", lambda: left[0])

    def on_chunk(episodes, latest):
        if episodes == 4000:
            left[0] = MEGABYTE

    error = stopped(config_of(15_000), None, on_chunk=on_chunk)
    assert 4000 <= error.run.episodes < 15_000 and 7 * error.run.hashed.capacity < 20 * whole[1][4000]


def test_a_million_games_of_ultimate_are_not_the_default():
    usual = {
        (game, algorithm): TrainingConfig(game=game, algorithm=algorithm).episodes
        for game in ("connect4", "ultimate")
        for algorithm in ("q", "afterstate")
    }
    assert usual.pop(("ultimate", "q")) == 20_000 and set(usual.values()) == {1_000_000}
    assert TrainingConfig(game="ultimate").episodes == 20_000
    assert TrainingConfig(game="ultimate", episodes=7).episodes == 7
