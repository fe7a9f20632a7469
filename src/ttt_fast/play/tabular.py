"""Games between policies over a table, in chunks: played move by move, or drawn at once from their exact law."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import whole_number
from ttt_fast.core.errors import FileFormatError
from ttt_fast.core.manifest import JsonObject, available_cores
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import StreamKey, chunk_stream
from ttt_fast.evaluate.outcome import Pair, exact_outcome
from ttt_fast.games import api
from ttt_fast.play.contest_config import ContestConfig, Seating
from ttt_fast.play.edges import compile_edges
from ttt_fast.play.packed import compile_packed
from ttt_fast.play.results import SeatResult, counted_seat
from ttt_fast.play.session import ContestFile, Counts, load_counts, save_counts
from ttt_fast.policies.policy import Policy, check_pair
from ttt_fast.running.executors import attended, run_chunks
from ttt_fast.running.interrupts import RunInterrupted, StopRequest, interrupted_by

Progress = Callable[[int, str], None]
SECONDS_BETWEEN_SAVES = 5.0


class Sampler(Protocol):
    """A joint policy prepared for games from one first state."""

    def play(self, games: int, stream: np.uint64) -> NDArray[np.int64]:
        """Return how many of `games` games end in each state, (S,) int64; the stream decides every bit."""


class _Law(NamedTuple):
    """The exact distribution of the final states, from the rarest to the most frequent one: (T,) states and shares."""

    num_states: int
    ends: NDArray[np.intp]
    shares: NDArray[np.float64]

    def play(self, games: int, stream: np.uint64) -> NDArray[np.int64]:
        """Draw all games at once: independent games are multinomial."""
        counts = np.zeros(self.num_states, np.int64)
        counts[self.ends] = np.random.default_rng(stream).multinomial(games, self.shares)
        return counts


def join(x: Policy, o: Policy, *, random_opening: bool = False, start: int = 0) -> Policy:
    """Return the joint policy of a match: the rows of `x` for X to move, and those of `o` for O to move.

    Parameters
    ----------
    x, o
        The policies of the two seats.
    random_opening
        Whether the first move, from `start`, is drawn uniformly instead.
    start
        State index of the first board.

    Raises
    ------
    PolicyError
        If the policies play different games.
    """
    x, o = check_pair(x, o)
    table = x.table
    start = table.check_state(start)
    x_turn = table.player == api.X
    name, held = f"{x.name} v {o.name}", np.where(x_turn, x.held, o.held)
    x_edges = x_turn[table.edge_state]
    first = slice(table.edge_start[start], table.edge_start[start + 1])
    if x.edge_weights is not None and o.edge_weights is not None:
        weights = np.where(x_edges, x.edge_weights, o.edge_weights)
        if random_opening:
            weights[first] = 1
        return Policy.from_weights(table, weights, name, held=held)
    probabilities = np.where(x_edges, x.edge_probabilities, o.edge_probabilities)
    if random_opening:
        probabilities[first] = 1 / max(first.stop - first.start, 1)
    return Policy(name, table, "probabilities", frozen(probabilities), held=held)


def sampler_of(joint: Policy, config: ContestConfig) -> Sampler:
    """Return the sampler of a joint policy (`join`): packed for a small table, else along its edges.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> int(sampler_of(as_policy("random"), ContestConfig(1000)).play(1000, np.uint64(1)).sum())
    1000
    """
    if config.method == "play":
        return compile_packed(joint, config.start) or compile_edges(joint, config.start)
    table, reach = joint.table, Pair(joint, joint, {config.start: 1.0}).reach
    ends = np.flatnonzero(~table.decision_mask & (reach > 0))
    ends = ends[np.argsort(reach[ends], kind="stable")]  # numpy gives what rounding leaves over to the last one
    return _Law(table.num_states, ends, reach[ends] / reach[ends].sum())


def play_chunks(
    x: Policy, o: Policy, config: ContestConfig, threads: int | None = None, first: int = 0
) -> Iterator[NDArray[np.int64]]:
    """Yield how many games of each chunk end in each state, (S,) int64, from the chunk `first` on.

    Kernels are loaded or compiled before this function returns.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> [int(counts.sum()) for counts in play_chunks(*map(as_policy, ("minimax", "random")), ContestConfig(1000))]
    [1000]
    """
    threads = available_cores() if threads is None else whole_number(threads, "threads", 1)
    sampler = sampler_of(join(x, o, random_opening=config.random_opening, start=config.start), config)
    sampler.play(0, np.uint64(0))
    key = config.seed, StreamKey.TABULAR_GAMES, config.match_index

    def work(chunk: int) -> NDArray[np.int64]:
        stream = chunk_stream(*key) if config.method == "propagate" else chunk_stream(*key, chunk)
        return attended(lambda: sampler.play(config.games_after(chunk + 1) - config.games_after(chunk), stream))

    return run_chunks(work, first, config.num_chunks, threads)


class TabularGames:
    """The tabular games of a contest, one seating after the other.

    Parameters
    ----------
    policies, seatings
        The policies of the agents, and the seatings to play.
    described
        The contest, for its file.
    target
        The file of the counts, if there is one; `play` updates it.
    threads, on_progress
        As for `contest`.
    """

    tally = None

    def __init__(
        self,
        policies: Sequence[Policy],
        seatings: Sequence[Seating],
        described: JsonObject,
        target: ContestFile | None,
        threads: int | None,
        on_progress: Progress | None,
    ) -> None:
        self._seatings, self._described, self._target = seatings, described, target
        self._threads, self._on_progress = threads, on_progress
        table, configs = policies[0].table, [seating.config for seating in seatings]
        self._counts = [Counts(np.zeros(table.num_states, np.int64), wanted=config.games) for config in configs]
        if target is not None and target.resumed:
            self._counts = load_counts(target.path, described, configs, table)
        self._pairs = [(policies[seating.x], policies[seating.o]) for seating in seatings]
        self._exact = [
            exact_outcome(*pair, start=config.start, random_opening=config.random_opening)
            for pair, config in zip(self._pairs, configs, strict=True)
        ]
        self._saved_at = time.monotonic()

    def play(self, stop: StopRequest) -> None:
        """Play the missing games, until a signal requests a stop."""
        for number, seating in enumerate(self._seatings):
            if self._counts[number].games < seating.config.games:
                with suppress(RunInterrupted), interrupted_by(stop.check):  # which drops the chunks in progress
                    self._play(number, stop)
            if stop.requested:
                break
        self._save()

    def _play(self, number: int, stop: StopRequest) -> None:
        counted, config, pair = self._counts[number], self._seatings[number].config, self._pairs[number]
        before, done, replaced = replace(config, games=counted.wanted), counted.chunks_done, None
        if before.games_after(done) < config.games_after(done):  # the last chunk was shorter, and is played as a whole
            done -= 1
            (replaced,) = play_chunks(*pair, before, 1, done)
            if (replaced > counted.counts).any():
                raise FileFormatError("expected counts that contain the last chunk, got others; the file is damaged")
        began = time.perf_counter() - counted.seconds
        for counts in play_chunks(*pair, config, self._threads, done):
            counted.counts += counts if replaced is None else counts - replaced
            done, replaced = done + 1, None
            counted.chunks_done, counted.wanted = done, config.games
            counted.seconds = time.perf_counter() - began
            if self._on_progress is not None:
                self._on_progress(sum(one.games for one in self._counts), "")
            if time.monotonic() - self._saved_at > SECONDS_BETWEEN_SAVES:
                self._save()
            if stop.requested:
                break

    def _save(self) -> None:
        if self._target is not None:
            save_counts(self._target.path, self._described, self._counts)
            self._saved_at = time.monotonic()

    def seats(self) -> list[SeatResult]:
        """Return the results of the seatings."""
        return [
            counted_seat(counted, exact, seating.config.games)
            for counted, exact, seating in zip(self._counts, self._exact, self._seatings, strict=True)
        ]

    @property
    def complete(self) -> bool:
        """Whether all games have been played."""
        return all(one.games == seating.config.games for one, seating in zip(self._counts, self._seatings, strict=True))
