"""The levels that an agent's play in one seat induces: enumeration with forecasts and limits, a check of answers."""

import hashlib
from collections.abc import Callable, Iterator
from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.sources import Source
from ttt_fast.core.errors import AgentError, TableSizeError
from ttt_fast.core.manifest import available_cores, available_memory
from ttt_fast.core.plain import frozen
from ttt_fast.evaluate.levels import LevelOutcome
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.rows import RowBook
from ttt_fast.running.executors import run_chunks
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import report_progress
from ttt_fast.tables import large
from ttt_fast.tables.fragment import fragment_of
from ttt_fast.tables.levels import ALL, CHUNK, Level, Levels, next_keys, seats_of
from ttt_fast.tables.state_table import FixedSeat

_PER_LEVEL = 128
"""States of each level that are queried again, in another order."""
_PER_QUERY = 1 << 14
"""States of one query, so that several threads share a chunk."""
MAX_POSITIONS = 1e9
"""Default limit of positions: an hour of work, and nine gigabytes."""
BYTES_OF_A_POSITION = 9
"""A key and a code."""
_BYTES_IN_WORK = 64
"""Memory for each state of the largest two levels: keys, hash table, probabilities and residues."""
_LAST_GROWTH = -0.3
"""Growth over the last two plies, in logarithms, with which the forecasts were closest."""
_SURE = 50_000
"""States of the first level from which a forecast counts."""


class InducedSizeError(TableSizeError):
    """The states that an agent's play induces exceed a limit.

    Attributes
    ----------
    levels
        The levels found so far, which are partial.
    forecast
        The expected number of positions in all.
    outcome
        What is exact so far against random: the games that have ended within the partial levels; None if unknown.
    """

    def __init__(self, text: str, levels: Levels, forecast: float, outcome: LevelOutcome | None = None) -> None:
        super().__init__(text)
        self.levels, self.forecast, self.outcome = levels, forecast, outcome


def forecast(sizes: list[int], plies: int) -> float:
    """Return the expected number of positions in all, from the sizes of the first levels.

    The growth over two plies, in logarithms, is expected to decline linearly until the board is full: so it does for
    the scripted rule and for n-tuples of Connect 4, whose totals are forecast within a factor of three from ply 14 on.

    Examples
    --------
    >>> round(forecast([1, 7, 7, 42, 41, 240, 146, 800, 433], 42))
    14261744
    """
    if len(sizes) < 5 or len(sizes) >= plies:
        return float(sum(sizes))
    logs = [log(max(size, 1)) for size in sizes]
    growth = (logs[-1] - logs[-3] + logs[-2] - logs[-4]) / 2
    step = (_LAST_GROWTH - growth) / (plies - len(sizes))
    total = float(sum(sizes))
    for _ in range(len(sizes), plies):
        growth += step
        logs.append(logs[-2] + growth)
        total += exp(logs[-1])
    return total


class Limits(NamedTuple):
    """Limits of an enumeration.

    Attributes
    ----------
    positions
        Largest number of positions.
    memory
        Bytes of memory.
    """

    positions: float
    memory: float

    @classmethod
    def default(cls, positions: float | None = None) -> "Limits":
        """Return the limits of this machine, and at most `positions`, if it is given."""
        memory, disk = float(available_memory()), min(large.quota(), large.free_bytes())
        room = min(MAX_POSITIONS, max(disk, memory / 4) / BYTES_OF_A_POSITION)
        return cls(room if positions is None else min(room, positions), memory)


class _Builder:
    """An enumeration in progress."""

    def __init__(self, source: Source, game: Game, seat: int, limits: Limits, digest: str) -> None:
        self.source, self.game, self.seat, self.limits = source, game, seat, limits
        self.book, self.levels, self.deterministic = RowBook(game.num_actions), list[Level](), True
        self.ends: list[NDArray[np.int64]] = []
        self.samples: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []
        self.digest, self.random = digest, np.random.default_rng(0)

    def result(self, is_partial: bool) -> Levels:
        """Return the levels found so far."""
        fixed = FixedSeat(self.seat, self.source.name, self.digest or self._hash_of_answers())
        ends = np.array(self.ends, np.int64).reshape(-1, 4)
        return Levels(
            self.game, fixed, tuple(self.levels), frozen(self.book.rows), frozen(ends), self.deterministic, is_partial
        )

    def _hash_of_answers(self) -> str:
        """Return a hash of all choices, which identifies an agent that no text determines."""
        digest = hashlib.sha256(self.book.rows.tobytes())
        for level in self.levels:
            digest.update(np.ascontiguousarray(level.codes).data)
        return digest.hexdigest()

    def answers(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the codes of the agent in some states of its seat."""

        def ask(piece: int) -> Policy:
            return self.source.policy(fragment_of(self.game, keys[piece * _PER_QUERY : (piece + 1) * _PER_QUERY]))

        pieces = -(-keys.size // _PER_QUERY)
        threads = min(available_cores(), pieces) if self.source.shares_threads else 1
        found = [self.book.codes(policy) for policy in run_chunks(ask, 0, pieces, max(threads, 1))]
        return np.concatenate(found) if found else np.zeros(0, np.int32)

    def coded(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the codes of the states of a level."""
        codes, samples = np.full(keys.size, ALL, np.int32), []
        for first in range(0, keys.size, CHUNK):
            part = keys[first : first + CHUNK]
            own = np.flatnonzero(seats_of(self.game, part) == self.seat)
            if own.size:
                answers = self.answers(part[own])
                codes[first + own] = answers
                several = answers == ALL
                if several.any():
                    several[several] = np.diff(fragment_of(self.game, part[own][several]).edge_start) > 1
                self.deterministic &= not (several.any() or (answers >= self.game.num_actions).any())
                chosen = self.random.permutation(own.size)[:_PER_LEVEL]
                samples.append((part[own[chosen]], answers[chosen]))
            check_interrupt()
            report_progress(f"positions with {self.source.name}", self.done + first + part.size, None, "positions")
        if samples:
            kept = np.concatenate([one[0] for one in samples]), np.concatenate([one[1] for one in samples])
            chosen = self.random.permutation(kept[0].size)[:_PER_LEVEL]
            self.samples.append((kept[0][chosen], kept[1][chosen]))
        return codes

    @property
    def done(self) -> int:
        """Positions in the finished levels."""
        return sum(level.keys.size for level in self.levels)

    def check_limits(self, plies: int, found: int) -> None:
        """Raise InducedSizeError if the limits are exceeded, or will be."""
        sizes = [level.keys.size for level in self.levels]
        expected = forecast(sizes, plies)
        is_sure = max(sizes) >= _SURE and len(sizes) > plies // 4
        largest = max(*sizes, found)
        over = self.done + found > self.limits.positions or largest * _BYTES_IN_WORK > self.limits.memory
        if not over and not (is_sure and expected > 2 * self.limits.positions):
            return
        self.check_answers()  # an agent that draws its moves is refused for this reason
        expected = max(expected, float(self.done + found))
        limit = min(self.limits.positions, self.limits.memory / _BYTES_IN_WORK * 4)
        raise InducedSizeError(
            f"expected at most {limit:,.0f} positions of {self.game.spec} against the agent, got {self.source.name!r}:"
            f" {self.done:,} up to ply {len(sizes) - 1}, forecast {expected:.2g} in all",
            self.result(is_partial=True),
            expected,
        )

    def check_answers(self) -> None:
        """Query samples of all levels again in another order; raise AgentError if an answer differs."""
        for keys, codes in reversed(self.samples):
            again = self.answers(keys[::-1])[::-1]
            wrong = np.flatnonzero(again != codes)
            if wrong.size:
                board = fragment_of(self.game, keys[wrong[:1]]).board(0)
                raise AgentError(
                    f"expected an agent that always answers alike, but {self.source.name!r} gave two answers at"
                    f" {board!r}; `ttt-fast match` plays with such agents"
                )


def make_levels(
    source: Source,
    game: Game,
    seat: int,
    limits: Limits,
    digest: str = "",
    keep: Callable[[Level, int], Level] = lambda level, ply: level,
) -> Levels:
    """Return the states that remain when an agent moves in one seat.

    Parameters
    ----------
    source
        The agent, which is queried once in each state of its seat, and again in a sample.
    game
        A game with exact keys.
    seat
        The seat of the agent.
    limits
        Limits of the enumeration.
    digest
        The hash that identifies the agent (default: that of its answers).
    keep
        Called with each finished level and its ply; returns the level, for example with its arrays mapped from files.

    Raises
    ------
    InducedSizeError
        If there are more positions than the limits allow, or the forecast says so.
    AgentError
        If the agent does not always answer alike.
    """
    if not api.has_exact_key(game.initial_state):
        raise TableSizeError(f"expected a game whose states can be enumerated, got {game.spec!r}")
    plies = int(api.max_plies(game.initial_state))
    building = _Builder(source, game, seat, limits, digest)
    keys = frozen(np.array([int(api.state_key(game.initial_state))], np.uint64))
    while keys.size:
        codes = building.coded(keys)
        level = Level.encoded(keys, codes, len(building.book.rows))
        building.levels.append(keep(level, len(building.levels)))
        ends = np.zeros(4, np.int64)
        building.ends.append(ends)
        building.check_limits(plies, 0)

        def report(found: int) -> None:
            building.check_limits(plies, found)
            check_interrupt()

        keys = next_keys(game, building.levels[-1], frozen(building.book.rows > 0), ends, report)
    building.check_answers()
    return building.result(is_partial=False)


def sampled(
    levels: Levels, most: Callable[[int], int], seed: int = 0
) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
    """Yield each ply of the fixed seat with its states, and a sample of them, drawn without replacement.

    Parameters
    ----------
    levels
        The states.
    most
        Returns the size of the sample of a ply.
    seed
        Seed of the samples.
    """
    random = np.random.default_rng(seed)
    for ply, level in enumerate(levels.levels):
        own = np.flatnonzero(seats_of(levels.game, level.keys) == levels.fixed.seat)
        if own.size:
            yield ply, own, np.sort(random.permutation(own)[: most(ply)])
