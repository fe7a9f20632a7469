"""The memory of runs over a hash table: forecast, kept below its limit, and never a bit of what is learned."""

import tracemalloc

import numpy as np
import pytest

from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.learn import memory, training
from ttt_fast.learn.checkpoint import load_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.memory import (
    Growth,
    GrowthWatch,
    MemoryLimitError,
    default_limit,
    needed_bytes,
    states_that_fit,
)
from ttt_fast.learn.training import start_training, train
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable, SortedRows, slots_for

MEGABYTE = 10**6
BUFFERS = 20 * MEGABYTE
"""What numpy and zlib hold for a moment while a file is written, however large it is."""


def config_of(episodes, game="connect4", **changes):
    settings = {"algorithm": "q", "step_size": "0.1", "chunk_episodes": 200, "judges": "", "evaluations": 0}
    return TrainingConfig(game=game, **{**settings, "episodes": episodes, **changes})


def stopped(config, limit, **options):
    """What a run raises that its limit stops."""
    with pytest.raises(MemoryLimitError) as caught:
        train(start_training(config), memory_limit=limit, **options)
    return caught.value


@pytest.fixture(scope="module")
def whole():
    """A run that has all the memory it wants, and the states after each of its chunks."""
    states, new = {}, start_training(config_of(15_000))
    run = train(new, on_chunk=lambda episodes, latest: states.update({episodes: len(new.values)}))
    return run, states


# --- Arithmetic.


@pytest.mark.parametrize(("values", "of_each"), [(1, False), (7, False), (7, True), (81, False)])
def test_what_a_table_takes_is_what_is_forecast(values, of_each):
    table, generator = HashTable(values, visits_of_each=of_each), np.random.default_rng(1)
    assert table.memory_bytes == MIN_CAPACITY * table.slot_bytes
    keys = np.unique(generator.integers(0, 2**62, 5000).astype(np.uint64))
    for part in np.array_split(keys, 100):
        visits = np.ones((part.size, values if of_each else 1), np.uint32)
        table.fill(SortedRows(part, np.zeros((part.size, values)), visits))
        slots = slots_for(len(table))
        assert (table.capacity, table.memory_bytes) == (slots, slots * table.slot_bytes)
        assert table.peak_bytes <= needed_bytes(len(table), table.slot_bytes)
    assert table.peak_bytes == 3 * table.memory_bytes // 2


@pytest.mark.parametrize("slot_bytes", [20, 68, 660])
def test_the_states_that_fit_a_limit_are_the_most(slot_bytes):
    for limit in (10, MIN_CAPACITY * slot_bytes, 10 * MEGABYTE, 33_333_333, 10**9, 16 * 10**9):
        states = states_that_fit(limit, slot_bytes)
        assert needed_bytes(states + 1, slot_bytes) > limit
        assert states == 0 or needed_bytes(states, slot_bytes) <= limit


def test_growth_is_a_power_of_the_episodes():
    law = Growth([(episodes, round(50 * episodes**0.9)) for episodes in (1000, 2000, 4000, 8000)])
    assert law.power == pytest.approx(0.9, abs=1e-3)
    assert law.states_after(100_000) == pytest.approx(50 * 100_000**0.9, rel=0.01)
    assert law.episodes_with(law.states_after(100_000)) == pytest.approx(100_000, rel=0.01)
    unknown, one, full = Growth([]), Growth([(1000, 500)]), Growth([(1000, 500), (2000, 500)])
    assert (unknown.states_after(10), unknown.episodes_with(10), unknown.is_measured) == (0, 0, False)
    assert (one.states_after(3000), one.is_measured, full.states_after(10**9)) == (1500, False, 500)


@pytest.mark.parametrize("at", [2000, 4000, 8000])
def test_a_forecast_is_near_to_the_truth(whole, at):
    run, states = whole
    watch = GrowthWatch(start_training(run.config), 10**9)
    for episodes, number in states.items():
        if episodes <= at:
            watch.growth.add(episodes, number)
    assert watch.growth.states_after(15_000) == pytest.approx(len(run.hashed), rel=0.15)
    assert watch.growth.episodes_with(len(run.hashed)) == pytest.approx(15_000, rel=0.2)


# --- Runs.


def test_a_limit_that_suffices_changes_nothing(whole, tmp_path):
    run, _ = whole
    again = train(start_training(run.config), checkpoint=tmp_path / "run.npz", memory_limit=100 * MEGABYTE)
    assert again.sha256() == run.sha256() == load_training(tmp_path / "run.npz").sha256()
    assert again.config == run.config and again.hashed.peak_bytes == run.hashed.peak_bytes


@pytest.mark.parametrize("limit", [8 * MEGABYTE, 12 * MEGABYTE, 24 * MEGABYTE])
def test_a_run_stops_in_time_and_goes_on_in_the_same_bits(whole, tmp_path, limit):
    run, path = whole[0], tmp_path / "run.npz"
    error = stopped(run.config, limit, checkpoint=path)
    kept = load_training(path)
    assert 0 < kept.episodes == error.run.episodes < 15_000 and kept.sha256() == error.run.sha256()
    assert error.run.hashed.peak_bytes <= limit
    assert needed_bytes(len(kept.hashed), kept.hashed.slot_bytes) <= limit < error.forecast.needed_bytes
    with pytest.raises(MemoryLimitError):  # at once: nothing has changed
        train(load_training(path), memory_limit=limit, on_chunk=lambda *now: pytest.fail("went on"))
    resumed = train(kept, memory_limit=2 * error.forecast.needed_bytes)
    assert (resumed.sha256(), resumed.counts.tolist()) == (run.sha256(), run.counts.tolist())


def test_one_line_says_how_far_it_came_and_what_to_do(whole):
    error = stopped(whole[0].config, 12 * MEGABYTE)
    for words in (
        "the next 200 episodes to fit 12.0 MB", "after 3,000 of 15,000 episodes", f"{whole[1][3000]:,} states",
        "the whole run would need about 32.3 MB", "fewer episodes", "afterstates (20 bytes a state instead of 68)",
        "more memory",
    ):  # fmt: skip
        assert words in str(error)
    assert HashTable(1).slot_bytes == memory.AFTERSTATE_BYTES == 20
    assert isinstance(error, TttFastError) and "\n" not in str(error)
    assert "or afterstates" not in str(stopped(config_of(15_000, algorithm="afterstate"), 6 * MEGABYTE))
    start = stopped(whole[0].config, MEGABYTE)
    assert (start.run.episodes, len(start.run.hashed)) == (0, 0) and "fewer episodes a chunk" in str(start)


def test_nothing_takes_more_than_the_limit(tmp_path, monkeypatch):
    """Counted by Python: tables, doublings and checkpoints, which are written all the time."""
    path, limit = tmp_path / "run.npz", 60 * MEGABYTE
    monkeypatch.setattr(training, "SECONDS_OF_HASH_TABLES", 1e-9)
    train(start_training(config_of(2)), checkpoint=path)  # everything is imported
    tracemalloc.start()
    try:
        error = stopped(config_of(40_000), limit, checkpoint=path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(error.run.hashed) > 200_000 and limit / 2 < peak <= limit + BUFFERS


def test_a_run_that_cannot_fit_is_told_before_it_begins():
    said = []
    error = stopped(
        config_of(200_000),
        10 * MEGABYTE,
        on_forecast=lambda forecast: said.append(("forecast", forecast)),
        on_chunk=lambda episodes, latest: said.append(("chunk", episodes)),
    )
    assert [what for what, _ in said[:2]] == ["forecast", "chunk"] and len(said) == 1 + error.run.chunks_done
    forecast = said[0][1]
    assert forecast.limit_bytes == 10 * MEGABYTE < forecast.needed_bytes / 2
    assert forecast.states == pytest.approx(1_333_191, rel=0.7)
    assert error.run.episodes / 2 <= forecast.episodes_that_fit <= 2 * error.run.episodes


def test_a_run_that_may_fit_is_told_when_its_growth_is_measured():
    said, limit = [], 28 * MEGABYTE
    error = stopped(
        config_of(15_000),
        limit,
        on_forecast=lambda forecast: said.append(forecast),
        on_chunk=lambda episodes, latest: said.append(episodes),
    )
    (place,) = (number for number, one in enumerate(said) if not isinstance(one, int))
    assert 2 <= place < len(said) - 1 and error.run.chunks_done == len(said) - 1
    assert limit < said[place].needed_bytes <= 2 * limit


def test_a_run_that_fits_is_told_nothing():
    train(
        start_training(config_of(15_000)),
        memory_limit=60 * MEGABYTE,
        on_forecast=lambda forecast: pytest.fail("told"),
    )


@pytest.mark.parametrize("limit", [0, -1, "8G", 1e9])
def test_a_limit_is_a_number_of_bytes(limit):
    with pytest.raises(UsageError, match="memory limit"):
        train(start_training(config_of(10)), memory_limit=limit)


# --- The limit that nobody gave.


def test_the_usual_limit_is_a_share_of_what_is_available(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 16 * MEGABYTE)
    error = stopped(config_of(15_000), None)
    assert memory.SHARE_OF_AVAILABLE == 0.75
    assert default_limit(error.run.hashed) == error.forecast.limit_bytes
    assert error.forecast.limit_bytes == int(0.75 * (16 * MEGABYTE + error.run.hashed.memory_bytes))


def test_memory_that_others_have_taken_since_is_asked_for_before_a_table_is_doubled(whole, monkeypatch):
    left = [1000 * MEGABYTE]
    monkeypatch.setattr(memory, "available_memory", lambda: left[0])

    def on_chunk(episodes, latest):
        if episodes == 4000:
            left[0] = MEGABYTE

    error = stopped(config_of(15_000), None, on_chunk=on_chunk)
    assert 4000 <= error.run.episodes < 15_000 and error.run.hashed.capacity == slots_for(whole[1][4000])


def test_a_million_games_of_ultimate_are_not_the_default():
    usual = {
        (game, algorithm): TrainingConfig(game=game, algorithm=algorithm).episodes
        for game in ("connect4", "ultimate")
        for algorithm in ("q", "afterstate")
    }
    assert usual.pop(("ultimate", "q")) == 20_000 and set(usual.values()) == {1_000_000}
    assert TrainingConfig(game="ultimate").episodes == 20_000
    assert TrainingConfig(game="ultimate", episodes=7).episodes == 7
