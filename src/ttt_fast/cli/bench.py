"""The command `bench`: the speed of this machine in playing, learning, evaluating and searching.

The folder bench/ compares such measurements with straightforward kernels and with other programs.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast.cli.options import Target, Threads
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.errors import UsageError

_POSITION = "44444431"
_LARGE, _LARGE_STATES = "connect4:columns=4,rows=5", 1_706_255

if TYPE_CHECKING:
    from ttt_fast.policies.policy import Policy
    from ttt_fast.running.timing import Candidate


def play_candidate(name: str, x: "Policy", o: "Policy", threads: int, games: int = 20_000_000) -> "Candidate":
    """Return the candidate that plays a match."""
    from ttt_fast.play.match import MatchConfig, play_match
    from ttt_fast.running.timing import Candidate

    config = MatchConfig(games=games)
    return Candidate(name, "games", games, lambda: play_match(x, o, config, threads=threads))


def candidates(threads: int | None = None) -> "list[Candidate]":
    """Return what is measured."""
    from ttt_fast.agents.convert import as_policy
    from ttt_fast.core.manifest import available_cores
    from ttt_fast.evaluate.outcome import exact_outcome
    from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
    from ttt_fast.games.registry import parse_game
    from ttt_fast.learn.config import TrainingConfig
    from ttt_fast.learn.training import start_training, train
    from ttt_fast.play.match import MatchConfig, play_match
    from ttt_fast.policies.best_response import best_response
    from ttt_fast.running.timing import Candidate
    from ttt_fast.tables import solve
    from ttt_fast.tables.enumeration import enumerate_game

    many = threads or available_cores()
    random, minimax, default = as_policy("random"), as_policy("minimax"), as_policy("default")
    mixed = as_policy("mix:1/2*minimax+1/2*random")
    trillion = MatchConfig(games=10**15, method="propagate")

    def training(seat: int) -> Candidate:
        """Return the candidate that trains a whole run, with its schedule and exact scores on the way."""
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
        Candidate("propagate 10^15 games, random v random", "calls", 1, lambda: play_match(random, random, trillion)),
        *(training(seat) for seat in (1, 2)),
        Candidate("exact result, random v random", "calls", 1, lambda: exact_outcome(random, random)),
        Candidate("exact result, minimax v random", "calls", 1, lambda: exact_outcome(minimax, random)),
        Candidate("best response to random", "calls", 1, lambda: best_response(random, seat=1)),
        Candidate("exploitability of random", "calls", 1, lambda: exploitability(random)),
        Candidate("never loses? minimax as O", "calls", 1, lambda: never_loses(minimax, seat=2)),
        Candidate("agreement of random with minimax", "calls", 1, lambda: agreement(random)),
        Candidate("enumerate and solve", "calls", 1, lambda: solve(enumerate_game(parse_game("tic-tac-toe"), 10_000))),
    ]


def searches() -> "list[Candidate]":
    """Return what is measured of searches, and of a table of a million states."""
    from ttt_fast.agents.convert import as_player
    from ttt_fast.core.rng import chunk_stream
    from ttt_fast.evaluate.outcome import exact_outcome
    from ttt_fast.games.registry import parse_game
    from ttt_fast.policies.policy import Policy
    from ttt_fast.running.timing import Candidate
    from ttt_fast.tables.enumeration import enumerate_game

    ultimate, connect_four = parse_game("ultimate"), parse_game("connect4")

    def thinking(spec: str, simulations: int) -> Candidate:
        player = as_player(spec, ultimate)

        def run() -> None:
            player.begin(chunk_stream(0, 0))
            player.think(ultimate.initial_state)

        return Candidate(f"{spec.split(':')[0]} in Ultimate", "simulations", simulations, run)

    position = connect_four.state_after(_POSITION)

    def solving() -> object:
        solver = as_player("solver:tt=16", connect_four)  # whose table is empty
        return solver.think(position)

    small = parse_game(_LARGE)
    random = Policy.uniform(enumerate_game(small, _LARGE_STATES))
    return [
        thinking("mcts:sims=2000", 2000),
        thinking("mcts-best:sims=2000", 2000),
        thinking("learned:sims=2000", 2000),
        Candidate(f"Connect 4 solved after {_POSITION}", "calls", 1, solving),
        Candidate(f"table of {_LARGE_STATES:,} states", "calls", 1, lambda: enumerate_game(small, _LARGE_STATES)),
        Candidate(f"exact result on {_LARGE_STATES:,} states", "calls", 1, lambda: exact_outcome(random, random)),
    ]


def bench(
    target: Target,
    action: Annotated[str, argument("ACTION", "run, or compare with two files of results")] = "run",
    files: Annotated[list[Path] | None, argument("FILES", "of compare: two files that bench -o has written")] = None,
    quick: Annotated[bool, option("--quick", "within a minute: short repeats")] = False,
    threads: Threads = None,
    seconds: Annotated[float | None, option("--seconds S", "length of a repeat (default: 0.5, quick 0.2)")] = None,
    repeats: Annotated[
        int | None, option("--repeats N", "repeats, of which the median counts (default: 7, quick 5)")
    ] = None,
) -> None:
    """Measure how fast this machine plays, learns, evaluates and searches; or compare two machines.

    Peers and baselines are measured by bench/run.py.
    """
    if action == "compare":
        _compare(target, files or [])
        return
    if action != "run" or files:
        raise UsageError(f"expected run, or compare and two files, got {' '.join([action, *map(str, files or [])])!r}")
    length, count = seconds or (0.2 if quick else 0.5), repeats or (5 if quick else 7)
    if seconds is not None and not 0.05 <= seconds <= 60:
        raise UsageError(f"expected 0.05 to 60 seconds, got {seconds}")
    if repeats is not None and not 1 <= repeats <= 1000:
        raise UsageError(f"expected 1 to 1000 repeats, got {repeats}")
    _measure(target, threads, length, count)


def _measure(target: Target, threads: int | None, seconds: float, repeats: int) -> None:
    from ttt_fast.running.timing import disturbances, load, time_in_turn

    before = load()
    found = time_in_turn([*candidates(threads), *searches()], seconds, repeats)
    records = [
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
    warnings = disturbances(before, found)
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)
    config = {"seconds": seconds, "repeats": repeats, "warnings": warnings}
    target.write("bench", records, config, lambda: _report(records))


def _report(records: list[dict[str, Any]]) -> str:
    """Return the rates, and the time of one call in units that can be read."""
    from ttt_fast.report.console import render, short_time
    from ttt_fast.report.row_table import RowTable

    shown = [
        {"what": row["what"], "rate": f"{row['per_second']:,.0f} {row['unit']}/s",
         "each": short_time(row["seconds_each"]), "slowest": f"{row['slowest']:,.0f}",
         "fastest": f"{row['fastest']:,.0f}", "first call": short_time(row["first_call_seconds"])}
        for row in records
    ]  # fmt: skip
    return render([RowTable(shown, "throughput of this machine", spare=("slowest", "fastest", "first call"))])


def _compare(target: Target, files: list[Path]) -> None:
    from ttt_fast.report.laptops import compared

    if len(files) != 2:
        raise UsageError(f"expected two files to compare, got {len(files)}")
    rows: list[dict[str, Any]] = compared(*files)
    target.write("bench", rows, {"files": [str(one) for one in files]}, f"{files[1].name} beside {files[0].name}")
