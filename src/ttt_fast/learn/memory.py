"""The memory of a run: its current size, its limit, and a forecast for the whole run.

While a hash table doubles, old and new arrays coexist: 1.5 times the new size.  A checkpoint needs a sorted copy of the
rows.  A chunk begins only if both would fit for any number of new states.  A run therefore stops between two chunks,
with everything saved.  The limit decides when a run stops, but affects no bit of the learned result.
"""

from collections.abc import Callable
from math import log, pow
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.core.manifest import available_memory
from ttt_fast.games import api
from ttt_fast.learn.checkpoint import TrainingRun
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.initial_values import empty_hash_table
from ttt_fast.learn.learners import GeneralLearner
from ttt_fast.learn.settings import AFTERSTATE
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable, most_rows, slots_for

SHARE_OF_AVAILABLE = 0.75
"""The default limit of a run, as a share of the available memory."""
AFTERSTATE_BYTES = 20
"""Bytes of a slot in a table of afterstates: mark, value and visits."""
_SAVED_KEY_BYTES = 16  # of a saved row: its key again, and the difference from the previous key
_SMALL_BYTES = 1 << 24  # values that fit without a look at the available memory
_PILOT_EPISODES = 1000
_EARLY = 0.1  # part of a run
_CLEARLY = 2.0  # an early forecast, rather too large, is reported if it exceeds the limit by this factor


class MemoryLimitError(TttFastError):
    """A run has stopped because its next chunk might not fit into memory; `run` is its state."""

    def __init__(self, message: str, run: TrainingRun, forecast: "Forecast") -> None:
        super().__init__(message)
        self.run, self.forecast = run, forecast


class Forecast(NamedTuple):
    """The memory that a whole run will need, extrapolated from its growth so far.

    Attributes
    ----------
    states
        Number of rows of the table at the end of the run.
    needed_bytes
        The smallest limit with which the run ends.
    limit_bytes
        The limit of the run.
    episodes_that_fit
        Number of episodes after which the run will stop.
    """

    states: int
    needed_bytes: int
    limit_bytes: int
    episodes_that_fit: int

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers by name, bytes as formatted texts."""
        row = {"states": self.states, "needed": size_text(self.needed_bytes), "limit": size_text(self.limit_bytes)}
        return {**row, "episodes_that_fit": self.episodes_that_fit}


def default_limit(table: HashTable) -> int:
    """Return the default limit in bytes: a share of the available memory and of the table's own memory together."""
    return int(SHARE_OF_AVAILABLE * (available_memory() + table.memory_bytes))


def needed_bytes(states: int, slot_bytes: int) -> int:
    """Return the peak bytes of a table of some states: during its last doubling, or while it is saved.

    Examples
    --------
    >>> needed_bytes(195_541, 660), needed_bytes(195_541, 20)  # 5,000 episodes of Ultimate, and as afterstates
    (519045120, 17525236)
    """
    slots = slots_for(states)
    doubling = slots // 2 * slot_bytes if slots > MIN_CAPACITY else 0
    return slots * slot_bytes + max(doubling, states * (slot_bytes + _SAVED_KEY_BYTES))


def states_that_fit(limit: int, slot_bytes: int) -> int:
    """Return the largest number of states with `needed_bytes` at most a limit, or 0."""
    found, slots = 0, MIN_CAPACITY
    while needed_bytes(most_rows(slots // 2) + 1, slot_bytes) <= limit:
        by_saving = (limit - slots * slot_bytes) // (slot_bytes + _SAVED_KEY_BYTES)
        found, slots = min(most_rows(slots), by_saving), 2 * slots
    return found


class Growth:
    """The number of states as a power of the number of episodes, fitted to the last doubling of the episodes.

    The power is at most 1.  It falls as games revisit known states, so that a forecast is rather too large.

    Examples
    --------
    >>> growth = Growth([(1000, 100), (2000, 190)])
    >>> round(growth.power, 3), growth.states_after(4000), growth.episodes_with(361)
    (0.926, 361, 4000)
    """

    def __init__(self, points: list[tuple[int, int]]) -> None:
        self.points = [point for point in points if point[0] > 0 and point[1] > 0]

    def add(self, episodes: int, states: int) -> None:
        """Record the current number of states; points close to the last one are skipped."""
        if states > 0 and (not self.points or episodes >= 1.02 * self.points[-1][0]):
            self.points.append((episodes, states))

    @property
    def is_measured(self) -> bool:
        """Whether there is a point at or before half of the episodes."""
        return bool(self.points) and 2 * self.points[0][0] <= self.points[-1][0]

    @property
    def power(self) -> float:
        """The exponent, from 0 to 1; 1 if nothing is measured."""
        if not self.is_measured:
            return 1.0
        last, states = self.points[-1]
        half, fewer = [point for point in self.points if 2 * point[0] <= last][-1]
        return min(1.0, max(0.0, log(states / fewer) / log(last / half)))

    def states_after(self, episodes: int) -> int:
        """Return the number of states after some episodes; 0 if unknown."""
        if not self.points:
            return 0
        last, states = self.points[-1]
        return round(states * pow(max(episodes, last) / last, self.power))

    def episodes_with(self, states: int) -> int:
        """Return the number of episodes that lead to some states; 0 if unknown."""
        if not self.points or not self.power:
            return self.points[-1][0] if self.points else 0
        last, known = self.points[-1]
        return round(last * pow(states / known, 1 / self.power))


class Watch:
    """The memory check of a run whose values do not grow: they fit from the beginning or never."""

    def __init__(self, run: TrainingRun, limit: int | None) -> None:
        self.config, self.needed = run.config, run.values.run_bytes
        if limit is None:  # the system's report takes longer than learning from ten thousand episodes
            limit = available_memory() if self.needed > _SMALL_BYTES else _SMALL_BYTES
        self.limit = limit

    def stops(self, done: int) -> bool:
        """Return whether the chunk after `done` chunks might need more than the limit."""
        return self.needed > self.limit

    def warn(self, done: int, say: Callable[[Forecast], None] | None) -> None:
        """Record the growth of a run and report once if it will not fit; here a no-op, since the run stops at once."""

    def error(self, run: TrainingRun) -> MemoryLimitError:
        """Return the error to raise when a run stops."""
        forecast = Forecast(run.values.sizes().get("states", 0), self.needed, self.limit, run.episodes)
        message = (
            f"expected {self.config.game} to fit {size_text(self.limit)} of memory, its values need"
            f" {size_text(self.needed)}; stopped after {run.episodes:,} of {self.config.episodes:,} episodes"
        )
        return MemoryLimitError(message, run, forecast)


class GrowthWatch(Watch):
    """The memory check of a run on a hash table, with a forecast.

    Parameters
    ----------
    run
        The current run, whose table grows.
    limit
        Limit in bytes; None for `default_limit`, queried again before a doubling and before the run stops.
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
        """Return whether the next chunk might need more than the limit if all its positions are new."""
        states = len(self.table) + self._plies * self._chunk_after(done)
        needed = needed_bytes(states, self.table.slot_bytes)
        if not self._is_given and (slots_for(states) > self.table.capacity or needed > self.limit):
            self.limit = default_limit(self.table)
        return needed > self.limit

    def warn(self, done: int, say: Callable[[Forecast], None] | None) -> None:
        """Record the growth of the run, and report once if the forecast exceeds the limit."""
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
        """Return the forecast for the whole run from the growth known after some episodes."""
        growth, config = self._known_growth, self.config
        room = self._plies * min(config.chunk_episodes, config.episodes)  # as `stops` requires before the last chunk
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
        """Return the error to raise when a run stops: its progress, the memory it would need, and possible remedies."""
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
        """Return the growth of the run or, while that is not yet informative, of a pilot run."""
        return self._pilot if self._pilot.points and not self.growth.is_measured else self.growth

    def _wants_pilot(self) -> bool:
        """Return whether the run might not fit, although a pilot run does."""
        most = self._plies * self.config.episodes
        least, needed = (
            needed_bytes(states, self.table.slot_bytes) for states in (self._plies * _PILOT_EPISODES, most)
        )
        return least <= self.limit < needed and self.config.episodes > 2 * _PILOT_EPISODES


def watch_memory(run: TrainingRun, limit: int | None) -> Watch:
    """Return the memory check for a run's values."""
    if limit is not None and not (isinstance(limit, int) and limit > 0):
        raise UsageError(f"expected a memory limit of one byte or more, as an integer, got {limit!r}")
    return GrowthWatch(run, limit) if run.values.grows else Watch(run, limit)


def pilot_growth(config: TrainingConfig) -> Growth:
    """Return the growth of a miniature of a run: its schedules over a thousand episodes."""
    small = config.replace(episodes=_PILOT_EPISODES, chunk_episodes=_PILOT_EPISODES // 2)
    table, growth = empty_hash_table(small), Growth([])
    learner = GeneralLearner(small, [], table, np.zeros(3, np.int64))
    for chunk in range(small.num_chunks):
        learner.run_chunks(chunk, chunk + 1)
        growth.add(small.episodes_after(chunk + 1), len(table))
    return growth


def size_text(number: float) -> str:
    """Format a number of bytes.

    Examples
    --------
    >>> size_text(346_030_080), size_text(69_500_000_000), size_text(81_920)
    ('346 MB', '69.5 GB', '0.08 MB')
    """
    value, unit = (number / 1e9, "GB") if number >= 999.5e6 else (number / 1e6, "MB")
    return f"{value:,.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f} {unit}"
