"""The command `bench`: the speed of this machine in playing, learning and evaluating.

The folder bench/ compares the same measurements with straightforward kernels and with other programs.
"""

from typing import TYPE_CHECKING, Annotated, Any

from ttt_fast.cli.options import Target, Threads
from ttt_fast.cli.signatures import option
from ttt_fast.core.errors import UsageError

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
    from ttt_fast.agents.registry import parse_agent
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
    random, minimax, default = parse_agent("random"), parse_agent("minimax"), parse_agent("default")
    mixed = parse_agent("mix:1/2*minimax+1/2*random")
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
        found.append(play_candidate(f"play random v random, {many} threads", random, random, many))
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


def bench(
    target: Target,
    threads: Threads = None,
    seconds: Annotated[float, option("--seconds S", "length of one repeat, at least 0.05")] = 0.2,
    repeats: Annotated[int, option("--repeats N", "repeats, of which the median counts")] = 5,
) -> None:
    """Measure how fast this machine plays, learns and evaluates (peers and baselines: see bench/)."""
    from ttt_fast.running.timing import time_in_turn

    if not 0.05 <= seconds <= 60:
        raise UsageError(f"expected 0.05 to 60 seconds, got {seconds}")
    if not 1 <= repeats <= 1000:
        raise UsageError(f"expected 1 to 1000 repeats, got {repeats}")
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
        for one in time_in_turn(candidates(threads), seconds, repeats)
    ]
    target.write("bench", records, {"seconds": seconds, "repeats": repeats}, lambda: _report(records))


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
