"""Benchmarks of this machine in playing, learning, evaluating and searching, and compilation of all kernels."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ttt_fast.agents.convert import as_player, as_policy
from ttt_fast.core.errors import TttFastError
from ttt_fast.core.jit import cache_folder
from ttt_fast.core.manifest import available_cores
from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.exact_fractions import exact_fractions
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.games.registry import GAMES, parse_game
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.play.tabular import play_chunks
from ttt_fast.policies.best_response import best_response
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import start_python
from ttt_fast.running.timing import Candidate, disturbances, load, time_in_turn
from ttt_fast.search.connect_four.solver import load_kernels
from ttt_fast.search.perft import perft
from ttt_fast.search.rollouts import random_playout
from ttt_fast.tables import find_symmetry, solve
from ttt_fast.tables.enumeration import enumerate_game
from ttt_fast.training.config import TrainingConfig
from ttt_fast.training.loop import start_training, train

_POSITION = "44444431"
_LARGE, _LARGE_STATES = "connect4:columns=4,rows=5", 1_706_255


def play_candidate(name: str, x: Policy, o: Policy, threads: int, games: int = 20_000_000) -> Candidate:
    """Return the benchmark of a match."""
    config = ContestConfig(games)
    return Candidate(name, "games", games, lambda: sum(play_chunks(x, o, config, threads)))


def candidates(threads: int | None = None) -> list[Candidate]:
    """Return all benchmarks."""
    many = threads or available_cores()
    random, minimax, default = as_policy("random"), as_policy("minimax"), as_policy("default")
    mixed = as_policy("mix:1/2*minimax+1/2*random")
    drawn = ContestConfig(10**15, method="propagate")

    def training(seat: int) -> Candidate:
        """Return the benchmark of a whole training run, with its schedule and its intermediate exact scores."""
        config = TrainingConfig(opponent="random", episodes=20_000_000, seat=seat)
        name = f"train v random as {'XO'[seat - 1]}, 1 thread"
        return Candidate(name, "episodes", config.episodes, lambda: train(start_training(config), random))

    found = [
        play_candidate("play random v random, 1 thread", random, random, 1),
        play_candidate("play mix v default, 1 thread", mixed, default, 1),
    ]
    if many > 1:
        found.append(play_candidate("play random v random, all threads", random, random, many))
    return [
        *found,
        Candidate(
            "propagate 10^15 games, random v random", "calls", 1, lambda: sum(play_chunks(random, random, drawn))
        ),
        *(training(seat) for seat in (1, 2)),
        Candidate("exact result, random v random", "calls", 1, lambda: exact_outcome(random, random)),
        Candidate("exact result, minimax v random", "calls", 1, lambda: exact_outcome(minimax, random)),
        Candidate("best response to random", "calls", 1, lambda: best_response(random, seat=1)),
        Candidate("exploitability of random", "calls", 1, lambda: exploitability(Policy.uniform(random.table))),
        Candidate("never loses? minimax as O", "calls", 1, lambda: never_loses(minimax, seat=2)),
        Candidate("agreement of random with minimax", "calls", 1, lambda: agreement(random)),
        Candidate("enumerate and solve", "calls", 1, lambda: solve(enumerate_game(parse_game("tic-tac-toe"), 10_000))),
    ]


def searches() -> list[Candidate]:
    """Return the benchmarks of searches, and of a table of a million states."""
    ultimate, connect_four = parse_game("ultimate"), parse_game("connect4")

    def searching(spec: str, simulations: int) -> Candidate:
        player = as_player(spec, ultimate)

        def run() -> None:
            player.begin(chunk_stream(0, 0))
            player.search(ultimate.initial_state)

        return Candidate(f"{spec.split(':')[0]} in Ultimate", "simulations", simulations, run)

    position = connect_four.state_after(_POSITION)

    def solving() -> object:
        solver = as_player("solver:tt=16", connect_four)  # whose table is empty
        return solver.search(position)

    small = parse_game(_LARGE)
    random = Policy.uniform(enumerate_game(small, _LARGE_STATES))
    return [
        searching("mcts:sims=2000", 2000),
        searching("mcts-best:sims=2000", 2000),
        searching("learned:sims=2000", 2000),
        Candidate(f"Connect 4 solved after {_POSITION}", "calls", 1, solving),
        Candidate(f"table of {_LARGE_STATES:,} states", "calls", 1, lambda: enumerate_game(small, _LARGE_STATES)),
        Candidate(f"exact result on {_LARGE_STATES:,} states", "calls", 1, lambda: exact_outcome(random, random)),
    ]


def measure_speed(threads: int | None, seconds: float, repeats: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rate of each benchmark as rows, and a text about conditions that made the rates too low.

    Parameters
    ----------
    threads
        Threads of the multi-threaded match (default: all cores).
    seconds, repeats
        The duration of a repeat, and the number of repeats; the rate is their median.
    """
    before = load()
    found = time_in_turn([*candidates(threads), *searches()], seconds, repeats)
    rows = [
        {
            "what": one.candidate.name,
            "unit": one.candidate.unit,
            "per_second": one.per_second,
            "seconds_each": one.seconds_each,
            "slowest": min(one.rates),
            "fastest": max(one.rates),
            "first_call_seconds": one.first_call_seconds,
        }
        for one in found
    ]
    return rows, disturbances(before, found)


def _warm_tables() -> None:
    """Compile the kernels of games on a table, of their exact results, and of learning."""
    for one in candidates():
        if one.units == 1:
            one.run()
    random = as_policy("random")
    find_symmetry(random.table)
    sum(play_chunks(random, random, ContestConfig(1000), threads=1))
    best_response(random, 1, "wins")
    exact_fractions(random, random)
    for seat in (1, 2):
        config = TrainingConfig(episodes=5000, seat=seat)
        train(start_training(config), random, episodes_at_once=config.episodes)


def _warm_game(name: str) -> None:
    """Compile the kernels that play a game without a table."""
    state = parse_game(name).initial_state
    random_playout(state, np.uint64(0))
    for depth in (2, 4):
        perft(state, depth, threads=1)


_GROUPS: dict[str, tuple[float, Callable[[], object]]] = {
    "solver": (6.2, load_kernels),
    "tables": (5.9, _warm_tables),
    **{name: (3.0, partial(_warm_game, name)) for name in GAMES},
}
"""Kernels that share few others, with the seconds of their compilation; each group is compiled in one process."""


def warm_groups(names: Sequence[str]) -> None:
    """Compile or load the kernels of some groups in this process."""
    for name in names:
        _GROUPS[name][1]()


def shared_groups(processes: int) -> list[list[str]]:
    """Return the groups of each process: the longest first, each to the process with the least work so far.

    Examples
    --------
    >>> shared_groups(5)[:2]
    [['solver'], ['tables']]
    """
    shares: list[list[str]] = [[] for _ in range(min(processes, len(_GROUPS)))]
    for name in sorted(_GROUPS, key=lambda name: -_GROUPS[name][0]):
        min(shares, key=lambda share: sum(_GROUPS[one][0] for one in share)).append(name)
    return shares


def warm_kernels() -> Path:
    """Compile or load every kernel that the usual commands need, in a process for each core; return their folder.

    Raises
    ------
    TttFastError
        If a process fails.

    Examples
    --------
    >>> warm_kernels()  # doctest: +SKIP
    PosixPath('...')
    """
    code = "from ttt_fast.api.speed import warm_groups; warm_groups({!r})"
    started = [start_python(code.format(share)) for share in shared_groups(available_cores())]
    try:
        for process in started:
            said = process.communicate()[1].decode(errors="replace").strip()
            if process.returncode:
                raise TttFastError(f"expected the kernels to compile, got {said.rpartition(chr(10))[2]!r}")
    finally:
        for process in started:
            process.kill()
    return cache_folder()
