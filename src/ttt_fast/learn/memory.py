"""The memory of a run: what it takes, what it may take, and what the whole run will need.

For a moment a doubling of a hash table needs three halves of the new table, and a checkpoint a sorted copy of the
rows.  A chunk is begun only if both would fit however many states it meets, so that a run stops between two chunks,
with everything saved, and never in need.  The limit decides when a run stops, never a bit of what it learns.
"""

from collections.abc import Callable
from dataclasses import replace
from math import log, pow
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.core.manifest import available_memory
from ttt_fast.games import api
from ttt_fast.learn.checkpoint import TrainingRun
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.learners import GeneralLearner
from ttt_fast.learn.settings import AFTERSTATE
from ttt_fast.learn.stores import empty_hash_table
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable, most_rows, slots_for

SHARE_OF_AVAILABLE = 0.75
"""Of the memory that is available, what a run takes unless it is given a limit."""
AFTERSTATE_BYTES = 20
"""A slot of a table of afterstates: mark, value and visits."""
_SAVED_KEY_BYTES = 16  # of a row that is saved: its key once more, and the difference from the one before
_PILOT_EPISODES = 1000
_EARLY = 0.1  # part of a run
_CLEARLY = 2.0  # an early forecast is said if it passes the limit by this factor: it is rather too large


class MemoryLimitError(TttFastError):
    """A run has stopped because its next chunk might not fit; `run` is where it stands."""

    def __init__(self, message: str, run: TrainingRun, forecast: "Forecast") -> None:
        super().__init__(message)
        self.run, self.forecast = run, forecast


class Forecast(NamedTuple):
    """What a whole run will need, by the growth so far.

    Attributes
    ----------
    states
        Rows of the table at its end.
    needed_bytes
        The least limit that lets it end.
    limit_bytes
        What it may take.
    episodes_that_fit
        Episodes after which it will stop.
    """

    states: int
    needed_bytes: int
    limit_bytes: int
    episodes_that_fit: int

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers by name, bytes as texts for a reader."""
        row = {"states": self.states, "needed": size_text(self.needed_bytes), "limit": size_text(self.limit_bytes)}
        return {**row, "episodes_that_fit": self.episodes_that_fit}


def default_limit(table: HashTable) -> int:
    """Return the bytes that a run may take: a share of what is available and of what it has already."""
    return int(SHARE_OF_AVAILABLE * (available_memory() + table.memory_bytes))


def needed_bytes(states: int, slot_bytes: int) -> int:
    """Return the most bytes that a table of some states takes: while it is doubled the last time, or saved.

    Examples
    --------
    >>> needed_bytes(195_541, 660), needed_bytes(195_541, 20)  # 5,000 episodes of Ultimate, and as afterstates
    (519045120, 17525236)
    """
    slots = slots_for(states)
    doubling = slots // 2 * slot_bytes if slots > MIN_CAPACITY else 0
    return slots * slot_bytes + max(doubling, states * (slot_bytes + _SAVED_KEY_BYTES))


def states_that_fit(limit: int, slot_bytes: int) -> int:
    """Return the largest number of states of which `needed_bytes` is at most a limit; 0 if none is."""
    found, slots = 0, MIN_CAPACITY
    while needed_bytes(most_rows(slots // 2) + 1, slot_bytes) <= limit:
        by_saving = (limit - slots * slot_bytes) // (slot_bytes + _SAVED_KEY_BYTES)
        found, slots = min(most_rows(slots), by_saving), 2 * slots
    return found


class Growth:
    """How the number of states grows with the episodes: as a power of them, by the last doubling of the episodes.

    The power is at most 1, and falls while games meet again what they know, so that a forecast is rather too large.

    Examples
    --------
    >>> growth = Growth([(1000, 100), (2000, 190)])
    >>> round(growth.power, 3), growth.states_after(4000), growth.episodes_with(361)
    (0.926, 361, 4000)
    """

    def __init__(self, points: list[tuple[int, int]]) -> None:
        self.points = [point for point in points if point[0] > 0 and point[1] > 0]

    def add(self, episodes: int, states: int) -> None:
        """Note how many states there are now; points that are near to the last one are left out."""
        if states > 0 and (not self.points or episodes >= 1.02 * self.points[-1][0]):
            self.points.append((episodes, states))

    @property
    def is_measured(self) -> bool:
        """Whether there is a point at half of the episodes, or before."""
        return bool(self.points) and 2 * self.points[0][0] <= self.points[-1][0]

    @property
    def power(self) -> float:
        """The exponent, from 0 to 1; 1 where nothing is measured."""
        if not self.is_measured:
            return 1.0
        last, states = self.points[-1]
        half, fewer = [point for point in self.points if 2 * point[0] <= last][-1]
        return min(1.0, max(0.0, log(states / fewer) / log(last / half)))

    def states_after(self, episodes: int) -> int:
        """Return the states after some episodes; 0 where nothing is known."""
        if not self.points:
            return 0
        last, states = self.points[-1]
        return round(states * pow(max(episodes, last) / last, self.power))

    def episodes_with(self, states: int) -> int:
        """Return the episodes after which there are some states; 0 where nothing is known."""
        if not self.points or not self.power:
            return self.points[-1][0] if self.points else 0
        last, known = self.points[-1]
        return round(last * pow(states / known, 1 / self.power))


class Watch:
    """Says whether a run may go on: its values do not grow, and fit from the beginning or never."""

    def __init__(self, run: TrainingRun, limit: int | None) -> None:
        self.config, self.limit = run.config, available_memory() if limit is None else limit
        self.needed = run.values.run_bytes

    def stops(self, done: int) -> bool:
        """Return whether the chunk after `done` chunks might need more than the limit."""
        return self.needed > self.limit

    def warn(self, done: int, say: Callable[[Forecast], None] | None) -> None:
        """Note how the run has grown, and say once if by this it will not fit: not here, such a run stops at once."""

    def error(self, run: TrainingRun) -> MemoryLimitError:
        """Return what is raised where a run stops."""
        forecast = Forecast(run.values.sizes().get("states", 0), self.needed, self.limit, run.episodes)
        message = (
            f"expected {self.config.game} to fit {size_text(self.limit)} of memory, its values need"
            f" {size_text(self.needed)}; stopped after {run.episodes:,} of {self.config.episodes:,} episodes"
        )
        return MemoryLimitError(message, run, forecast)


class GrowthWatch(Watch):
    """Says whether a run on a hash table may go on, and what it will need.

    Parameters
    ----------
    run
        As it stands; its table is the one that grows.
    limit
        Bytes that it may take; None for `default_limit`, asked again before a doubling and before the run stops.
    """

    def __init__(self, run: TrainingRun, limit: int | None) -> None:
        self.config, self.table = run.config, run.hashed
        self._is_given = limit is not None
        self.limit = default_limit(self.table) if limit is None else limit
        self.growth = Growth([(int(row[0]), int(row[1])) for row in run.history])
        self.growth.add(run.episodes, len(self.table))
        self._pilot = Growth([])
        self._plies = int(api.max_plies(self.config.played.initial_state))
        self._has_warned = False

    def stops(self, done: int) -> bool:
        """Return whether the next chunk might need more than the limit, all its positions being new."""
        states = len(self.table) + self._plies * self._chunk_after(done)
        needed = needed_bytes(states, self.table.slot_bytes)
        if not self._is_given and (slots_for(states) > self.table.capacity or needed > self.limit):
            self.limit = default_limit(self.table)
        return needed > self.limit

    def warn(self, done: int, say: Callable[[Forecast], None] | None) -> None:
        """Note how the run has grown, and say once if by this it will not fit."""
        episodes, total = self.config.episodes_after(done), self.config.episodes
        self.growth.add(episodes, len(self.table))
        if not episodes and self._wants_pilot():
            self._pilot = pilot_growth(self.config)
        if say is None or self._has_warned or done == self.config.num_chunks or not self._known_growth.points:
            return
        forecast = self.forecast(episodes)
        self._has_warned = forecast.needed_bytes > self.limit * (_CLEARLY if episodes < _EARLY * total else 1.0)
        if self._has_warned:
            say(forecast)

    def forecast(self, episodes: int) -> Forecast:
        """Return what the whole run will need, by the growth that is known after some episodes."""
        growth, config = self._known_growth, self.config
        room = self._plies * min(config.chunk_episodes, config.episodes)  # what `stops` asks for before the last chunk
        most = len(self.table) + self._plies * (config.episodes - episodes)
        states = min(growth.states_after(config.episodes), most)
        fitting = max(0, states_that_fit(self.limit, self.table.slot_bytes) - room)
        end = max(episodes, min(growth.episodes_with(fitting), config.episodes))
        return Forecast(
            states,
            needed_bytes(states + room, self.table.slot_bytes),
            self.limit,
            end // config.chunk_episodes * config.chunk_episodes,
        )

    def error(self, run: TrainingRun) -> MemoryLimitError:
        """Return what is raised where a run stops: how far it came, what it would have needed, and what to do."""
        total, slot, chunk = self.config.episodes, self.table.slot_bytes, self._chunk_after(run.chunks_done)
        next_bytes = needed_bytes(len(self.table) + self._plies * chunk, slot)
        forecast = self.forecast(run.episodes)
        message = (
            f"expected the next {chunk:,} episodes to fit {size_text(self.limit)} of memory, they may need"
            f" {size_text(next_bytes)}; stopped after {run.episodes:,} of {total:,} episodes,"
            f" {len(self.table):,} states"
        )
        if self._known_growth.points:
            message += f", the whole run would need about {size_text(forecast.needed_bytes)}"
        message += "; train fewer episodes" if run.episodes else "; train fewer episodes a chunk"
        if self.config.algorithm != AFTERSTATE:
            message += f", or afterstates ({AFTERSTATE_BYTES} bytes a state instead of {slot})"
        return MemoryLimitError(f"{message}, or give more memory", run, forecast)

    def _chunk_after(self, done: int) -> int:
        """Return the episodes of the next chunk."""
        return self.config.episodes_after(done + 1) - self.config.episodes_after(done)

    @property
    def _known_growth(self) -> Growth:
        """That of the run or, where this says little yet, of a pilot."""
        return self._pilot if self._pilot.points and not self.growth.is_measured else self.growth

    def _wants_pilot(self) -> bool:
        """Whether the run might not fit, and a pilot will."""
        most = self._plies * self.config.episodes
        least, needed = (
            needed_bytes(states, self.table.slot_bytes) for states in (self._plies * _PILOT_EPISODES, most)
        )
        return least <= self.limit < needed and self.config.episodes > 2 * _PILOT_EPISODES


def watch_memory(run: TrainingRun, limit: int | None) -> Watch:
    """Return the watch over a run's values."""
    if limit is not None and not (isinstance(limit, int) and limit > 0):
        raise UsageError(f"expected a memory limit of one byte or more, as an integer, got {limit!r}")
    return GrowthWatch(run, limit) if run.values.grows else Watch(run, limit)


def pilot_growth(config: TrainingConfig) -> Growth:
    """Return how a miniature of a run grows, with its schedules, over a thousand episodes."""
    small = replace(config, episodes=_PILOT_EPISODES, chunk_episodes=_PILOT_EPISODES // 2)
    table, growth = empty_hash_table(small), Growth([])
    learner = GeneralLearner(small, [], table, np.zeros(3, np.int64))
    for chunk in range(small.num_chunks):
        learner.run_chunks(chunk, chunk + 1)
        growth.add(small.episodes_after(chunk + 1), len(table))
    return growth


def size_text(number: float) -> str:
    """Return a number of bytes for a reader.

    Examples
    --------
    >>> size_text(346_030_080), size_text(69_500_000_000), size_text(81_920)
    ('346 MB', '69.5 GB', '0.08 MB')
    """
    value, unit = (number / 1e9, "GB") if number >= 999.5e6 else (number / 1e6, "MB")
    return f"{value:,.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f} {unit}"
