"""The speed of playing, learning and evaluating on this machine: the rows of `ttt-fast bench`.

The folder bench/ compares the same measurements with straightforward kernels and with other programs.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.agents.registry import parse_agent
from ttt_fast.core.manifest import available_cores
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.games.registry import GAMES, parse_game
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.play.match import MatchConfig, play_match
from ttt_fast.policies.best_response import best_response
from ttt_fast.policies.policy import Policy
from ttt_fast.search.connect_four.solver import load_kernels
from ttt_fast.search.perft import perft
from ttt_fast.search.random_play import play_random_games
from ttt_fast.tables import solve, table_of
from ttt_fast.tables.enumeration import enumerate_game


class Candidate(NamedTuple):
    """A function to time.

    Attributes
    ----------
    name
        The work that it does.
    unit
        The unit of the count: games, episodes, calls.
    units
        Units that one call of `run` makes.
    run
        Does the work once.
    """

    name: str
    unit: str
    units: int
    run: Callable[[], object]


def measure(candidates: Sequence[Candidate], seconds: float, repeats: int) -> list[dict[str, Any]]:
    """Time candidates in turn, so that a slow minute of the machine meets them all.

    Parameters
    ----------
    candidates
        The functions to time; each runs twice first, which loads its kernels and sets the number of calls.
    seconds
        Least length of a repeat.
    repeats
        Repeats, of which the median counts.

    Returns
    -------
    list of dict
        Name, unit, median rate, seconds a unit, all rates, and the time of the very first call.
    """
    first, calls = [], []
    for one in candidates:
        first.append(_timed(one.run, 1))
        once = _timed(one.run, 1)
        calls.append(max(1, int(np.ceil(seconds / once))))
    rates: list[list[float]] = [[] for _ in candidates]
    for _ in range(repeats):
        for index, one in enumerate(candidates):
            rates[index].append(one.units * calls[index] / _timed(one.run, calls[index]))
    return [
        {
            "what": one.name,
            "unit": one.unit,
            "per_second": statistics.median(rates[index]),
            "seconds_each": 1 / statistics.median(rates[index]),
            "slowest": min(rates[index]),
            "fastest": max(rates[index]),
            "first_call_seconds": first[index],
        }
        for index, one in enumerate(candidates)
    ]


def _timed(run: Callable[[], object], calls: int) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        run()
    return time.perf_counter() - started


def play_candidate(name: str, x: Policy, o: Policy, threads: int, games: int = 20_000_000) -> Candidate:
    """Return the candidate that plays a match."""
    config = MatchConfig(games=games)
    return Candidate(name, "games", games, lambda: play_match(x, o, config, threads=threads))


def train_candidate(name: str, opponent: Policy, episodes: int = 20_000_000, seat: int = 1) -> Candidate:
    """Return the candidate that trains a whole run, with its schedule and exact scores on the way."""
    config = TrainingConfig(opponent=opponent.name, episodes=episodes, seat=seat)
    return Candidate(name, "episodes", episodes, lambda: train(start_training(config), opponent))


def candidates(threads: int | None = None) -> list[Candidate]:
    """Return the candidates that `ttt-fast bench` measures."""
    many = threads or available_cores()
    random, minimax, default = parse_agent("random"), parse_agent("minimax"), parse_agent("default")
    mixed = parse_agent("mix:1/2*minimax+1/2*random")
    trillion = MatchConfig(games=10**15, method="propagate")
    found = [
        play_candidate("play random v random, 1 thread", random, random, 1),
        play_candidate("play mix v default, 1 thread", mixed, default, 1),
    ]
    if many > 1:
        found.append(play_candidate(f"play random v random, {many} threads", random, random, many))
    return [
        *found,
        Candidate("propagate 10^15 games, random v random", "calls", 1, lambda: play_match(random, random, trillion)),
        train_candidate("train v random as X, 1 thread", random),
        train_candidate("train v random as O, 1 thread", random, seat=2),
        Candidate("exact result, random v random", "calls", 1, lambda: exact_outcome(random, random)),
        Candidate("exact result, minimax v random", "calls", 1, lambda: exact_outcome(minimax, random)),
        Candidate("best response to random", "calls", 1, lambda: best_response(random, seat=1)),
        Candidate("exploitability of random", "calls", 1, lambda: exploitability(random)),
        Candidate("never loses? minimax as O", "calls", 1, lambda: never_loses(minimax, seat=2)),
        Candidate("agreement of random with minimax", "calls", 1, lambda: agreement(random)),
        Candidate("enumerate and solve", "calls", 1, lambda: solve(enumerate_game(parse_game("tic-tac-toe"), 10_000))),
    ]


def measure_all(seconds: float, repeats: int, threads: int | None = None) -> list[dict[str, Any]]:
    """Return the rows of `ttt-fast bench`."""
    return measure(candidates(threads), seconds, repeats)


def run_every_kernel() -> None:
    """Compile everything that a command may need, by using each kernel once."""
    table_of("tic-tac-toe")
    for one in candidates():
        if one.units == 1:
            one.run()
    random = parse_agent("random")
    play_match(random, random, MatchConfig(games=1000), threads=1)
    best_response(random, 1, "wins")
    for seat in (1, 2):
        train(start_training(TrainingConfig(episodes=1000, seat=seat)), random)
    load_kernels()
    for name in GAMES:
        state = parse_game(name).initial_state
        play_random_games(state, 1, threads=1)
        for depth in (2, 4):
            perft(state, depth, threads=1)
