"""Matches of many games between two policies: chunked, threaded, interruptible, resumable."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import AgentLike, as_policies
from ttt_fast.core.checks import set_whole_numbers, whole_number
from ttt_fast.core.errors import UsageError
from ttt_fast.core.manifest import available_cores
from ttt_fast.core.rng import StreamKey, chunk_stream
from ttt_fast.evaluate.outcome import Pair
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.results import outcome_of
from ttt_fast.play.edge_sampler import compile_edge_sampler, sample_games
from ttt_fast.play.packed import play_games
from ttt_fast.play.sampler import compile_sampler
from ttt_fast.policies.joint import check_pair, join
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import run_chunks
from ttt_fast.running.interrupts import OnInterrupt, stop_between_chunks
from ttt_fast.tables import ROOT, StateTable, reachable_mask

Method = Literal["play", "propagate"]
MAX_GAMES = 10**18
"""Maximum number of games: counts are int64."""
DEFAULT_CHUNK_GAMES = 2_000_000
"""About 10 ms of play: short enough for a quick Ctrl-C, long enough to hide the cost of a chunk."""


@dataclass(frozen=True)
class MatchConfig:
    """All settings that, with the two policies, determine the result of a match bit for bit.

    Attributes
    ----------
    games
        Number of games.
    seed
        Seed of the streams, non-negative.
    method
        `play` plays every move; `propagate` draws the counts of the final states from their exact distribution.
    random_opening
        Whether the first move is drawn uniformly instead of by the policy to move.
    start
        State index of the first board.
    chunk_games
        Games per chunk (`play`); each chunk has its own stream.
    match_index
        Index of the match among the matches that share a seed; each has its own streams.

    Examples
    --------
    >>> MatchConfig(1e6, seed=1).num_chunks
    1
    """

    games: int
    seed: int = 0
    method: Method = "play"
    random_opening: bool = False
    start: int = ROOT
    chunk_games: int = DEFAULT_CHUNK_GAMES
    match_index: int = 0

    def __post_init__(self) -> None:
        """Check the counts and names."""
        set_whole_numbers(self, "games", "seed", "start", "chunk_games", "match_index")
        if not 0 <= self.games <= MAX_GAMES:
            raise UsageError(f"expected 0 to {MAX_GAMES:.0e} games, got {self.games!r}")
        if self.seed < 0:
            raise UsageError(f"expected a seed of at least 0, got {self.seed!r}")
        if self.chunk_games < 1:
            raise UsageError(f"expected at least one game per chunk, got {self.chunk_games!r}")
        if self.method not in ("play", "propagate"):
            raise UsageError(f"expected 'play' or 'propagate' as the method, got {self.method!r}")

    @property
    def num_chunks(self) -> int:
        """Number of chunks; `propagate` has a single one."""
        return min(self.games, 1) if self.method == "propagate" else ceil(self.games / self.chunk_games)

    def games_in_chunk(self, chunk: int) -> int:
        """Return the number of games in a chunk; the last one is shorter."""
        if self.method == "propagate":
            return self.games
        return min(self.chunk_games, self.games - chunk * self.chunk_games)

    def games_after(self, chunks: int) -> int:
        """Return the number of games in the first `chunks` chunks."""
        return min(chunks * (self.games if self.method == "propagate" else self.chunk_games), self.games)


class MatchResult(NamedTuple):
    """The counts of a match, or of the part of it that was played.

    Attributes
    ----------
    x, o
        Agent strings.
    table
        The game.
    counts : (S,) int64
        Games that ended in each state.
    games
        Games played; fewer than requested if the match was interrupted.
    chunks_done
        Chunks that the counts contain: chunks 0 to chunks_done - 1.
    seconds
        Wall time of the playing.
    reachable_boards
        Number of final boards that have a positive probability.
    complete
        Whether all games have been played.

    Examples
    --------
    >>> result = play_match("minimax", "random", 1000)
    >>> result.games, result.o_wins
    (1000, 0)
    """

    x: str
    o: str
    table: StateTable
    counts: NDArray[np.int64]
    games: int
    chunks_done: int
    seconds: float
    reachable_boards: int
    complete: bool

    def __repr__(self) -> str:
        """Return a one-line description of the result."""
        counts = f"X wins {self.x_wins:,}, draws {self.draws:,}, O wins {self.o_wins:,}"
        return f"<MatchResult of {self.x} v {self.o} in {self.table.game.spec}: {counts}>"

    def count_of(self, status: int) -> int:
        """Return the number of games that ended with a status code."""
        return int(self.counts[self.table.status == status].sum())

    @property
    def x_wins(self) -> int:
        """Games that X won."""
        return self.count_of(api.X_WINS)

    @property
    def draws(self) -> int:
        """Games that were drawn."""
        return self.count_of(api.DRAW)

    @property
    def o_wins(self) -> int:
        """Games that O won."""
        return self.count_of(api.O_WINS)

    @property
    def distinct_boards(self) -> int:
        """Number of different final boards seen."""
        return int(np.count_nonzero(self.counts))

    @property
    def games_per_second(self) -> float:
        """Games a second of wall time."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    def lengths(self) -> NDArray[np.int64]:
        """Return the number of games by result (rows: X wins, draw, O wins) and length, (3, P + 1) int64."""
        lengths = np.zeros((3, self.table.num_plies + 1), np.int64)
        for status in (api.X_WINS, api.DRAW, api.O_WINS):
            chosen = self.table.status == status
            np.add.at(lengths[outcome_of(status)], self.table.ply[chosen], self.counts[chosen])
        return lengths


def play_match(
    x: AgentLike,
    o: AgentLike,
    config: MatchConfig | int = 1_000_000,
    *,
    game: Game | str | None = None,
    threads: int | None = None,
    resumed: MatchResult | None = None,
    on_chunk: Callable[[MatchResult], None] | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> MatchResult:
    """Play a match.

    Parameters
    ----------
    x, o
        The agents of the two seats, which have policies over the table of one game.
    config
        Games, seed, method, opening, chunk size; or the number of games alone.
    game
        The game of agents that are not policies (default: the game of the other agent, else tic-tac-toe).
    threads
        Threads that share the chunks; the result does not depend on it.
    resumed
        The result of the same match before an interruption; its chunks are not played again.
    on_chunk
        Called with the result so far after every chunk.
    on_interrupt
        The response to a signal (Ctrl-C, SIGTERM, SIGHUP), which stops the match.  `raise`: raise `RunInterrupted` with
        the partial result; `return`: return the partial result, whose `complete` is False.

    Returns
    -------
    MatchResult
        The counts of all games.  After a signal with `on_interrupt="return"`, the counts of the games until then.

    Raises
    ------
    RunInterrupted
        If a signal has stopped the match (`on_interrupt`).

    Examples
    --------
    >>> result = play_match("minimax", "random", 10_000)
    >>> result.games, result.o_wins
    (10000, 0)
    """
    config = config if isinstance(config, MatchConfig) else MatchConfig(config)
    threads = available_cores() if threads is None else whole_number(threads, "threads")
    if threads < 1:
        raise UsageError(f"expected at least one thread, got {threads!r}")
    x, o = check_pair(*as_policies(x, o, game))
    table = x.table
    table.check_state(config.start)
    joint = join(x, o, random_opening=config.random_opening, start=config.start)
    counts = np.zeros(table.num_states, np.int64) if resumed is None else resumed.counts.copy()
    done = 0 if resumed is None else resumed.chunks_done
    before = 0.0 if resumed is None else resumed.seconds
    reachable = int((reachable_mask(table, joint.edge_probabilities > 0, config.start) & ~table.decision_mask).sum())
    work = _worker(joint, config)
    started = time.perf_counter()

    def result() -> MatchResult:
        seconds = before + time.perf_counter() - started
        games, complete = int(counts.sum()), done == config.num_chunks
        return MatchResult(x.name, o.name, table, counts, games, done, seconds, reachable, complete)

    with stop_between_chunks(on_interrupt) as stop:
        for chunk_counts in run_chunks(work, done, config.num_chunks, threads):
            counts += chunk_counts
            done += 1
            if on_chunk is not None:
                on_chunk(result())
            if stop.requested:
                break
        stop.result = found = result()
    return found


def _worker(joint: Policy, config: MatchConfig) -> Callable[[int], NDArray[np.int64]]:
    """Return the function that plays one chunk."""
    key = StreamKey.TABULAR_GAMES, config.match_index
    if config.method == "propagate":
        return lambda chunk: _drawn(joint, config, np.random.default_rng(chunk_stream(config.seed, *key)))
    sampler = compile_sampler(joint, config.start)
    if sampler is None:
        play = partial(sample_games, compile_edge_sampler(joint, config.start))
    else:
        play = partial(play_games, sampler)
    play(0, np.uint64(0))  # loads or compiles the kernel, which is not part of the playing time
    return lambda chunk: play(config.games_in_chunk(chunk), chunk_stream(config.seed, *key, chunk))


def _drawn(joint: Policy, config: MatchConfig, generator: "np.random.Generator") -> NDArray[np.int64]:
    """Draw the number of games that end in each state, (S,) int64, all at once: independent games are multinomial."""
    table, reach = joint.table, Pair(joint, joint, {config.start: 1.0}).reach
    ends = np.flatnonzero(~table.decision_mask & (reach > 0))
    ends = ends[np.argsort(reach[ends], kind="stable")]  # numpy gives what rounding leaves over to the last one
    counts = np.zeros(table.num_states, np.int64)
    counts[ends] = generator.multinomial(config.games, reach[ends] / reach[ends].sum())
    return counts
